// How expressions and code reach the items of other nodes.

import { code, codeEach, conditions, noOp, node, set, show, start, when, workflow } from './build.mjs';

const people = [{ name: 'Ada', age: 36 }, { name: 'Bob', age: 20 }, { name: 'Cy', age: 50 }];
const grown = node('Grown', 'filter', 2.2, { conditions: conditions([['={{ $json.age }}', 'number', 'gt', 30]]), options: {} });

/** Start → A → Show, where A gives new items and Show has the expression. */
const seen = (name, expression, more = {}) => ({
  name: `reference: ${name}`,
  workflow: workflow([start(), set('A', { 'a:number': '={{ $json.age + 1 }}' }), show('Show', expression)], [['Start', 'A'], ['A', 'Show']]),
  input: people,
  ...more,
});

/** Start and then the nodes, one behind the other. */
const chain = (name, nodes, input = people, more = {}) => {
  const names = nodes.map((each) => each.name);
  return {
    name: `reference: ${name}`,
    workflow: workflow([start(), ...nodes], ['Start', ...names].slice(0, -1).map((from, index) => [from, names[index]])),
    input,
    ...more,
  };
};

const forms = [
  seen('$json is the item of the node before', '{ a: $json.a, name: $json.name ?? null }'),
  seen('$("name").item is the item that this one comes from', '{ name: $("Start").item.json.name }'),
  seen('$("name").first(), last() and all()', '{ first: $("Start").first().json.name, last: $("Start").last().json.name, all: $("Start").all().map((item) => item.json.name) }'),
  seen('$("name").itemMatching', '{ name: $("Start").itemMatching($itemIndex).json.name }'),
  seen('$("name").pairedItem', '{ name: $("Start").pairedItem($itemIndex).json.name }'),
  seen('$("name").isExecuted', '{ start: $("Start").isExecuted, self: $("Show").isExecuted }'),
  seen('$("name").params', '{ mode: $("A").params.mode, fields: $("A").params.assignments.assignments.length }'),
  seen('$node["name"].json', '{ name: $node["Start"].json.name, dotted: $node.Start.json["age"] }'),
  seen('$node["name"].json of the node before', '{ a: $node["A"].json.a }'),
  seen('$items()', '{ own: $items().map((item) => item.json.a), start: $items("Start").map((item) => item.json.name), of: $items("Start", 0, 0)[1].json.name }'),
  seen('$input', '{ item: $input.item.json.a, first: $input.first().json.a, last: $input.last().json.a, all: $input.all().length }'),
  seen('$item(index)', '{ a: $item(2).$json.a, node: $item(1).$node["Start"].json.name }'),
  seen('$itemIndex and $runIndex', '{ item: $itemIndex, run: $runIndex }'),
  seen('$prevNode', '{ name: $prevNode.name, output: $prevNode.outputIndex, run: $prevNode.runIndex }'),
  seen('$workflow', '{ id: $workflow.id, name: $workflow.name, active: $workflow.active }'),
  seen('$execution', '{ id: $execution.id, mode: $execution.mode, custom: typeof $execution.customData }'),
  seen('$nodeVersion, $parameter and $position', '{ version: $nodeVersion, mode: $parameter.mode, position: $position }'),
  seen('$binary of an item without files', '{ keys: Object.keys($binary) }'),
  seen('a field with a strange name', '{ v: $("Start").item.json["two words"], w: $("Start").item.json.list[1].x }', { input: [{ age: 1, 'two words': 2, list: [0, { x: 3 }] }] }),
  seen('$vars without variables', '{ v: $vars.nothing ?? null, keys: Object.keys($vars) }'),
  seen('$jmespath of other items', '{ names: $jmespath($("Start").all(), "[?json.age > `30`].json.name") }'),
  seen('the prototype of $("name").all() is a list', '{ list: Array.isArray($("Start").all()), json: JSON.stringify($("Start").all()[0].json) }'),
  seen('fields of items that do not exist are undefined', '{ a: $json.nope?.deeper ?? null, b: $("Start").item.json.nope ?? null }'),
];

