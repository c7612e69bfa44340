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
  assert.deepEqual(json(answer([null, 'x', [2]])), [{}, { data: 'x' }, { data: [2] }]);
  assert.deepEqual(json(answer([{ json: { a: 1 } }])), [{ json: { a: 1 } }]);
  assert.deepEqual(json(answer(null)), [{}]);
});

test('texts', () => {
  assert.deepEqual(json(answer('hi', { 'content-type': 'text/plain' })), [{ data: 'hi' }]);
  assert.deepEqual(json(answer('{"a":1}', { 'content-type': 'text/plain' })), [{ data: '{"a":1}' }]);
  assert.deepEqual(json(answer(null, {}, 204)), [{}]);
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

test('a body of JSON', () => {
  assert.deepEqual(n8n.jsonBody('{"a": [1]}'), { a: [1] });
  assert.deepEqual(n8n.jsonBody({ a: 1 }), { a: 1 });
  assert.throws(() => n8n.jsonBody('{a: 1}'), { message: 'JSON parameter needs to be valid JSON' });
});
