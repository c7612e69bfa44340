// Options that published workflows often set, beside those of the other files: older versions of HTTP Request, credentials of services,
// and the comparisons of Filter and Switch.

import { conditions, node, start, workflow } from './build.mjs';

const single = (kind, version) => (what, parameters, { input = [{ n: 1 }], http, more } = {}) => ({
  name: `options: ${kind} ${version}: ${what}`,
  workflow: workflow([start(), node('Node', kind, version, parameters, more)], [['Start', 'Node']]),
  input,
  ...(http && { http: [http] }),
});

// ---- HTTP Request ----

const URL = 'https://api.example/data';
const pairs = (values) => ({ parameter: Object.entries(values).map(([name, value]) => ({ name, value })) });
const json = { body: { ok: true, list: [1, 2] } };
const text = { body: 'Hello', headers: { 'content-type': 'text/plain' } };
const rows = { body: [{ id: 1 }, { id: 2 }] };

const http1 = single('httpRequest', 1);
const http2 = single('httpRequest', 2);
const older = [http1, http2].flatMap((http) => [
  http('defaults', { url: URL, options: {} }, { http: json }),
  http('a list', { url: URL, options: {} }, { http: rows }),
  http('a text', { url: URL, responseFormat: 'string', options: {} }, { http: text }),
  http('a text under another name', { url: URL, responseFormat: 'string', dataPropertyName: 'page', options: {} }, { http: text }),
  http('a text that should be JSON', { url: URL, options: {} }, { http: text }),
  http('JSON as a text', { url: URL, responseFormat: 'string', options: {} }, { http: json }),
  http('the whole answer', { url: URL, options: { fullResponse: true } }, { http: json }),
  http('the whole answer of a list', { url: URL, options: { fullResponse: true } }, { http: rows }),
  http('the whole answer as a text', { url: URL, responseFormat: 'string', options: { fullResponse: true } }, { http: text }),
  http('items of a list', { url: URL, options: { splitIntoItems: true } }, { http: rows }),
  http('a query', { url: '=https://api.example/{{ $json.n }}', queryParametersUi: pairs({ a: '={{ $json.n }}', b: 'x y' }), options: {} }, { http: json }),
  http('a body of fields', { url: URL, requestMethod: 'POST', bodyParametersUi: pairs({ a: '={{ $json.n }}', b: 'x' }), options: {} }, { http: json }),
  http('a body of fields as a form', { url: URL, requestMethod: 'POST', bodyParametersUi: pairs({ a: '={{ $json.n }}', b: 'x y' }), options: { bodyContentType: 'form-urlencoded' } }, { http: json }),
  http('a body of fields as a form with parts', { url: URL, requestMethod: 'POST', bodyParametersUi: pairs({ a: 'x' }), options: { bodyContentType: 'multipart-form-data' } }, { http: json }),
  http('a body and a query in JSON', { url: URL, requestMethod: 'PUT', jsonParameters: true, bodyParametersJson: '={"a": {{ $json.n }}, "b": ["x"]}', queryParametersJson: '{"c": "d"}', headerParametersJson: '{"X-A": "1"}', options: {} }, { http: json }),
  http('a body in JSON from an object', { url: URL, requestMethod: 'POST', jsonParameters: true, bodyParametersJson: '={{ { a: $json.n } }}', options: {} }, { http: json }),
  http('a body in JSON that is not valid', { url: URL, requestMethod: 'POST', jsonParameters: true, bodyParametersJson: '{a: 1', options: {} }, { http: json }),
  http('headers', { url: URL, headerParametersUi: pairs({ 'X-A': '={{ $json.n }}' }), options: {} }, { http: json }),
  http('a status of an error', { url: URL, options: {} }, { http: { status: 404, body: { message: 'no' } } }),
  http('a status of an error in the whole answer', { url: URL, options: { fullResponse: true, ignoreResponseCode: true } }, { http: { status: 404, body: { message: 'no' } } }),
  http('a status of an error continues', { url: URL, options: {} }, { http: { status: 500, body: 'down' }, more: { continueOnFail: true } }),
  http('DELETE without an answer', { url: URL, requestMethod: 'DELETE', options: {} }, { http: { status: 204, body: '' } }),
  http('certificates and a time limit', { url: URL, allowUnauthorizedCerts: true, options: { timeout: 10000, followRedirect: true } }, { http: json }),
  http('two items', { url: '=https://api.example/{{ $json.n }}', options: {} }, { http: json, input: [{ n: 1 }, { n: 2 }] }),
]);