const texts = [
  ['a text with two expressions', '=Hello {{ $json.name }}, {{ $json.age }}!'],
  ['an expression alone keeps its type as a text field', '={{ $json.age }}'],
  ['null and undefined in a text', '=[{{ null }}|{{ undefined }}|{{ $json.nope }}]'],
  ['objects and lists in a text', '=[{{ { a: 1 } }}|{{ [1, 2] }}]'],
  ['booleans and numbers in a text', '=[{{ true }}|{{ 0 }}|{{ 1.50 }}|{{ NaN }}]'],
  ['a text without the sign of an expression', 'Hello {{ $json.name }}'],
  ['a TypeError in a text', '=[{{ $json.nope.deeper }}]'],
  ['a TypeError alone', '={{ $json.nope.deeper }}'],
  ['a date in a text', '=[{{ new Date(0) }}|{{ DateTime.fromISO("2026-01-02T03:04:05Z").setZone("utc") }}]'],
  ['braces in an expression', '={{ ({ a: { b: 1 } }).a.b }}'],
  ['a template literal', '={{ `n: ${$json.name}` }}'],
  ['a line break in an expression', '={{ $json.name\n  .toUpperCase() }}'],
  ['a text of JSON with an expression inside of quotes', '={"name": "{{ $json.name }}", "age": {{ $json.age }}}'],
].map(([name, value]) => chain(`text: ${name}`, [set('Show', { value })], [people[0]]));

const paired = [
  chain('$execution in a manual run', [show('Show', '{ mode: $execution.mode }')], undefined, { mode: 'manual' }),
  chain('items behind a filter', [grown, show('Show', '{ name: $("Start").item.json.name, index: $itemIndex }')]),
  chain('items behind a filter and a Set node', [grown, set('A', { x: '1' }), show('Show', '{ name: $("Start").item.json.name }')]),
  chain('items behind a sort', [node('Sort', 'sort', 1, { sortFieldsUi: { sortField: [{ fieldName: 'age' }] }, options: {} }), show('Show', '{ name: $("Start").item.json.name, age: $json.age }')]),
  chain('items behind a limit', [node('Limit', 'limit', 1, { maxItems: 2, keep: 'lastItems' }), show('Show', '{ name: $("Start").item.json.name }')]),
  chain('items of a split list know the item of the list', [node('Split', 'splitOut', 1, { fieldToSplitOut: 'tags', options: {} }), show('Show', '{ tag: $json.tags, name: $("Start").item.json.name }')],
    [{ name: 'Ada', tags: ['x', 'y'] }, { name: 'Bob', tags: ['z'] }]),
  chain('an aggregated item comes from all items', [node('All', 'aggregate', 1, { aggregate: 'aggregateAllItemData', options: {} }), show('Show', '{ name: $("Start").item.json.name }')]),
  chain('an aggregated item of one item', [node('All', 'aggregate', 1, { aggregate: 'aggregateAllItemData', options: {} }), show('Show', '{ name: $("Start").item.json.name }')], [people[0]]),
  chain('code that returns other items with the same number', [code('Code', 'return $input.all().map((item) => ({ json: { n: item.json.name.length } }))'), show('Show', '{ name: $("Start").item.json.name }')]),
  chain('code that returns the items themselves, in another order', [code('Code', 'return $input.all().reverse()'), show('Show', '{ name: $("Start").item.json.name, own: $json.name }')]),
  chain('code that returns another number of items has no pairs', [code('Code', 'return $input.all().slice(1).map(({ json }) => ({ json }))'), show('Show', '{ name: $("Start").item.json.name }')]),
  chain('code that returns more items of one item', [code('Code', 'return [{ json: { a: 1 } }, { json: { a: 2 } }]'), show('Show', '{ name: $("Start").item.json.name, a: $json.a }')], [people[0]]),
  chain('code that names the pairs', [code('Code', 'return $input.all().slice(1).map((item, index) => ({ json: { n: index }, pairedItem: index + 1 }))'), show('Show', '{ name: $("Start").item.json.name }')]),
  chain('code that names the pairs as objects', [code('Code', 'return $input.all().slice(1).map((item, index) => ({ json: { n: index }, pairedItem: { item: index + 1 } }))'), show('Show', '{ name: $("Start").item.json.name }')]),
  chain('one item of several, without a pair', [code('Code', 'return [{ json: { count: $input.all().length } }]'), show('Show', '{ count: $json.count, name: $("Start").item.json.name }')]),
  chain('code for each item keeps its pairs', [codeEach('Code', 'return { json: { upper: $json.name.toUpperCase() } }'), show('Show', '{ upper: $json.upper, name: $("Start").item.json.name }')]),
  chain('a pair that is not known, but first() works', [code('Code', 'return $input.all().slice(1).map(({ json }) => ({ json }))'), show('Show', '{ name: $("Start").first().json.name }')]),
  chain('$node of another node uses the position, not the pair', [grown, show('Show', '{ name: $node["Start"].json.name, item: $("Start").item.json.name }')]),
  chain('$node of another node with fewer items', [code('Code', 'return [1, 2, 3, 4].map((n) => ({ json: { n } }))'), show('Show', '{ name: $node["Start"].json.name }')]),
  chain('the pair of an If node, by its true output', [when('If', [['={{ $json.age }}', 'number', 'gt', 30]]), show('Show', '{ name: $("If").item.json.name, all: $("If").all().length, first: $("If").first().json.name }')]),
  {
    name: 'reference: the items of an If node, behind its false output',
    workflow: workflow([start(), when('If', [['={{ $json.age }}', 'number', 'gt', 30]]), show('Show', '{ name: $("If").item.json.name, all: $("If").all().length, first: $("If").first().json.name, true: $("If").all(0).length, false: $("If").all(1).length, node: $node["If"].json.name, items: $items("If").length }')],
      [['Start', 'If'], ['If', 1, 'Show']]),
    input: people,
  },
  {
    name: 'reference: the items of an If node, two nodes behind its false output',
    workflow: workflow([start(), when('If', [['={{ $json.age }}', 'number', 'gt', 30]]), noOp('Between'), show('Show', '{ name: $("If").item.json.name, all: $("If").all().length, first: $("If").first().json.name, node: $node["If"].json.name }')],
      [['Start', 'If'], ['If', 1, 'Between'], ['Between', 'Show']]),
    input: people,
  },
  {
    name: 'reference: a node of another branch, which ran before',
    workflow: workflow([start(), code('Aside', 'return [{ json: { setting: 7 } }]', { position: [200, -200] }), show('Show', '{ name: $json.name, setting: $("Aside").first().json.setting }', { position: [200, 200] })],
      [['Start', 'Aside'], ['Start', 'Show']]),
    input: people,
  },
  {
    name: 'reference: the item of a node of another branch is not known',
    workflow: workflow([start(), code('Aside', 'return [{ json: { setting: 7 } }]', { position: [200, -200] }), show('Show', '{ name: $json.name, setting: $("Aside").item.json.setting }', { position: [200, 200] })],
      [['Start', 'Aside'], ['Start', 'Show']]),
    input: people,
  },
];

