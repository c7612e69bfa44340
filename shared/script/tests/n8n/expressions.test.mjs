// What an expression gives alone and inside of a text.

import assert from 'node:assert/strict';
import test from 'node:test';
import { n8n, show } from './load.mjs';

const { value, text } = n8n;

test('an expression that throws gives undefined', () => {
  show([{ a: 1 }]);
  assert.equal(value(() => $json.nope.deeper), undefined);
  assert.equal(value(() => nope), undefined);
  assert.equal(value(() => $json.a()), undefined);
  assert.equal(value(() => { throw new Error('no'); }), undefined);
  assert.equal(value(() => { throw null; }), undefined);
});

test('errors of the workflow are thrown', () => {
  show([{ a: 1 }]);
  assert.throws(() => value(() => $('Nope').first()), { message: "Node 'Nope' hasn't been executed" });
  assert.throws(() => value(() => $json.a.toTitleCase()), { message: 'toTitleCase() is only callable on type "String"' });
  assert.throws(() => text`a ${() => $json.nope.toTitleCase()}`, { message: "toTitleCase can't be used on undefined value" });
  assert.throws(() => value(() => [1].chunk(0)), { message: /^chunk\(\)/ });
});

test('a locale that the sandbox does not have is an error', () => {
  const refuse = () => { throw new RangeError('The locale de-DE is not available. Use one of en-US, en-GB, en-CA.'); };
  assert.throws(() => value(refuse), RangeError);
  assert.equal(value(() => 'x'.repeat(-1)), undefined);
});

test('a function is an error, but a method that n8n adds is undefined', () => {
  show();
  assert.throws(() => value(() => 'x'.trim), { message: 'this is a function, please add ()' });
  assert.throws(() => value(() => DateTime), { message: 'this is a DateTime, please access its methods' });
  assert.equal(value(() => 'x'.toTitleCase), undefined);
  assert.equal(text`[${() => 'x'.toTitleCase}]`, '[]');
});

test('values in a text', () => {
  show([{ a: 1 }]);
  const print = (expression) => text`[${expression}]`;
  assert.equal(print(() => null), '[]');
  assert.equal(print(() => undefined), '[]');
  assert.equal(print(() => NaN), '[]');
  assert.equal(print(() => -0), '[0]');
  assert.equal(print(() => false), '[false]');
  assert.equal(print(() => 10n), '[10]');
  assert.equal(print(() => ({ a: 1 })), '[[object Object]]');
  assert.equal(print(() => [1, null, [2, undefined], {}]), '[1,,2,,[object Object]]');
  assert.equal(print(() => DateTime.fromISO('2024-01-02T03:04:05')), '[2024-01-02T03:04:05.000+01:00]');
  assert.equal(print(() => $json.nope.deeper), '[]');
  assert.equal(text`a${() => 1}b${() => 'c'}d`, 'a1bcd');
});

test('a text with a value that cannot be printed is null', () => {
  assert.equal(text`a ${() => Symbol('x')}`, null);
  assert.equal(text`a ${() => Object.create(null)}`, null);
});

test('isEmpty of a path that is missing', () => {
  show([{ none: null, list: [{}] }]);
  assert.equal(value(() => $json.nope.isEmpty()), true);
  assert.equal(value(() => $json.none.isNotEmpty()), false);
  assert.equal(value(() => !$json.list[0].nope.isEmpty()), false);
  // The import writes these with `n8n.extend`.
  assert.equal(value(() => $json.nope.isEmpty() && 5), undefined);
  assert.equal(value(() => n8n.extend($json.nope, 'isEmpty') && 5), 5);
});

test('$if takes functions, and calls the one that it chooses', () => {
  show([{ a: 1 }]);
  assert.equal(value(() => $if($json.nope, () => $json.nope.deeper, () => 'other')), 'other');
  assert.equal(value(() => $if(true, 1)), 1);
  assert.equal(value(() => $if(false, 1)), false);
  assert.throws(() => value(() => $if(true)), { message: /^\$if requires at least 2 parameters/ });
});

test('$ifEmpty, $max, $min, $average and $not', () => {
  show();
  assert.deepEqual([undefined, null, '', [], {}].map((each) => value(() => $ifEmpty(each, 'x'))), ['x', 'x', 'x', 'x', 'x']);
  assert.deepEqual([0, false, 'a', [0], { a: 1 }].map((each) => value(() => $ifEmpty(each, 'x'))), [0, false, 'a', [0], { a: 1 }]);
  assert.throws(() => value(() => $ifEmpty(1)), { message: 'expected two arguments (value, defaultValue) for this function' });
  assert.deepEqual(value(() => [$max(1, 3), $min(1, 3), $average(1, 3), $not(1)]), [3, 1, 2, false]);
  assert.deepEqual(value(() => [max(1, 3), numberList(3, 1), zip(['a'], [1])]), [3, [3, 2, 1], { a: 1 }]);
});

test('$jmespath checks its arguments', () => {
  show([{ a: { b: [1, 2] } }]);
  assert.equal(value(() => $jmespath($json, 'a.b[1]')), 2);
  assert.throws(() => value(() => $jmespath($json)), { message: 'expected two arguments (Object, string) for this function' });
  assert.throws(() => value(() => $jmespath($json, 'a.__proto__')), { message: /security/ });
  assert.equal(value(() => $jmespath($json, 'a[')), undefined);
});

test('the errors of functions without an equivalent', () => {
  show();
  assert.throws(() => value(() => $fromAI('x')), { message: /AI agent/ });
  assert.throws(() => value(() => $evaluateExpression('1')), { message: /cannot run code from a text/ });
});