const http4 = single('httpRequest', 4.2);
const credentials = (...types) => ({ credentials: Object.fromEntries(types.map((type) => [type, { id: '1', name: 'Mine' }])) });
const newer = [
  ...['githubApi', 'notionApi', 'stripeApi', 'airtableTokenApi', 'wordpressApi', 'supabaseApi', 'facebookGraphApi', 'googleSheetsOAuth2Api', 'googleDriveOAuth2Api',
    'youTubeOAuth2Api', 'httpBearerAuth'].map((type) =>
    http4(`the credential ${type}`, { url: URL, authentication: 'predefinedCredentialType', nodeCredentialType: type, options: {} }, { http: json, more: credentials(type) })),
  http4('a time limit and certificates', { url: URL, options: { timeout: 30000, allowUnauthorizedCerts: true } }, { http: json }),
  http4('no certificate of its own', { url: URL, provideSslCertificates: false, infoMessage: '', httpVariantWarning: '', curlImport: '', options: {} }, { http: json }),
  http4('a body with true and false', { method: 'POST', url: URL, sendBody: true, bodyParameters: { parameters: [{ name: 'a', value: 'true' }, { name: 'b', value: '={{ false }}' }, { name: 'c', value: 'raw' }] }, options: {} }, { http: json }),
  http4('a query with true', { url: URL, sendQuery: true, queryParameters: { parameters: [{ name: 'a', value: 'true' }, { name: 'b', value: '={{ true }}' }] }, options: {} }, { http: json }),
];

// ---- Comparisons ----

const people = [
  { name: 'Ada', age: 36, tags: ['a', 'b'], home: { city: 'Bonn' }, ok: true, born: '1989-12-10', text: '36' },
  { name: 'bob', age: 17, tags: [], home: {}, ok: false, born: '2008-01-01', text: '' },
  { name: '', age: null, ok: 'true', born: '', text: 'many' },
  { n: 1 },
];
const COMPARED = [
  ['text exists', ['={{ $json.name }}', 'string', 'exists']],
  ['text does not exist', ['={{ $json.name }}', 'string', 'notExists']],
  ['text is not empty', ['={{ $json.name }}', 'string', 'notEmpty']],
  ['text is empty', ['={{ $json.name }}', 'string', 'empty']],
  ['text is not', ['={{ $json.name }}', 'string', 'notEquals', 'Ada']],
  ['text contains', ['={{ $json.name }}', 'string', 'contains', 'd']],
  ['text does not contain', ['={{ $json.name }}', 'string', 'notContains', 'd']],
  ['text starts', ['={{ $json.name }}', 'string', 'startsWith', 'A']],
  ['boolean is true', ['={{ $json.ok }}', 'boolean', 'true']],
  ['boolean is false', ['={{ $json.ok }}', 'boolean', 'false']],
  ['boolean equals', ['={{ $json.ok }}', 'boolean', 'equals', true]],
  ['boolean exists', ['={{ $json.ok }}', 'boolean', 'exists']],
  ['number is at least', ['={{ $json.age }}', 'number', 'gte', 36]],
  ['number is less', ['={{ $json.age }}', 'number', 'lt', 18]],
  ['number of a text is more', ['={{ $json.text }}', 'number', 'gt', 18]],
  ['object is not empty', ['={{ $json.home }}', 'object', 'notEmpty']],
  ['object is empty', ['={{ $json.home }}', 'object', 'empty']],
  ['object exists', ['={{ $json.home }}', 'object', 'exists']],
  ['list is not empty', ['={{ $json.tags }}', 'array', 'notEmpty']],
  ['list is empty', ['={{ $json.tags }}', 'array', 'empty']],
  ['list contains', ['={{ $json.tags }}', 'array', 'contains', 'a']],
  ['list has more than', ['={{ $json.tags }}', 'array', 'lengthGt', 1]],
  ['date is after', ['={{ $json.born }}', 'dateTime', 'after', '2000-01-01']],
  ['date is before', ['={{ $json.born }}', 'dateTime', 'before', '={{ $now }}']],
  ['date exists', ['={{ $json.born }}', 'dateTime', 'exists']],
  ['an operation that does not exist', ['={{ $json.name }}', 'string', 'equal', 'Ada']],
];
const strict = people.slice(0, 1);
const filter = single('filter', 2.2);
const choose = single('switch', 3.2);
const when = single('if', 2.2);
const named = (row, more) => {
  const made = conditions([row], more);
  made.conditions[0].operator.name = `filter.operator.${row[2]}`;
  return made;
};
const rules = (...values) => ({ rules: { values } });
const compared = COMPARED.flatMap(([what, row]) => [
  filter(what, { conditions: named(row), options: {} }, { input: strict }),
  filter(`${what}, loosely`, { conditions: named(row, { typeValidation: 'loose' }), looseTypeValidation: true, options: {} }, { input: people }),
  choose(`${what}, loosely`, { ...rules({ conditions: named(row, { typeValidation: 'loose' }), renameOutput: true, outputKey: 'text' }), looseTypeValidation: true, options: { fallbackOutput: 'extra', renameFallbackOutput: 'other' } }, { input: people }),
  when(`${what}, loosely`, { conditions: named(row, { typeValidation: 'loose' }), looseTypeValidation: true, options: {} }, { input: people }),
]);
const ADA = ['={{ $json.name }}', 'string', 'equals', 'ADA'];
const ignored = [
  filter('texts without case', { conditions: named(ADA, { caseSensitive: false }), options: { ignoreCase: true } }, { input: people }),
  filter('ignoreCase is false, caseSensitive too', { conditions: named(ADA, { caseSensitive: false }), options: { ignoreCase: false } }, { input: people }),
  filter('ignoreCase is true, caseSensitive too', { conditions: named(ADA), options: { ignoreCase: true } }, { input: people }),
  when('ignoreCase is true, caseSensitive too', { conditions: named(ADA), options: { ignoreCase: true } }, { input: strict }),
  when('looseTypeValidation among the options', { conditions: named(['={{ $json.age }}', 'string', 'equals', '36']), options: { looseTypeValidation: true } }, { input: strict }),
  when('loose conditions, strict node', { conditions: named(['={{ $json.age }}', 'string', 'equals', '36'], { typeValidation: 'loose' }), looseTypeValidation: false, options: {} }, { input: strict }),
  when('strict conditions, loose node', { conditions: named(['={{ $json.age }}', 'string', 'equals', '36']), looseTypeValidation: true, options: {} }, { input: strict }),
  choose('ignoreCase', { ...rules({ conditions: named(ADA), outputKey: 'a' }, { conditions: named(['={{ $json.age }}', 'number', 'gt', 1]), outputKey: 'b' }), options: { ignoreCase: true, allMatchingOutputs: true } }, { input: strict }),
];
const if1 = single('if', 1);
const firstIf = [
  if1('texts', { conditions: { string: [{ value1: '={{ $json.name }}', operation: 'isNotEmpty' }, { value1: '={{ $json.name }}', operation: 'notEqual', value2: 'bob' }] } }, { input: people }),
  if1('booleans', { conditions: { boolean: [{ value1: '={{ $json.ok }}', value2: true }] } }, { input: people }),
  if1('booleans of an expression', { conditions: { boolean: [{ value1: '={{ $json.age > 18 }}', value2: '={{ true }}' }] } }, { input: people }),
  if1('no value', { conditions: { string: [{ value1: '={{ $json.gone }}', operation: 'isEmpty' }] } }, { input: people }),
  if1('numbers of texts', { conditions: { number: [{ value1: '={{ $json.text }}', operation: 'larger', value2: 18 }] } }, { input: people }),
  if1('any', { combineOperation: 'any', conditions: { string: [{ value1: '={{ $json.name }}', value2: 'Ada' }], number: [{ value1: '={{ $json.age }}', operation: 'smaller', value2: 18 }] } }, { input: people }),
];