const failing = [
  {
    name: 'reference: first() of a branch without items is undefined',
    workflow: workflow([start(), code('None', 'return []', { position: [200, -200] }), show('Show', '{ first: $("None").first() ?? null, all: $("None").all().length, json: $("None").first()?.json ?? null, ran: $("None").isExecuted }', { position: [200, 200] })],
      [['Start', 'None'], ['Start', 'Show']]),
  },
  {
    name: 'reference: a field of first() of a branch without items',
    workflow: workflow([start(), code('None', 'return []', { position: [200, -200] }), set('Show', { value: '={{ $("None").first().json.a }}' }, { position: [200, 200] })],
      [['Start', 'None'], ['Start', 'Show']]),
  },
  {
    name: 'reference: isExecuted chooses between two branches',
    workflow: workflow([start(), when('If', [['={{ $json.age }}', 'number', 'gt', 30]]), set('Old', { kind: 'old' }), set('Young', { kind: 'young' }), noOp('Meet'),
      show('Show', '{ kind: $("Old").isExecuted ? $("Old").first().json.kind : $("Young").first().json.kind }')],
    [['Start', 'If'], ['If', 0, 'Old'], ['If', 1, 'Young'], ['Old', 'Meet'], ['Young', 'Meet'], ['Meet', 'Show']]),
    input: [people[1]],
  },
  chain('$node of a node that did not run', [set('Show', { value: '={{ $node["Later"].json.a }}' }), noOp('Later')], [{}]),
  chain('code: $("name") of a node that did not run', [code('Show', 'return [{ json: { value: $("Later").first().json.a } }]'), noOp('Later')], [{}]),
  chain('code: $("name") of a node that does not exist', [code('Show', 'return [{ json: { value: $("Nowhere").first().json.a } }]')], [{}]),
];

