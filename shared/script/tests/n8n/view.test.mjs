// What scripts see of items and other nodes.

import assert from 'node:assert/strict';
import test from 'node:test';
import * as loaded from './load.mjs';

const { n8n, show } = loaded;

const nodes = {
  Start: { id: 'start', outputs: [[{ json: { n: 1 } }, { json: { n: 2 } }]], port: 0, paired: [1, null], parameters: { p: 1 } },
  If: { id: 'if', outputs: [[{ json: { t: 1 } }], [{ json: { f: 1 } }, { json: { f: 2 } }]], port: 1, paired: [0, 1] },
  Empty: { id: 'empty', outputs: [[]], port: 0, paired: [null, null] },
};
const showNodes = (more = {}) => show([{ a: 1 }, { a: 2 }], { nodes: structuredClone(nodes), previous: { name: 'If', port: 1 }, ...more });

test('the item of the execution', () => {
  showNodes({ index: 1 });
  assert.deepEqual([$json, $itemIndex, $input.item.json, item.json, $binary], [{ a: 2 }, 1, { a: 2 }, { a: 2 }, {}]);
  assert.deepEqual([$input.first().json, $input.last().json, $input.all().length, items.length, $inputs.length], [{ a: 1 }, { a: 2 }, 2, 2, 1]);
  assert.equal($input.all(), items);
  assert.throws(() => $input.first(0), { message: '$input.first() should have no arguments' });
});

test('without items', () => {
  show([]);
  assert.throws(() => $json, { message: "Node 'Show' hasn't been executed" });
  assert.throws(() => $input.all(), { message: 'No execution data available' });
});

test('$("name")', () => {
  showNodes();
  assert.deepEqual($('Start').item.json, { n: 2 });
  assert.deepEqual([$('Start').first().json, $('Start').last().json, $('Start').all().length], [{ n: 1 }, { n: 2 }, 2]);
  assert.deepEqual([$('If').first().json, $('If').all(0).length, $('If').last(0).json], [{ f: 1 }, 1, { t: 1 }]);
  assert.deepEqual([$('If').itemMatching(1).json, $('If').pairedItem(1).json, $('If').pairedItem().json], [{ f: 2 }, { f: 2 }, { f: 1 }]);
  assert.deepEqual([$('Start').isExecuted, $('Nope').isExecuted, $('Start').params, $('If').params], [true, false, { p: 1 }, {}]);
  assert.deepEqual([$('Empty').first(), $('Empty').last(), $('Empty').all()], [undefined, undefined, []]);
  assert.deepEqual($().first().json, { f: 1 });
});

test('the errors of $("name")', () => {
  showNodes();
  for (const read of [() => $('Nope').item, () => $('Nope').first(), () => $('Nope').all()]) {
    assert.throws(read, { message: "Node 'Nope' hasn't been executed" });
  }
  assert.throws(() => $('Start').itemMatching(), { message: 'Missing item index for .itemMatching()' });
  assert.throws(() => $('Start').itemMatching(1), {
    message: "Paired item data for itemMatching from node 'If' is unavailable. Ensure 'If' is providing the required output.",
  });
  assert.throws(() => $('Start').itemMatching(7), { message: 'Can’t get data for expression' });
  assert.throws(() => $('Start').all(3), { message: 'Node "Start" has no branch with index 3.' });
  assert.throws(() => $('Start').all(0, 2), { message: 'Run 2 of node "Start" not found' });
  showNodes({ runIndex: 2 });
  assert.equal($('Start').all(0, $runIndex).length, 2);
  assert.throws(() => $('Start').all(0, 1), { message: 'Run 1 of node "Start" not found' });
  showNodes({ nodes: { A: { ...nodes.Start, paired: [[0, 1], [1, 1]] }, B: { ...nodes.Start, paired: ['Code', [0]] }, C: { outputs: [[]] } } });
  assert.throws(() => $('A').item, { message: 'Multiple matches found' });
  assert.deepEqual([$('A').itemMatching(1).json, $('B').itemMatching(1).json], [{ n: 2 }, { n: 1 }]);
  assert.throws(() => $('B').item, { message: /^Paired item data for item from node 'Code' is unavailable/ });
  assert.throws(() => $('C').item, { message: 'Invalid expression' });
});

test('$node["name"] has the item with the same index', () => {
  showNodes({ index: 1 });
  assert.deepEqual([$node.Start.json, $node['If'].json, $node.Start.runIndex, $node.Nope.runIndex], [{ n: 2 }, { f: 2 }, 0, -1]);
  assert.deepEqual([$node.Start.parameter, $node.Start.binary], [{ p: 1 }, {}]);
  assert.throws(() => $node.Nope.json, { message: "Node 'Nope' hasn't been executed" });
  assert.throws(() => $node.Empty.json, { message: "Node 'Empty' hasn't been executed" });
  showNodes({ nodes: { One: { outputs: [[{ json: {} }]] } }, index: 1 });
  assert.throws(() => $node.One.json, { message: '"One" node has 1 item(s) but you\'re trying to access item 1' });
});

test('$items and $item', () => {
  showNodes();
  assert.deepEqual([$items().length, $items('If').length, $items('If', 1).length, $items('If', 1, 0)[1].json], [2, 1, 2, { f: 2 }]);
  assert.deepEqual([$item(1).$json, $item(1).$node.Start.json, $item(1).$itemIndex, $itemIndex], [{ a: 2 }, { n: 2 }, 1, 0]);
});