// ---- The others ----

const set34 = single('set', 3.4);
const field = (name, type, value) => ({ id: name, name, type, value });
const fields = (...assignments) => ({ assignments: { assignments } });
const reads = (kind, version, type, parameters) => (what, more, { http = json, input, ...rest } = {}) =>
  single(kind, version)(what, { ...parameters, ...more }, { http, input, more: { ...credentials(type), ...rest } });
const table = reads('airtable', 2.1, 'airtableOAuth2Api', {
  base: { __rl: true, mode: 'id', value: 'appAAAAAAAAAAAAAA' }, table: { __rl: true, mode: 'id', value: 'tblBBBBBBBBBBBBBB' }, authentication: 'airtableOAuth2Api', operation: 'create', options: {},
});
const columns = (more) => ({ columns: { mappingMode: 'defineBelow', value: { Name: '={{ $json.n }}', Age: '36' }, matchingColumns: [], attemptToConvertTypes: false, convertFieldsToString: false,
  schema: [{ id: 'Name', displayName: 'Name', type: 'string', display: true }, { id: 'Age', displayName: 'Age', type: 'number', display: true }], ...more } });
const record = { body: { id: 'rec00000000000001', createdTime: '2026-01-02T03:04:05.000Z', fields: { Name: 'Ada' } } };
const others = [
  set34('true and false', { ...fields(field('a', 'boolean', true), field('b', 'boolean', false), field('c', 'boolean', '=true'), field('d', 'boolean', '={{ $json.n }}')), options: {} }),
  set34('a path with dots', { ...fields(field('a.b', 'string', 'x')), options: { dotNotation: true } }),
  set34('a name with a dot', { ...fields(field('a.b', 'string', 'x')), options: { dotNotation: false } }),
  set34('ignored conversion errors', { ...fields(field('a', 'number', 'x'), field('b', 'boolean', 'x')), options: { ignoreConversionErrors: true } }),
  if1('no conditions of a type', { conditions: { boolean: [], string: [{ value1: '={{ $json.name }}', value2: 'Ada' }], number: [] } }, { input: people }),
  if1('no conditions', { conditions: { boolean: [] } }, { input: people }),
  if1('a condition that is empty', { conditions: { string: [{}] } }, { input: people }),
  when('a condition that is empty', { conditions: { options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 }, combinator: 'and', conditions: [{ id: '1', leftValue: '', rightValue: '', operator: { type: 'string', operation: 'equals' } }] }, options: {} }, { input: people }),
  filter('the type of the right value', { conditions: { ...named(['={{ $json.tags }}', 'array', 'contains', 'a']), conditions: [{ id: '1', leftValue: '={{ $json.tags }}', rightValue: 'a', operator: { type: 'array', operation: 'contains', rightType: 'any' } }] }, options: {} }, { input: strict }),
  single('html', 1.2)('another property', { operation: 'extractHtmlContent', dataPropertyName: 'page', extractionValues: { values: [{ key: 'title', cssSelector: 'h1' }] }, options: {} }, { input: [{ page: '<h1>Hi</h1>' }] }),
  single('convertToFile', 1.1)('a type of a file', { operation: 'toText', sourceProperty: 'data', options: { fileName: 'a.html', mimeType: 'text/html' } }, { input: [{ data: '<p>a</p>' }] }),
  single('convertToFile', 1.1)('a file of base64 with a type', { operation: 'toBinary', sourceProperty: 'data', options: { fileName: 'a.txt', mimeType: 'text/plain' } }, { input: [{ data: 'SGk=' }] }),
  single('rssFeedRead', 1.1)('certificates', { url: 'https://news.example/feed', options: { ignoreSSL: false } }, { http: { body: '<rss version="2.0"><channel><item><title>A</title></item></channel></rss>', headers: { 'content-type': 'application/rss+xml' } } }),
  single('graphql', 1.1)('a credential of a header', { endpoint: 'https://api.example/graphql', authentication: 'headerAuth', requestFormat: 'json', query: '{ a }', variables: '' }, { http: { body: { data: { a: 1 } } }, more: credentials('httpHeaderAuth') }),
  http1('a credential of a header', { url: URL, authentication: 'headerAuth', options: {} }, { http: json, more: credentials('httpHeaderAuth') }),
  http2('a generic credential', { url: URL, authentication: 'genericCredentialType', genericAuthType: 'httpBasicAuth', options: {} }, { http: json, more: credentials('httpBasicAuth') }),
  http1('a file', { url: 'https://api.example/a.txt', responseFormat: 'file', dataPropertyName: 'data', options: {} }, { http: text }),
  table('columns without conversion', columns(), { http: record, input: [{ n: 'Ada' }] }),
  table('columns of many types', { columns: { mappingMode: 'defineBelow', matchingColumns: [], value: { Age: '={{ $json.age }}', Done: '={{ $json.done }}', Day: '={{ $json.day }}', Tags: '={{ $json.tags }}', Left: '={{ $json.left }}', Note: '={{ $json.age }}' },
    schema: [['Age', 'number'], ['Done', 'boolean'], ['Day', 'dateTime'], ['Tags', 'array'], ['Left', 'number'], ['Note', 'string']].map(([id, type]) => ({ id, displayName: id, type })) } },
  { http: record, input: [{ age: '36', done: 'true', day: '2026-03-14', tags: '["a"]', left: '' }] }),
  table('a column that cannot be converted', columns({ value: { Age: '={{ $json.n }}' } }), { http: record, input: [{ n: 'many' }] }),
  table('a column that cannot be converted, with typecast', { ...columns({ value: { Age: '={{ $json.n }}' } }), options: { typecast: true } }, { http: record, input: [{ n: 'many' }] }),
  table('columns as texts', columns({ attemptToConvertTypes: true, convertFieldsToString: true }), { http: record, input: [{ n: 5 }] }),
  reads('github', 1.1, 'githubOAuth2Api', { authentication: 'oAuth2', owner: { __rl: true, mode: 'name', value: 'acme' }, repository: { __rl: true, mode: 'name', value: 'app' } })('OAuth', { resource: 'issue', operation: 'get', issueNumber: 7 }, { http: { body: { number: 7 } } }),
  reads('telegram', 1.2, 'telegramApi', { chatId: '7', text: 'Hi' })('without the attribution', { additionalFields: { appendAttribution: false, parse_mode: 'HTML' } }, { http: { body: { ok: true, result: { message_id: 1 } } } }),
];

export const cases = [...older, ...newer, ...compared, ...ignored, ...firstIf, ...others];
