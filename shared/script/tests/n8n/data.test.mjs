// What the recorded workflows do not show of the data nodes: random order, code, and nodes that go on after an error.

import assert from 'node:assert/strict';
import test from 'node:test';
import { n8n, show } from './load.mjs';

const json = (items) => items.map((item) => item.json);
const numbers = [{ n: 2 }, { n: 10 }, { n: 1 }];

test('sort by the code of a user', () => {
  show(numbers);
  const items = n8n.sort({ type: 'code', code: (a, b) => { return a.json.n - b.json.n; } }, 1);
  assert.deepEqual(json(items), [{ n: 1 }, { n: 2 }, { n: 10 }]);
  assert.deepEqual(items.map((item) => item.pairedItem), [{ item: 2 }, { item: 0 }, { item: 1 }]);
});

test('a long list is sorted, and equal items keep their order', () => {
  show(Array.from({ length: 1000 }, (_, i) => ({ n: (i * 7) % 10, i })));
  const items = json(n8n.sort({ sortFieldsUi: { sortField: [{ fieldName: 'n' }] } }, 1));
  for (let i = 1; i < items.length; i++) {
    const [before, after] = [items[i - 1], items[i]];
    assert(before.n < after.n || (before.n === after.n && before.i < after.i));
  }
});

test('a random order has all items', () => {
  show(numbers);
  assert.deepEqual(json(n8n.sort({ type: 'random' }, 1)).map(({ n }) => n).sort(), [1, 10, 2]);
});

test('a node that fails as a whole passes its input on', () => {
  show(numbers);
  const fails = () => n8n.sort({ sortFieldsUi: { sortField: [{ fieldName: 'missing' }] } }, 1);
  assert.throws(fails, /Couldn't find the field 'missing'/);
  assert.deepEqual(json(n8n.tolerate(fails, 'item')), numbers);
  const { out, error } = n8n.tolerate(fails, 'branch');
  assert.deepEqual([json(out), error], [numbers, []]);
});

test('code passes on items whose data are texts or numbers', async () => {
  show(['a', 7, ['error']]);
  const items = ['a', 7, ['error']].map((json, item) => ({ json, pairedItem: { item } }));
  assert.deepEqual(await n8n.all(() => 5, 'branch'), { out: items, error: [] });
});

test('duplicates of earlier runs, and SQL over items, are refused', () => {
  show(numbers);
  assert.throws(() => n8n.removeDuplicates({ operation: 'removeItemsSeenInPreviousExecutions' }, 2), /not supported/);
  assert.throws(() => n8n.merge({ mode: 'combineBySql' }, 3.1), /not supported/);
});

test('the files of aggregated items get new names if they clash', () => {
  const file = { base64: 'aGk=', contentType: 'text/plain', name: 'a.txt' };
  n8n.install({ items: [1, 2].map((n) => ({ json: { n }, binary: { data: file } })), index: 0, nodes: {}, zone: 'UTC' });
  const gather = (options) => n8n.aggregate({ aggregate: 'aggregateAllItemData', options }, 1)[0];
  assert.deepEqual(Object.keys(gather({ includeBinaries: true }).binary), ['data', 'data_1']);
  assert.deepEqual(Object.keys(gather({ includeBinaries: true, keepOnlyUnique: true }).binary), ['data']);
});

test('a node that runs once receives the first item, and its expressions see all', () => {
  show(numbers);
  const parameters = { mode: 'raw', jsonOutput: () => ({ n: globalThis.$json.n, count: globalThis.$input.all().length }) };
  assert.deepEqual(json(n8n.once(() => n8n.set(parameters, 3.4))), [{ n: 2, count: 3 }]);
  assert.equal(n8n.received().length, 3);
});

test('items name their place, so that they can be passed on', () => {
  show(numbers, { itemIndex: 4 });
  assert.deepEqual(globalThis.$input.all().map((item) => item.pairedItem.item), [4, 5, 6]);
});
