// What nodes with code may return, and what becomes of it.

import { code, codeEach, node, noOp, start, workflow } from './build.mjs';

const two = [{ a: 1 }, { a: 2 }];
const run = (name, step, input = two) => ({ name, workflow: workflow([start(), step], [['Start', step.name]]), input });
const all = (name, source) => run(`code for all items: ${name}`, code('Code', source));
const each = (name, source) => run(`code for each item: ${name}`, codeEach('Code', source));
const old = (name, source) => run(`function: ${name}`, node('Code', 'function', 1, { functionCode: source }));
const item = (name, source) => run(`function item: ${name}`, node('Code', 'functionItem', 1, { functionCode: source }));

export const cases = [
  all('items', 'return [{ json: { b: 1 } }, { json: { b: 2 } }]'),
  all('objects of data', 'return [{ b: 1 }, { b: 2 }, { b: 3 }]'),
  all('one object', 'return { b: 1 }'),
  all('one item', 'return { json: { b: 1 } }'),
  all('the input, changed', 'for (const item of $input.all()) item.json.b = item.json.a * 2;\nreturn $input.all();'),
  all('the input in another order', 'return [items[1], items[0]]'),
  all('null gives no items', 'return null'),
  all('nothing is an error', 'const a = 1;'),
  all('a number is an error', 'return 5'),
  all('a list of numbers is an error', 'return [1, 2]'),
  all('a list in a list is an error', 'return [[{ json: {} }]]'),
  all('json that is no object is an error', 'return [{ json: 5 }]'),
  all('json that is null is an error', 'return [{ json: null }]'),
  all('items and objects of data are an error', 'return [{ json: { b: 1 } }, { c: 2 }]'),
  all('an item with an unknown field is an error', 'return [{ json: { b: 1 }, x: 1 }]'),
  all('an item that says where it comes from', 'return [{ json: { b: 1 }, pairedItem: 1 }, { json: { b: 2 }, pairedItem: { item: 0 } }]'),
  all('an item without json has empty data', 'return [{ pairedItem: 0 }]'),
  all('it may wait', 'const order = [];\nconst wait = (ms) => new Promise((resolve) => setTimeout(() => resolve(order.push(ms)), ms));\nawait Promise.all([wait(20), wait(5)]);\nreturn [{ order }];'),
  all('dates become texts', 'return [{ at: new Date(0), none: undefined, number: NaN }]'),
  each('an object of data', 'return { b: $json.a * 2 }'),
  each('an item', 'return { json: { b: $json.a * 2 } }'),
  each('the item itself, changed', '$input.item.json.b = $itemIndex;\nreturn $input.item;'),
  each('the first item of all is refused', 'return { b: $input.first().json.a };'),
  each('a comment may name all items', '  // $input.all()\nreturn { b: 1 };'),
  each('the first item of another node', 'return { b: $("Start").first().json.a, n: $json.a };'),
  each('null drops the item', 'return $itemIndex === 0 ? null : { b: 1 }'),
  each('nothing drops the item', 'if ($itemIndex === 0) return { b: 1 }'),
  each('a list is an error', 'return [{ json: { b: 1 } }]'),
  each('a number is an error', 'return 5'),
  each('json that is a list is an error', 'return { json: [1] }'),
  each('it cannot say where it comes from', 'return { json: { b: 1 }, pairedItem: 1 }'),
  each('other fields beside json are dropped', 'return { json: { b: 1 }, c: 2 }'),
  each('it may wait', 'await Promise.resolve();\nreturn { b: $json.a };'),
  old('the input', 'items[0].json.b = 1;\nreturn items;'),
  old('objects of data', 'return [{ b: 1 }]'),
  old('one item', 'return { json: { b: 1 } }'),
  old('more items than it got', 'items.push({ json: { n: 1 } });\nreturn items;'),
  old('other fields are dropped', 'return [{ json: { b: 1 }, x: 2 }]'),
  item('the data of the item', 'item.b = item.a * 2;\nreturn item;'),
  item('other data', 'return { b: $json.a, i: $itemIndex };'),
  item('json is a field as any other', 'return { json: { b: 1 } };'),
  item('nothing is an error', 'item.b = 1;'),
  { name: 'noOp: passes its items on', workflow: workflow([start(), noOp('Pass')], [['Start', 'Pass']]), input: two },
];
