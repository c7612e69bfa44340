// The messages of `JSON.parse`: those of this Node, for texts that are broken in many ways.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';

let parse;
const host = {
  charge() {},
  hide: (owner, name, value) => Object.defineProperty(owner, name, { value, writable: true, configurable: true }),
  replace: (owner, name, create) => { parse = create(owner[name]); },
  uncurry: (native) => (self, ...args) => Reflect.apply(native, self, args),
};
(0, eval)(readFileSync(new URL('../../src/prelude/json.js', import.meta.url), 'utf8'))(host);

// Older versions of Node have no lines in their messages.
const attempt = (read, text) => {
  try {
    return JSON.stringify(read(text));
  } catch (error) {
    return `${error.name}: ${error.message.replace(/ \(line \d+ column \d+\)$/, '')}`;
  }
};
const compare = (text) => {
  const [given, expected] = [attempt(parse, text), attempt(JSON.parse, text)];
  // Node 24 names the colon that is missing, older versions the character that they found.
  const isColon = expected.startsWith("SyntaxError: Expected ':' after property name");
  if (isColon) assert.match(given, /^SyntaxError: (?:Unexpected|Expected|Unterminated)/, JSON.stringify(text));
  else assert.equal(given, expected, JSON.stringify(text));
};

test('texts that are broken by hand', () => {
  const texts = ['', ' ', 'NaN', 'undefined', '[object Object]', '-', '01', '1.', '1ex', 'nul', 'null"', 'tru1', '"\\u12', '"\\', '"\n"', '{"a":1,}', "{'a': 1}"];
  texts.forEach(compare);
});

test('each text that is cut, or has another character at some place', () => {
  const whole = JSON.stringify({ a: [1, 2.5, { b: 'é "😀"', c: null }], d: true, e: -1e-7, 'a longer name': 'x\n' });
  for (let at = 0; at <= whole.length; at++) {
    compare(whole.slice(0, at));
    compare(whole.slice(0, at) + whole.slice(at + 1));
    for (const part of ['"', ',', ':', '}', ']', '{', '1', '-', 'n', '\\', '\n', 'ü']) compare(whole.slice(0, at) + part + whole.slice(at));
  }
});