test('the workflow and the execution', () => {
  showNodes({ node: { id: 'x', name: 'Show', version: 3.4, parameters: { mode: 'raw' } }, runIndex: 2 });
  assert.deepEqual([$workflow, $prevNode], [{ id: 'w', name: 'W', active: true }, { name: 'If', outputIndex: 1, runIndex: 0 }]);
  assert.deepEqual([$execution.id, $execution.mode, $mode, $runIndex, $nodeVersion, $parameter.mode], ['e', 'production', 'production', 2, 3.4, 'raw']);
  $execution.customData.set('a', 1);
  assert.deepEqual([$execution.customData.get('a'), $execution.customData.getAll()], [1, { a: 1 }]);
  assert.deepEqual([$vars.x, $env.x, $secrets.x, $getWorkflowStaticData('global')], [undefined, undefined, undefined, {}]);
  $getWorkflowStaticData('node').count = 1;
  assert.deepEqual([$getWorkflowStaticData('node'), getWorkflowStaticData('node')], [{ count: 1 }, { count: 1 }]);
  show([{}], { previous: null });
  assert.deepEqual($prevNode, {});
});

test('dates are in the zone of the workflow, and luxon is loaded when it is used', () => {
  const before = loaded.loads;
  show([{}], { zone: 'Asia/Tokyo' });
  assert.equal(n8n.value(() => 1 + 1), 2);
  assert.equal(loaded.loads, before);
  assert.deepEqual([$now.zoneName, DateTime.now().zoneName, $today.hour, $now === $now], ['Asia/Tokyo', 'Asia/Tokyo', 0, true]);
  assert.equal(Duration.fromObject({ hours: 1 }).as('minutes'), 60);
  assert.equal(loaded.loads, 1);
});

test('files have the names of n8n beside their own', () => {
  const file = { base64: Buffer.from('hello').toString('base64'), contentType: 'text/plain', name: 'a.txt' };
  show([], { items: [{ json: {}, binary: { data: { ...file } } }] });
  const { data } = $binary;
  assert.deepEqual([data.data, data.mimeType, data.fileName, data.fileExtension, data.fileType, data.fileSize], [file.base64, 'text/plain', 'a.txt', 'txt', 'text', '5 B']);
  data.fileName = 'b.txt';
  assert.equal(JSON.stringify(data), JSON.stringify({ ...file, name: 'b.txt' }));
});

test('a script may replace the variables', () => {
  show([{ a: 1 }]);
  globalThis.items = [1];
  globalThis.$json = 5;
  assert.deepEqual([items, $json], [[1], 5]);
});

test('withItem sets the item for the time of a call', async () => {
  showNodes();
  assert.equal(n8n.withItem(1, () => $json.a), 2);
  assert.throws(() => n8n.withItem(1, () => { throw new Error('x'); }), { message: 'x' });
  assert.equal($json.a, 1);
  const later = n8n.withItem(1, async () => {
    await null;
    return $json.a;
  });
  assert.equal(await later, 2);
  assert.equal($json.a, 1);
});

test('each runs code for each item, one after the other', async () => {
  showNodes();
  const results = await n8n.each(async () => {
    const { a } = $json;
    await null;
    return { same: a === $json.a, index: $itemIndex };
  });
  assert.deepEqual(results, [{ json: { same: true, index: 0 }, pairedItem: { item: 0 } }, { json: { same: true, index: 1 }, pairedItem: { item: 1 } }]);
});

test('what code for each item may return', async () => {
  show([{}]);
  const result = async (value) => n8n.each(async () => value);
  const pairedItem = { item: 0 };
  for (const nothing of [null, undefined, 0, '']) assert.deepEqual(await result(nothing), []);
  assert.deepEqual(await result({ json: { x: 1 }, pairedItem: 5 }), [{ json: { x: 1 }, pairedItem }]);
  assert.deepEqual(await result({ binary: { f: {} } }), [{ json: {}, pairedItem, binary: { f: {} } }]);
  assert.deepEqual(await result(items[0]), [{ json: {}, pairedItem }]);
  for (const wrong of ['x', [{ json: {} }], { json: 5 }, { json: null }, true, new Date(0)]) {
    await assert.rejects(result(wrong), { message: "A 'json' property isn't an object [item 0]" });
  }
});

test('what becomes of an item whose code throws', async () => {
  showNodes();
  const run = async () => {
    if ($itemIndex === 0) throw new Error('boom');
    return { i: $itemIndex };
  };
  const [first, second] = [{ item: 0 }, { item: 1 }];
  await assert.rejects(n8n.each(run), { message: 'boom' });
  assert.deepEqual(await n8n.each(run, 'item'), [{ json: { error: 'boom' }, pairedItem: first }, { json: { i: 1 }, pairedItem: second }]);
  assert.deepEqual(await n8n.each(run, 'branch'), {
    out: [{ json: { i: 1 }, pairedItem: second }],
    error: [{ json: { a: 1, error: 'boom' }, pairedItem: first }],
  });
});

test('batches of the items', () => {
  show([{ a: 1 }, { a: 2 }, { a: 3 }]);
  assert.deepEqual(n8n.batches(2).map((batch) => batch.length), [2, 1]);
});
