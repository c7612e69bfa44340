// What the HTTP Request node makes of answers and of the parts of a request, as n8n gave it.

import assert from 'node:assert/strict';
import test from 'node:test';
import { n8n, show } from './load.mjs';

const JSON_TYPE = { 'content-type': 'application/json' };
const answer = (body, headers = JSON_TYPE, status = 200) => ({ status, headers, body });
const items = (output, options) => {
  show([{ id: 1 }]);
  return n8n.httpItems(output, options);
};
const json = (output, options) => items(output, options).map((item) => item.json);

test('JSON', () => {
  assert.deepEqual(json(answer({ a: 1 })), [{ a: 1 }]);
  assert.deepEqual(json(answer([{ a: 1 }, { b: 2 }])), [{ a: 1 }, { b: 2 }]);
  assert.deepEqual(json(answer([])), []);
  assert.deepEqual(json(answer([null, 'x', [2]])), [{}, 'x', [2]]);
  assert.deepEqual(json(answer(7)), [7]);
  assert.deepEqual(json(answer([{ json: { a: 1 } }])), [{ json: { a: 1 } }]);
  assert.deepEqual(json(answer(null)), [{}]);
});

test('a body that is missing', () => {
  const invalid = { message: 'Invalid JSON in response body' };
  const missing = [answer(null, { ...JSON_TYPE, 'content-length': '0' }), answer(null, JSON_TYPE, 204), answer('')];
  for (const output of missing) {
    assert.throws(() => json(output), invalid);
    assert.throws(() => json(output, { fullResponse: true }), invalid);
    assert.throws(() => json(output, { responseFormat: 'json' }), { message: "Cannot read properties of undefined (reading 'data')" });
    assert.deepEqual(json(output, { neverError: true }), [{}]);
    assert.deepEqual(json(output, { isOld: true, responseFormat: 'json' }), [{}]);
  }
  assert.deepEqual(json(answer('{"a":', JSON_TYPE), { neverError: true }), [{}]);
  assert.deepEqual(json(answer(null, { ...JSON_TYPE, 'content-length': '4' })), [{}]);
});

test('the first versions of the node', () => {
  const old = (output, more) => json(output, { isOld: true, responseFormat: 'json', ...more });
  assert.deepEqual(old(answer([1, 2])), [[1, 2]]);
  assert.deepEqual(old(answer([{ a: 1 }, { a: 2 }]), { splitsLists: true }), [{ a: 1 }, { a: 2 }]);
  assert.throws(() => old(answer('hi', { 'content-type': 'text/plain' })), { message: /Change "Response Format" to "String"$/ });
  assert.deepEqual(old(answer('{"a":1}', { 'content-type': 'text/plain' }), { responseFormat: 'text' }), [{ data: { a: 1 } }]);
});

test('texts', () => {
  assert.deepEqual(json(answer('hi', { 'content-type': 'text/plain' })), [{ data: 'hi' }]);
  assert.deepEqual(json(answer('{"a":1}', { 'content-type': 'text/plain' })), [{ data: '{"a":1}' }]);
  assert.deepEqual(json(answer(null, {}, 204)), [{}]);
  assert.deepEqual(json(answer('{"a": 1}'), { responseFormat: 'text' }), [{ data: '{"a":1}' }]);
  assert.deepEqual(json(answer([1], JSON_TYPE), { responseFormat: 'text', outputPropertyName: 'q' }), [{ q: '[1]' }]);
  assert.deepEqual(json(answer('{"a":1}', { 'content-type': 'text/plain' }), { responseFormat: 'json' }), [{ a: 1 }]);
  assert.throws(() => json(answer('hello', { 'content-type': 'text/plain' }), { responseFormat: 'json' }),
    { message: 'Response body is not valid JSON. Change "Response Format" to "Text"' });
});

test('files', () => {
  const png = answer({ base64: 'iVBORw0KGgo=', contentType: 'image/png' }, { 'content-type': 'image/png' });
  const file = { base64: 'iVBORw0KGgo=', contentType: 'image/png' };
  assert.deepEqual(items(png, { url: 'https://x.io/a/b.png?c' }), [{ json: { id: 1 }, binary: { data: { ...file, name: 'b.png' } } }]);
  assert.deepEqual(items(png), [{ json: { id: 1 }, binary: { data: { ...file, name: 'data.png' } } }]);
  const named = { ...png, headers: { ...png.headers, 'content-disposition': 'attachment; filename="q.bin"' } };
  assert.equal(items(named, { url: 'https://x.io/a' })[0].binary.data.name, 'q.bin');
  assert.deepEqual(items(answer([1]), { responseFormat: 'file', outputPropertyName: 'f', url: 'https://x.io/a' })[0].binary,
    { f: { base64: 'WzFd', contentType: 'application/json', name: 'a' } });
});

