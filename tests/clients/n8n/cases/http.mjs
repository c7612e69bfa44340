// HTTP Request nodes: what they send, and what their answers become.

import { code, http, noOp, node, pairs, set, show, start, workflow } from './build.mjs';

const url = 'https://api.example/data';
const done = { url: '/data', body: { ok: true } };

/** Start → HTTP → Next: one request for each item of the input. */
const call = (name, parameters, { input = [{ id: 7, name: 'Ada "A"', tags: ['x', 'y'] }], answers = [done], version = 4.2, more = {} } = {}) => ({
  name: `http: ${name}`,
  workflow: workflow([start(), http('HTTP', { url, ...parameters }, more, version), noOp('Next')], [['Start', 'HTTP'], ['HTTP', 'Next']]),
  input,
  http: answers,
});

const jsonBody = (text) => ({ method: 'POST', sendBody: true, specifyBody: 'json', jsonBody: text });

const requests = [
  ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'].map((method) => call(`method ${method}`, { method })),
  call('the default method is GET, the URL has an expression', { url: '=https://api.example/data/{{ $json.id }}' }),
  call('version 3 has the same fields', { method: 'POST', sendBody: true, bodyParameters: pairs({ a: '={{ $json.id }}' }) }, { version: 3 }),
  call('version 4', { method: 'POST', sendBody: true, bodyParameters: pairs({ a: '={{ $json.id }}' }) }, { version: 4 }),
  call('version 4.1', { method: 'POST', sendBody: true, bodyParameters: pairs({ a: '={{ $json.id }}' }) }, { version: 4.1 }),
  call('query of pairs', { sendQuery: true, queryParameters: pairs({ q: '={{ $json.name }}', empty: '', n: '={{ 1.5 }}', flag: '={{ true }}' }) }),
  call('query of pairs beside a query in the URL', { url: `${url}?a=1`, sendQuery: true, queryParameters: pairs({ b: '2' }) }),
  call('query that is switched off', { sendQuery: false, queryParameters: pairs({ b: '2' }) }),
  call('query of JSON', { sendQuery: true, specifyQuery: 'json', jsonQuery: '={ "id": {{ $json.id }}, "name": {{ JSON.stringify($json.name) }} }' }),
  call('query with a list', { sendQuery: true, queryParameters: pairs({ tags: '={{ $json.tags }}' }) }),
  call('query with a list, with brackets', { sendQuery: true, queryParameters: pairs({ tags: '={{ $json.tags }}' }), options: { queryParameterArrays: 'brackets' } }),
  call('query with a list, repeated', { sendQuery: true, queryParameters: pairs({ tags: '={{ $json.tags }}' }), options: { queryParameterArrays: 'repeat' } }),
  call('query with an object', { sendQuery: true, queryParameters: pairs({ filter: '={{ { a: 1, b: { c: 2 } } }}' }) }),
  call('query with null and undefined', { sendQuery: true, queryParameters: pairs({ none: '={{ null }}', missing: '={{ $json.nope }}', a: '1' }) }),
  call('query with the same name twice', { sendQuery: true, queryParameters: { parameters: [{ name: 'a', value: '1' }, { name: 'a', value: '2' }] } }),
  call('query with the same name twice, version 4.3', { sendQuery: true, queryParameters: { parameters: [{ name: 'a', value: '1' }, { name: 'a', value: '2' }] } }, { version: 4.3 }),
  call('query with special characters', { sendQuery: true, queryParameters: pairs({ q: 'a b&c=d/é?' }) }),
  call('the URL has spaces and other characters', { url: '=https://api.example/data/a b/é?q={{ $json.name }}' }),
  call('headers of pairs', { sendHeaders: true, headerParameters: pairs({ 'X-Id': '={{ $json.id }}', Accept: 'text/plain' }) }),
  call('headers of JSON', { sendHeaders: true, specifyHeaders: 'json', jsonHeaders: '={ "X-Name": "n{{ $json.id }}" }' }),
  call('headers with an empty name', { sendHeaders: true, headerParameters: { parameters: [{ name: '', value: 'x' }, { name: 'x-a', value: '1' }] } }),
  call('a user agent', { sendHeaders: true, headerParameters: pairs({ 'User-Agent': 'mine' }) }),
  call('a body of JSON pairs', { method: 'POST', sendBody: true, bodyParameters: pairs({ a: '={{ $json.id }}', b: 'text', c: '={{ $json.tags }}', d: '={{ null }}', e: '={{ $json.nope }}' }) }),
  call('a body of JSON pairs with dots in the names', { method: 'POST', sendBody: true, bodyParameters: pairs({ 'a.b': '1', 'a.c[0]': '2' }) }),
  call('a body of JSON pairs with dots in the names, version 3', { method: 'POST', sendBody: true, bodyParameters: pairs({ 'a.b': '1' }) }, { version: 3 }),
  call('a body of no JSON pairs', { method: 'POST', sendBody: true, bodyParameters: pairs({}) }),
  call('a body of JSON text', jsonBody('{ "a": 1, "b": [true, null] }')),
  call('a body of JSON text with expressions in and outside of quotes', jsonBody('={ "id": {{ $json.id }}, "name": "n-{{ $json.id }}", "tags": {{ JSON.stringify($json.tags) }} }')),
  call('a body of JSON text with a quote in a value is not valid', jsonBody('={ "name": "{{ $json.name }}" }')),
  call('a body of JSON text with a list that is not stringified', jsonBody('={ "tags": {{ $json.tags }} }')),
  call('a body of JSON of one expression', jsonBody('={{ { id: $json.id, tags: $json.tags } }}')),
  call('a body of JSON of one expression that is a text of JSON', jsonBody('={{ JSON.stringify($json) }}')),
  call('a body of JSON that is a list', jsonBody('=[{{ $json.id }}, 2]')),
  call('a body of JSON that is a text', jsonBody('"text"')),
  call('a body of JSON text that is empty', jsonBody('')),
  call('form of pairs', { method: 'POST', sendBody: true, contentType: 'form-urlencoded', bodyParameters: pairs({ a: '={{ $json.name }}', b: 'x&y', tags: '={{ $json.tags }}' }) }),
  call('form of a text', { method: 'POST', sendBody: true, contentType: 'form-urlencoded', specifyBody: 'string', body: '=a={{ $json.id }}&b=two+words' }),
  call('multipart form', { method: 'POST', sendBody: true, contentType: 'multipart-form-data', bodyParameters: { parameters: [{ parameterType: 'formData', name: 'a', value: '={{ $json.id }}' }, { name: 'b', value: 'text' }] } }),
  call('raw text', { method: 'POST', sendBody: true, contentType: 'raw', rawContentType: 'text/xml', body: '=<a>{{ $json.id }}</a>' }),
  call('raw JSON', { method: 'PUT', sendBody: true, contentType: 'raw', rawContentType: 'application/json', body: '={"id": {{ $json.id }}}' }),
  call('a body that is switched off', { method: 'POST', sendBody: false, bodyParameters: pairs({ a: '1' }) }),
  call('GET with a body', { method: 'GET', sendBody: true, specifyBody: 'json', jsonBody: '{ "a": 1 }' }),
  call('DELETE with a body', { method: 'DELETE', sendBody: true, specifyBody: 'json', jsonBody: '{ "a": 1 }' }),
  call('DELETE with a form', { method: 'DELETE', sendBody: true, contentType: 'form-urlencoded', bodyParameters: pairs({ a: '1' }) }),
  {
    name: 'http: a file as the body',
    workflow: workflow([start(), node('File', 'convertToFile', 1.1, { operation: 'toText', sourceProperty: 'text', options: { fileName: 'note.txt' } }),
      http('HTTP', { url, method: 'POST', sendBody: true, contentType: 'binaryData', inputDataFieldName: 'data' })], [['Start', 'File'], ['File', 'HTTP']]),
    input: [{ text: 'héllo' }],
    http: [done],
  },
  {
    name: 'http: a file in a multipart form',
    workflow: workflow([start(), node('File', 'convertToFile', 1.1, { operation: 'toText', sourceProperty: 'text', options: { fileName: 'note.txt' } }),
      http('HTTP', { url, method: 'POST', sendBody: true, contentType: 'multipart-form-data', bodyParameters: { parameters: [{ parameterType: 'formBinaryData', name: 'file', inputDataFieldName: 'data' }, { name: 'n', value: '1' }] } })],
    [['Start', 'File'], ['File', 'HTTP']]),
    input: [{ text: 'héllo' }],
    http: [done],
  },
  call('a file that the item does not have', { method: 'POST', sendBody: true, contentType: 'binaryData', inputDataFieldName: 'data' }),
  call('a URL without http', { url: 'api.example/data' }),
  call('a URL that is not a text', { url: '={{ $json.id }}' }),
  call('a URL that is empty', { url: '={{ $json.nope }}' }),
];