const inCode = [
  chain('code: $json and $input.item of code for all items', [code('Code', 'return [{ json: { a: $json?.name ?? null, b: $input.item?.json?.name ?? null, c: items[0].json.name } }]')]),
  chain('code: each item sees its own', [codeEach('Code', 'return { json: { name: $json.name, item: item.json.name, input: $input.item.json.name, index: $itemIndex, start: $("Start").item.json.name, node: $node["Start"].json.name } }')]),
  chain('code: what it may return', [code('Code', 'return [{ a: 1 }, { json: { b: 2 } }]')]),
  chain('code: one object', [code('Code', 'return { a: 1 }')]),
  chain('code: a list of objects without json', [code('Code', 'return [{ a: 1 }, { b: 2 }]')]),
  chain('code: null', [code('Code', 'return null'), noOp('Next')]),
  chain('code: nothing', [code('Code', 'const a = 1;'), noOp('Next')]),
  chain('code: a text', [code('Code', 'return "text"'), noOp('Next')]),
  chain('code: a number', [code('Code', 'return 7'), noOp('Next')]),
  chain('code: a list of numbers', [code('Code', 'return [1, 2]'), noOp('Next')]),
  chain('code: json is a list', [code('Code', 'return [{ json: [1, 2] }]'), noOp('Next')]),
  chain('code: json is a text', [code('Code', 'return [{ json: "text" }]'), noOp('Next')]),
  chain('code: unknown keys beside json', [code('Code', 'return [{ json: { a: 1 }, other: 2 }]'), noOp('Next')]),
  chain('code: a date and undefined in json', [code('Code', 'return [{ json: { date: new Date(0), none: undefined, fn: () => 1, nan: NaN, luxon: DateTime.fromMillis(0, { zone: "utc" }) } }]')]),
  chain('code: each item returns an object without json', [codeEach('Code', 'return { n: $itemIndex }')]),
  chain('code: each item returns nothing', [codeEach('Code', 'if ($itemIndex === 1) return { n: 1 }'), noOp('Next')]),
  chain('code: each item returns null', [codeEach('Code', 'return $itemIndex === 1 ? { n: 1 } : null'), noOp('Next')]),
  chain('code: each item returns a list', [codeEach('Code', 'return [{ n: 1 }]'), noOp('Next')]),
  chain('code: each item returns a text', [codeEach('Code', 'return "text"'), noOp('Next')]),
  chain('code: await', [code('Code', 'const values = await Promise.all([1, 2].map(async (n) => n * 2)); return values.map((n) => ({ json: { n } }))')]),
  chain('code: a call of the HTTP helper', [code('Code', 'const answer = await this.helpers.httpRequest({ url: "https://api.example/data", qs: { a: 1 }, json: true }); return [{ json: answer }]')], people,
    { http: [{ url: '/data', body: { ok: true } }] }),
  chain('code: a module that is not allowed', [code('Code', 'const fs = require("fs"); return []')]),
  chain('code: a syntax error', [code('Code', 'return [')]),
  chain('code: changes of the input items', [code('Code', 'for (const item of $input.all()) item.json.seen = true; return $input.all();'), show('Show', '{ own: $json.seen, start: $("Start").item.json.seen ?? null }')]),
  chain('code: the old items variable', [code('Code', 'for (const item of items) item.json.n = 1; return items;')]),
  chain('code: $input.all() outside of a mode', [codeEach('Code', 'return { json: { all: $input.all().length } }')]),
  chain('code: console.log does not count', [code('Code', 'console.log("x", { a: 1 }); return [{ json: {} }]')]),
  chain('code: static data', [code('A', 'const data = $getWorkflowStaticData("global"); data.count = (data.count ?? 0) + 1; return [{ json: { count: data.count } }]'), code('B', 'const data = $getWorkflowStaticData("global"); data.count += 1; return [{ json: { count: data.count, own: Object.keys($getWorkflowStaticData("node")).length } }]')]),
];

const zones = [
  ['the zone of the workflow', { timezone: 'Europe/Madrid' }],
  ['the default zone', {}],
].map(([name, settings]) => ({
  name: `clock: ${name}`,
  workflow: { ...workflow([start(), show('Show', '{ zone: $now.zoneName, today: $today.toISO(), hour: $today.hour, iso: $now.toISO(), date: $now.toFormat("yyyy-MM-dd"), weekday: $now.weekday, utc: $now.toUTC().toISO(), made: DateTime.fromISO("2026-01-01").zoneName, plus: $today.plus({ days: 1 }).toISODate(), year: new Date().getFullYear() }')],
    [['Start', 'Show']]), settings: { executionOrder: 'v1', ...settings } },
}));

const clock = [
  ...zones,
  {
    name: 'clock: code',
    workflow: { ...workflow([start(), code('Show', 'return [{ json: { zone: $now.zoneName, today: $today.toISO(), made: DateTime.fromISO("2026-01-01T00:00").toISO(), now: DateTime.now().zoneName, is: $now instanceof DateTime } }]')], [['Start', 'Show']]),
      settings: { executionOrder: 'v1', timezone: 'Europe/Madrid' } },
  },
  {
    name: 'clock: a date in json becomes a text',
    workflow: workflow([start(), show('Show', '{ now: $now, today: $today, date: new Date(0), luxon: DateTime.fromISO("2026-01-01T00:00:00Z") }'), show('Next', '{ type: typeof $json.now, same: $json.today }')], [['Start', 'Show'], ['Show', 'Next']]),
  },
  {
    name: 'clock: the item of a schedule trigger',
    workflow: { ...workflow([node('Start', 'scheduleTrigger', 1.2, { rule: { interval: [{ field: 'hours' }] } }), noOp('Next')], [['Start', 'Next']]),
      settings: { executionOrder: 'v1', timezone: 'Europe/Madrid' } },
    mode: 'manual',
  },
];

export const cases = [...forms, ...texts, ...paired, ...failing, ...inCode, ...clock];