test('the whole answer', () => {
  const rest = { headers: JSON_TYPE, statusCode: 201, statusMessage: 'Created' };
  assert.deepEqual(json(answer([{ a: 1 }], JSON_TYPE, 201), { fullResponse: true }), [{ body: [{ a: 1 }], ...rest }]);
  const headers = { 'content-type': 'text/plain' };
  assert.deepEqual(json(answer('hello', headers), { fullResponse: true }), [{ data: 'hello', headers, statusCode: 200, statusMessage: 'OK' }]);
});

test('errors', async () => {
  const missing = answer({ message: 'none' }, JSON_TYPE, 404);
  const shown = { message: '404 - "{\\"message\\":\\"none\\"}"', name: 'AxiosError', code: 'ERR_BAD_REQUEST', status: 404 };
  assert.throws(() => items(missing), { message: shown.message, fields: shown });
  assert.throws(() => items(missing, { responseFormat: 'json' }), { message: '404 - {"message":"none"}' });
  assert.throws(() => items(answer('oops', {}, 500)), { fields: { message: '500 - "oops"', name: 'AxiosError', code: 'ERR_BAD_RESPONSE', status: 500 } });
  assert.deepEqual(json(missing, { neverError: true }), [{ message: 'none' }]);

  const outputs = [{ index: 0, output: answer({ a: 1 }) }, { index: 1, output: missing }];
  const run = (keepsErrors) =>
    n8n.run({ items: [{ json: {} }, { json: {} }], nodes: {}, outputs, keepsErrors }, () => n8n.httpItems(output));
  assert.deepEqual(await run(true), [[{ json: { a: 1 } }], { json: {}, error: shown }]);
  await assert.rejects(run(false), { message: shown.message });

  assert.deepEqual(n8n.callError({ code: 'connection_cut', message: 'it broke' }), { message: 'socket hang up', name: 'Error', code: 'ECONNRESET' });
  assert.deepEqual(n8n.callError({ code: 'timeout', message: 'too slow' }), { message: 'too slow', name: 'Error', code: 'ECONNABORTED' });
  assert.equal(n8n.callError({ code: 'invalid_response', message: 'x' }), 'Invalid JSON in response body');
  assert.equal(n8n.callError({ code: 'invalid_url', message: 'config.url: wrong' }), 'config.url: wrong');
  assert.equal(n8n.callError({ code: 'code_error', message: 'config.body.value: Error: not (so)\nvalid (line 1, column 14)' }), 'not (so)\nvalid');
});

test('cookies are a list', () => {
  const headers = { 'set-cookie': 'a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT, b=2' };
  const [{ headers: shown }] = json(answer({}, headers), { fullResponse: true, responseFormat: 'json' });
  assert.deepEqual(shown, { 'set-cookie': ['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2'] });
});

test('addresses', () => {
  assert.equal(n8n.url('https://x.io'), 'https://x.io');
  assert.throws(() => n8n.url('x.io'), { message: 'Invalid URL: x.io. URL must start with "http" or "https".' });
  for (const [value, type] of [[undefined, 'undefined'], [null, 'null'], [7, 'number']]) {
    assert.throws(() => n8n.url(value), { message: `URL parameter must be a string, got ${type}` });
  }
});

test('queries and forms', () => {
  const pairs = [['a', 'x y'], ['none', null], ['missing', undefined], ['tags', ['x', 'y']], ['filter', { b: { c: 2 } }]];
  const query = 'a=x%20y&none=&tags%5B0%5D=x&tags%5B1%5D=y&filter%5Bb%5D%5Bc%5D=2';
  assert.equal(n8n.withQuery('https://x.io/?p=1#top', pairs), `https://x.io/?p=1&${query}#top`);
  assert.equal(n8n.formText(pairs), query);
  assert.equal(n8n.withQuery('https://x.io', [['tags', ['x', 'y']]], 'repeat'), 'https://x.io?tags=x&tags=y');
  assert.equal(n8n.withQuery('https://x.io', [['tags', ['x', 'y']]], 'brackets'), 'https://x.io?tags%5B%5D=x&tags%5B%5D=y');
  assert.equal(n8n.withQuery('https://x.io', '{"a": 1}'), 'https://x.io?a=1');
});

test('a body of JSON', () => {
  assert.deepEqual(n8n.jsonBody('{"a": [1]}'), { a: [1] });
  assert.deepEqual(n8n.jsonBody({ a: 1 }), { a: 1 });
  assert.throws(() => n8n.jsonBody('{a: 1}'), { message: 'JSON parameter needs to be valid JSON' });
  assert.deepEqual(n8n.responseBody('{"a": 1}'), { a: 1 });
  assert.throws(() => n8n.responseBody('{a: 1}'), { message: "Invalid JSON in 'Response Body' field" });
});