const auth = (type) => ({ authentication: 'genericCredentialType', genericAuthType: type });
const credentials = (type) => ({ more: { credentials: { [type]: { id: '1', name: 'Mine' } } } });
const signIns = [
  ...['httpBasicAuth', 'httpHeaderAuth', 'httpQueryAuth', 'httpBearerAuth'].map((type) => call(`credentials ${type}`, auth(type), credentials(type))),
  call('credentials of the query beside a query', { ...auth('httpQueryAuth'), sendQuery: true, queryParameters: pairs({ a: '1' }) }, credentials('httpQueryAuth')),
  call('credentials that are missing', auth('httpHeaderAuth')),
];

const answer = (body, more = {}) => [{ url: '/data', body, ...more }];
const text = { 'content-type': 'text/plain' };
const json = { 'content-type': 'application/json' };
const format = (responseFormat, more = {}) => ({ options: { response: { response: { responseFormat, ...more } } } });
const whole = (more = {}) => ({ options: { response: { response: { fullResponse: true, ...more } } } });

const answers = [
  call('an object becomes an item', {}, { answers: answer({ a: 1, b: [1, 2] }) }),
  call('a list becomes items', {}, { answers: answer([{ a: 1 }, { a: 2 }]) }),
  call('an empty list becomes no items', {}, { answers: answer([]) }),
  call('a list of texts and numbers', {}, { answers: answer(['a', 1, null, true]) }),
  call('a list of lists', {}, { answers: answer([[1], [2, 3]]) }),
  call('an object with a list stays one item', {}, { answers: answer({ data: [{ a: 1 }, { a: 2 }] }) }),
  call('JSON that is a number', {}, { answers: answer(7) }),
  call('JSON that is a text', {}, { answers: answer('"text"', { headers: json }) }),
  call('JSON that is null', {}, { answers: answer('null', { headers: json }) }),
  call('JSON that is not valid', {}, { answers: answer('{"a":', { headers: json }) }),
  call('JSON without a body', {}, { answers: answer(undefined, { headers: json }) }),
  call('JSON with a charset', {}, { answers: answer('{"a":"é"}', { headers: { 'content-type': 'application/json; charset=utf-8' } }) }),
  call('JSON of a vendor type is text', {}, { answers: answer('{"a":1}', { headers: { 'content-type': 'application/vnd.api+json' } }) }),
  call('text', {}, { answers: answer('hello', { headers: text }) }),
  call('HTML', {}, { answers: answer('<p>é</p>', { headers: { 'content-type': 'text/html; charset=utf-8' } }) }),
  call('text that looks like JSON', {}, { answers: answer('{"a":1}', { headers: text }) }),
  call('text without a content type', {}, { answers: answer('{"a":1}') }),
  call('text without a body', {}, { answers: answer('', { headers: text }) }),
  call('status 204', {}, { answers: answer(undefined, { status: 204 }) }),
  call('status 201', { method: 'POST' }, { answers: answer({ id: 1 }, { status: 201 }) }),
  call('a file by its content type', {}, { answers: answer({ base64: 'iVBORw0KGgo=' }, { headers: { 'content-type': 'image/png' } }) }),
  call('a file keeps the fields of the item', {}, { answers: answer({ base64: 'JVBERi0=' }, { headers: { 'content-type': 'application/pdf' } }), input: [{ keep: 1 }] }),
  call('a file name of the content disposition', {}, { answers: answer({ base64: 'JVBERi0=' }, { headers: { 'content-type': 'application/pdf', 'content-disposition': 'attachment; filename="bill.pdf"' } }) }),
  call('the format JSON', format('json'), { answers: answer({ a: 1 }) }),
  call('the format JSON of a text of JSON', format('json'), { answers: answer('[{"a":1},{"a":2}]', { headers: text }) }),
  call('the format JSON of a text that is not JSON', format('json'), { answers: answer('hello', { headers: text }) }),
  call('the format JSON without a body', format('json'), { answers: answer('', { headers: text }) }),
  call('the format JSON with status 204', format('json'), { answers: answer(undefined, { status: 204 }) }),
  call('the format text', format('text'), { answers: answer('hello', { headers: text }) }),
  call('the format text of JSON', format('text'), { answers: answer('{"a": 1}', { headers: json }) }),
  call('the format text with a name', format('text', { outputPropertyName: 'page' }), { answers: answer('hello', { headers: text }) }),
  call('the format file', format('file'), { answers: answer('hello', { headers: text }) }),
  call('the format file with a name', format('file', { outputPropertyName: 'page' }), { answers: answer('hello', { headers: text }) }),
  call('the whole answer', whole(), { answers: answer({ a: 1 }, { headers: { 'x-count': '3' } }) }),
  call('the whole answer of a list stays one item', whole(), { answers: answer([{ a: 1 }, { a: 2 }]) }),
  call('the whole answer of a text', whole(), { answers: answer('hello', { headers: text }) }),
  call('the whole answer as JSON', whole({ responseFormat: 'json' }), { answers: answer({ a: 1 }) }),
  call('the whole answer as text', whole({ responseFormat: 'text' }), { answers: answer('hello', { headers: text }) }),
  call('the whole answer as a file', whole({ responseFormat: 'file' }), { answers: answer('hello', { headers: text }) }),
  call('the whole answer with status 204', whole(), { answers: answer(undefined, { status: 204 }) }),
  call('the whole answer with two cookies', whole(), { answers: answer({}, { headers: { 'set-cookie': ['a=1', 'b=2'] } }) }),
  call('a redirect is followed', {}, { answers: [{ url: '/data', status: 302, headers: { location: 'https://api.example/there' } }, { url: '/there', body: { there: true } }] }),
  call('a redirect of a POST', { method: 'POST', sendBody: true, bodyParameters: pairs({ a: '1' }) }, { answers: [{ url: '/data', status: 303, headers: { location: '/there' } }, { url: '/there', body: { there: true } }] }),
  call('a redirect that is not followed', { options: { redirect: { redirect: { followRedirects: false } }, response: { response: { fullResponse: true } } } }, { answers: [{ url: '/data', status: 302, headers: { location: 'https://api.example/there' } }] }),
];

