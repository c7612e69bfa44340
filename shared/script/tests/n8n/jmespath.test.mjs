// Queries of JMESPath: each row is a query and what it finds.

import assert from 'node:assert/strict';
import test from 'node:test';
import { n8n } from './load.mjs';

const data = {
  a: { b: { c: [1, 2, 3] }, n: null },
  people: [{ name: 'Bob', age: 20, tags: ['x', 'y'] }, { name: 'Al', age: 30 }, { name: 'Cy', age: 25, tags: [] }],
  nested: [[1, [2]], [3], 4, []],
  map: { x: { v: 1 }, y: { v: 2 }, z: 3 },
  'two words': 'w',
  text: 'hello',
};
const check = (name, rows) =>
  test(name, () => {
    for (const [query, expected] of rows) assert.deepEqual(n8n.jmespath(data, query), expected, query);
  });

check('paths, indexes and slices', [
  ['a.b.c', [1, 2, 3]], ['a.b.c[0]', 1], ['a.b.c[-1]', 3], ['a.b.c[9]', null], ['a.nope.deeper', null], ['text.b', null],
  ['a.b.c[1:]', [2, 3]], ['a.b.c[:-1]', [1, 2]], ['a.b.c[::-1]', [3, 2, 1]], ['a.b.c[0:3:2]', [1, 3]], ['"two words"', 'w'], ['@.text', 'hello'],
]);
check('projections', [
  ['people[*].name', ['Bob', 'Al', 'Cy']], ['people[*].tags', [['x', 'y'], []]], ['people[].tags[]', ['x', 'y']], ['people[*].tags[0]', ['x']],
  ['map.*.v', [1, 2]], ['nested[]', [1, [2], 3, 4]], ['nested[][]', [1, 2, 3, 4]], ['people[0].*', ['Bob', 20, ['x', 'y']]],
  ['people[*].name | [0]', 'Bob'], ['people[1:].name', ['Al', 'Cy']], ['text[*]', null],
]);
check('filters and operators', [
  ['people[?age > `20`].name', ['Al', 'Cy']], ["people[?name == 'Al'].age | [0]", 30], ['people[?tags].name', ['Bob']], ['people[?!tags].name', ['Al', 'Cy']],
  ['people[?age >= `25` && age < `30`].name', ['Cy']], ["people[?name == 'Al' || name == 'Cy'].age", [30, 25]], ['people[?age != `20`] | length(@)', 2],
  ['nope || text', 'hello'], ['a.n && text', null], ['!(a.n)', true], ['(nope || a).b.c[0]', 1],
]);
check('selections and literals', [
  ['people[0].[name, age]', ['Bob', 20]], ['people[*].{n: name, "a b": age} | [1]', { n: 'Al', 'a b': 30 }], ['[text, a.b.c[0]]', ['hello', 1]],
  ["'raw \\' text'", "raw ' text"], ['`{"x": [1]}`', { x: [1] }], ['`word`', 'word'], ['nope.[a, b]', null],
]);
check('functions', [
  ['length(people)', 3], ['length(text)', 5], ['keys(map)', ['x', 'y', 'z']], ['values(a.b)', [[1, 2, 3]]], ['sum(a.b.c)', 6], ['avg(a.b.c)', 2],
  ['max(a.b.c)', 3], ['min(people[*].name)', 'Al'], ['max_by(people, &age).name', 'Al'], ['min_by(people, &age).name', 'Bob'],
  ['sort_by(people, &age)[*].name', ['Bob', 'Cy', 'Al']], ['sort(people[*].name)', ['Al', 'Bob', 'Cy']], ['reverse(a.b.c)', [3, 2, 1]],
  ['reverse(text)', 'olleh'], ["join(', ', people[*].name)", 'Bob, Al, Cy'], ["contains(text, 'ell')", true], ['contains(a.b.c, `2`)', true],
  ["starts_with(text, 'he')", true], ["ends_with(text, 'x')", false], ['to_number(`"12"`)', 12], ["to_number('x')", null], ['to_string(a.b)', '{"c":[1,2,3]}'],
  ['to_array(text)', ['hello']], ['type(map)', 'object'], ['not_null(nope, a.n, text)', 'hello'], ['merge(a.b, {d: text})', { c: [1, 2, 3], d: 'hello' }],
  ['map(&age, people)', [20, 30, 25]], ['abs(`-2`)', 2], ['ceil(`1.2`)', 2], ['floor(`1.8`)', 1], ['max(`[]`)', null],
]);

test('queries that are wrong', () => {
  for (const query of ['', 'a[', 'a..b', 'foo(', 'nope(a)', 'length(`1`)', 'a b', 'length()', 'a = b', 'a.b.c[::0]', 'sort(nested)', '"a']) {
    assert.throws(() => n8n.jmespath(data, query), Error, query);
  }
});