const failed = (status, body = { message: 'no such thing' }) => answer(body, { status });
const onError = (value) => ({ more: { onError: value } });
const perItem = [{ url: '/data/1', body: { ok: 1 } }, { url: '/data/2', status: 404, body: { message: 'no such thing' } }, { url: '/data/3', body: { ok: 3 } }];
const three = [{ n: 1, keep: 'a' }, { n: 2, keep: 'b' }, { n: 3, keep: 'c' }];
const ofAll = { url: '=https://api.example/data/{{ $input.all().length }}/{{ $input.first().json.n }}/{{ $json.n }}' };
const byNumber = { url: '=https://api.example/data/{{ $json.n }}' };
const branched = (more, parameters = byNumber, http_ = perItem) => ({
  workflow: workflow([start(), http('HTTP', parameters, more), noOp('Done'), noOp('Failed')], [['Start', 'HTTP'], ['HTTP', 0, 'Done'], ['HTTP', 1, 'Failed']]),
  input: three,
  http: http_,
});

const failures = [
  ...[400, 401, 403, 404, 429, 500, 503].map((status) => call(`status ${status} stops`, {}, { answers: failed(status) })),
  call('status 404 with a text stops', {}, { answers: answer('not here', { status: 404, headers: text }) }),
  call('status 404 without a body stops', {}, { answers: answer(undefined, { status: 404 }) }),
  call('status 404 that never is an error', { options: { response: { response: { neverError: true } } } }, { answers: failed(404) }),
  call('status 500 that never is an error, with a text', { options: { response: { response: { neverError: true } } } }, { answers: answer('oops', { status: 500, headers: text }) }),
  call('status 404 that never is an error, the whole answer', whole({ neverError: true }), { answers: failed(404) }),
  call('JSON that is not valid, never an error', { options: { response: { response: { neverError: true } } } }, { answers: answer('{"a":', { headers: json }) }),
  call('the second of three items stops, all requests were sent', byNumber, { input: three, answers: perItem }),
  call('the second of three items continues', byNumber, { input: three, answers: perItem, ...onError('continueRegularOutput') }),
  call('the second of three items continues, with the old flag', byNumber, { input: three, answers: perItem, more: { continueOnFail: true } }),
  call('status 500 with a text continues', {}, { answers: answer('oops', { status: 500, headers: text }), ...onError('continueRegularOutput') }),
  call('status 404 as JSON continues', format('json'), { answers: failed(404), ...onError('continueRegularOutput') }),
  call('a connection that breaks stops', {}, { answers: [{ url: '/data', drop: true }] }),
  call('a connection that breaks continues', {}, { answers: [{ url: '/data', drop: true }], ...onError('continueRegularOutput') }),
  call('a URL without http continues', { url: 'api.example/data' }, onError('continueRegularOutput')),
  call('JSON that is not valid continues', {}, { answers: answer('{"a":', { headers: json }), ...onError('continueRegularOutput') }),
  call('a body that is not valid JSON continues', jsonBody('={ "name": "{{ $json.name }}" }'), onError('continueRegularOutput')),
  { name: 'http: the second of three items goes to the error output', ...branched({ onError: 'continueErrorOutput' }) },
  { name: 'http: all items go to the error output', ...branched({ onError: 'continueErrorOutput' }, byNumber, [{ status: 500, body: { message: 'down' } }]) },
  { name: 'http: no item goes to the error output', ...branched({ onError: 'continueErrorOutput' }, byNumber, [{ body: { ok: true } }]) },
  { name: 'http: a URL that fails goes to the error output', ...branched({ onError: 'continueErrorOutput' }, { url: '={{ $json.n === 2 ? "wrong" : "https://api.example/data/" + $json.n }}' }) },
  {
    name: 'http: what behind it reads of an error',
    workflow: workflow([start(), http('HTTP', byNumber, { onError: 'continueRegularOutput' }), show('Next', '{ failed: $json.error !== undefined, message: $json.error?.message ?? null, status: $json.error?.status ?? null, statusCode: $json.error?.statusCode ?? null, body: $json.error?.error ?? null, headers: $json.error?.response?.headers?.["content-type"] ?? null, name: $json.error?.name ?? null, n: $("Start").item.json.n }')],
      [['Start', 'HTTP'], ['HTTP', 'Next']]),
    input: three,
    http: perItem,
  },
  call('retryOnFail: the second try succeeds', {}, { answers: [{ url: '/data', status: 500, body: { message: 'down' }, times: 1 }, done], more: { retryOnFail: true, waitBetweenTries: 1 } }),
  call('retryOnFail: three tries by default', {}, { answers: [{ url: '/data', status: 500, body: { message: 'down' } }], more: { retryOnFail: true, waitBetweenTries: 1 } }),
  call('retryOnFail: all items are tried again', byNumber, { input: three, answers: [{ url: '/data/2', status: 500, body: {}, times: 1 }, { body: { ok: true } }], more: { retryOnFail: true, waitBetweenTries: 1 } }),
  call('retryOnFail: continues after the last try', {}, { answers: [{ url: '/data', status: 500, body: { message: 'down' } }], more: { retryOnFail: true, maxTries: 2, waitBetweenTries: 1, onError: 'continueRegularOutput' } }),
  call('retryOnFail: an answer with a field «error» is tried again', {}, { answers: [{ url: '/data', body: { error: 'a value' } }], more: { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 } }),
];

const severalItems = [
  call('each item is a call', byNumber, { input: three, answers: [{ body: { ok: true } }] }),
  call('each item may become several', byNumber, { input: three, answers: [{ url: '/1', body: [{ a: 1 }, { a: 2 }] }, { url: '/2', body: [] }, { url: '/3', body: { a: 3 } }] }),
  call('batches', { ...byNumber, options: { batching: { batch: { batchSize: 2, batchInterval: 1 } } } }, { input: three, answers: [{ body: { ok: true } }] }),
  call('the URL of each item reads all items', ofAll, { input: three, answers: [{ body: { ok: true } }] }),
  call('executeOnce sends one request that reads all items', ofAll, { input: three, answers: [{ body: { ok: true } }], more: { executeOnce: true } }),
  call('executeOnce sends one request', byNumber, { input: three, answers: [{ body: { ok: true } }], more: { executeOnce: true } }),
  call('alwaysOutputData gives an item for an empty list', {}, { answers: answer([]), more: { alwaysOutputData: true } }),
  call('an empty list of one of several items', byNumber, { input: three, answers: [{ url: '/2', body: { a: 2 } }, { body: [] }], more: { alwaysOutputData: true } }),
  {
    name: 'http: the items of a list know the item of the call',
    workflow: workflow([start(), http('HTTP', byNumber), show('Next', '{ id: $json.id, keep: $("Start").item.json.keep, node: $("HTTP").item.json.id }')], [['Start', 'HTTP'], ['HTTP', 'Next']]),
    input: three,
    http: [{ url: '/1', body: [{ id: 11 }, { id: 12 }] }, { url: '/2', body: [] }, { url: '/3', body: { id: 31 } }],
  },
  {
    name: 'http: two calls, the second with the answer of the first',
    workflow: workflow([start(), http('First', { url: 'https://api.example/users' }), http('Second', { url: '=https://api.example/users/{{ $json.id }}/posts' }), set('Next', { title: '={{ $json.title }}', user: '={{ $("First").item.json.name }}' })],
      [['Start', 'First'], ['First', 'Second'], ['Second', 'Next']]),
    http: [{ url: '/users/1/posts', body: [{ title: 'a' }, { title: 'b' }] }, { url: '/users/2/posts', body: [{ title: 'c' }] }, { url: '/users', body: [{ id: 1, name: 'Ada' }, { id: 2, name: 'Bob' }] }],
  },
  {
    name: 'http: code counts the items of a list',
    workflow: workflow([start(), http('HTTP', { url }), code('Count', 'return [{ json: { count: $input.all().length } }]')], [['Start', 'HTTP'], ['HTTP', 'Count']]),
    http: answer([{ a: 1 }, { a: 2 }, { a: 3 }]),
  },
  call('answers that are numbers, and code behind them', {}, { answers: answer([1, 2]) }),
];

const paged = (pagination, options = {}) => ({ options: { pagination: { pagination }, ...options } });
const pages = [
  call('pages by a parameter of the query, until one is empty', paged({ paginationMode: 'updateAParameterInEachRequest', parameters: { parameters: [{ type: 'qs', name: 'page', value: '={{ $pageCount + 1 }}' }] }, paginationCompleteWhen: 'responseIsEmpty', limitPagesFetched: true, maxRequests: 9 }),
    { answers: [{ url: 'page=1', body: [{ a: 1 }] }, { url: 'page=2', body: [{ a: 2 }] }, { url: 'page=3', body: [] }] }),
  call('pages by a parameter, until an expression holds', paged({ paginationMode: 'updateAParameterInEachRequest', parameters: { parameters: [{ type: 'qs', name: 'offset', value: '={{ $response.body.next ?? 0 }}' }] }, paginationCompleteWhen: 'other', completeExpression: '={{ !$response.body.next }}', limitPagesFetched: true, maxRequests: 9 }),
    { answers: [{ url: 'offset=10', body: { rows: [2] } }, { url: '/data', body: { rows: [1], next: 10 } }] }),
  call('pages by the URL of the next', paged({ paginationMode: 'responseContainsNextURL', nextURL: '={{ $response.body.next }}', paginationCompleteWhen: 'other', completeExpression: '={{ !$response.body.next }}', limitPagesFetched: true, maxRequests: 9 }),
    { answers: [{ url: '/data?p=2', body: { rows: [2] } }, { url: '/data', body: { rows: [1], next: 'https://api.example/data?p=2' } }] }),
  call('pages by a status', paged({ paginationMode: 'updateAParameterInEachRequest', parameters: { parameters: [{ type: 'qs', name: 'page', value: '={{ $pageCount }}' }] }, paginationCompleteWhen: 'receiveSpecificStatusCodes', statusCodesWhenComplete: '404', limitPagesFetched: true, maxRequests: 9 }),
    { answers: [{ url: 'page=0', body: { a: 0 } }, { url: 'page=1', body: { a: 1 } }, { status: 404, body: {} }] }),
  call('pages up to a limit', paged({ paginationMode: 'updateAParameterInEachRequest', parameters: { parameters: [{ type: 'qs', name: 'page', value: '={{ $pageCount }}' }] }, paginationCompleteWhen: 'responseIsEmpty', limitPagesFetched: true, maxRequests: 2 }),
    { answers: [{ body: [{ a: 1 }] }] }),
];

export const cases = [...requests, ...signIns, ...answers, ...failures, ...severalItems, ...pages];
