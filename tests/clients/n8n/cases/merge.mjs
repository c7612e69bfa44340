// Merge nodes behind branches: what they wait for, and what they do with branches without items.

import { code, noOp, node, show, start, when, workflow } from './build.mjs';

const merge = (parameters = {}, version = 3.1, more) => node('Merge', 'merge', version, parameters, more);
const people = code('People', 'return [{ id: 1, name: "Ada" }, { id: 2, name: "Bob" }, { id: 3, name: "Cy" }].map((json) => ({ json }))');
const cities = code('Cities', 'return [{ id: 2, city: "Bonn" }, { id: 1, city: "Ávila" }, { id: 4, city: "Cork" }, { id: 2, city: "Bern" }].map((json) => ({ json }))');
const nothing = code('Cities', 'return []');
const noPeople = code('People', 'return []');

/** Two branches into a Merge node, and a node behind it. */
const joined = (node, first = people, second = cities) =>
  workflow([start(), first, second, node, noOp('Next')],
    [['Start', 'People'], ['Start', 'Cities'], ['People', 'Merge'], ['Cities', 0, 'Merge', 1], ['Merge', 'Next']]);

const byId = { values: [{ field1: 'id', field2: 'id' }] };

const modes = [
  ['append', merge()],
  ['append, version 1', merge({}, 1)],
  ['append, version 2', merge({ mode: 'append' }, 2.1)],
  ['combine by fields: matches', merge({ mode: 'combine', fieldsToMatchString: 'id' })],
  ['combine by fields: matches, of advanced fields', merge({ mode: 'combine', advanced: true, mergeByFields: byId, options: {} })],
  ['combine by fields: everything', merge({ mode: 'combine', fieldsToMatchString: 'id', joinMode: 'keepEverything' })],
  ['combine by fields: what does not match', merge({ mode: 'combine', fieldsToMatchString: 'id', joinMode: 'keepNonMatches' })],
  ['combine by fields: the first input enriched', merge({ mode: 'combine', fieldsToMatchString: 'id', joinMode: 'enrichInput1' })],
  ['combine by fields: the second input enriched', merge({ mode: 'combine', fieldsToMatchString: 'id', joinMode: 'enrichInput2' })],
  ['combine by fields: matches of the first input', merge({ mode: 'combine', fieldsToMatchString: 'id', outputDataFrom: 'input1' })],
  ['combine by fields: version 2', merge({ mode: 'combine', mergeByFields: byId, options: {} }, 2.1)],
  ['combine by position', merge({ mode: 'combine', combineBy: 'combineByPosition', options: {} })],
  ['combine by position: with the items of the longer input', merge({ mode: 'combine', combineBy: 'combineByPosition', options: { includeUnpaired: true } })],
  ['combine by position: version 2', merge({ mode: 'combine', combinationMode: 'mergeByPosition', options: {} }, 2.1)],
  ['combine all', merge({ mode: 'combine', combineBy: 'combineAll', options: {} })],
  ['combine all: version 2', merge({ mode: 'combine', combinationMode: 'multiplex', options: {} }, 2.1)],
  ['choose branch: the first', merge({ mode: 'chooseBranch' })],
  ['choose branch: the second', merge({ mode: 'chooseBranch', useDataOfInput: '2' })],
  ['choose branch: an empty item', merge({ mode: 'chooseBranch', output: 'empty' })],
  ['choose branch: version 2, the second', merge({ mode: 'chooseBranch', output: 'input2' }, 2.1)],
  ['SQL', merge({ mode: 'combineBySql', query: 'SELECT a.name, b.city FROM input1 AS a JOIN input2 AS b ON a.id = b.id ORDER BY b.city' })],
  ['wait: version 1', merge({ mode: 'wait' }, 1)],
  ['pass through: version 1', merge({ mode: 'passThrough', output: 'input2' }, 1)],
  ['by index: version 1', merge({ mode: 'mergeByIndex' }, 1)],
  ['by key: version 1', merge({ mode: 'mergeByKey', propertyName1: 'id', propertyName2: 'id' }, 1)],
  ['keep matches: version 1', merge({ mode: 'keepKeyMatches', propertyName1: 'id', propertyName2: 'id' }, 1)],
  ['remove matches: version 1', merge({ mode: 'removeKeyMatches', propertyName1: 'id', propertyName2: 'id' }, 1)],
  ['multiplex: version 1', merge({ mode: 'multiplex' }, 1)],
];

const full = modes.map(([name, node]) => ({ name: `merge: ${name}`, workflow: joined(node) }));

/** A branch that gave no items never reaches the Merge node, which runs at the end with the others, or does not run. */
const secondEmpty = modes.map(([name, node]) => ({ name: `merge without a second branch: ${name}`, workflow: joined(node, people, nothing) }));
const firstEmpty = ['append', 'combine by fields: everything', 'combine by position', 'combine all', 'choose branch: the second', 'append, version 2', 'wait: version 1', 'pass through: version 1']
  .map((name) => ({ name: `merge without a first branch: ${name}`, workflow: joined(modes.find(([each]) => each === name)[1], noPeople, cities) }));

const others = [
  {
    name: 'merge: no branch has items, so it does not run',
    workflow: joined(merge(), noPeople, nothing),
  },
  {
    name: 'merge: alwaysOutputData does not help if no branch has items',
    workflow: joined(merge({}, 3.1, { alwaysOutputData: true }), noPeople, nothing),
  },
  {
    name: 'merge: alwaysOutputData of a branch gives the Merge node an item',
    workflow: joined(merge(), people, { ...nothing, alwaysOutputData: true }),
  },
  {
    name: 'merge: both outputs of an If node',
    workflow: workflow([start(), when('If', [['={{ $json.n }}', 'number', 'gt', 1]]), code('Big', 'return $input.all().map((item) => ({ json: { big: item.json.n } }))'), merge(), noOp('Next')],
      [['Start', 'If'], ['If', 0, 'Big'], ['Big', 'Merge'], ['If', 1, 'Merge', 1], ['Merge', 'Next']]),
    input: [{ n: 1 }, { n: 2 }, { n: 3 }],
  },
  {
    name: 'merge: an If node whose items all take one way',
    workflow: workflow([start(), when('If', [['={{ $json.n }}', 'number', 'gt', 0]]), noOp('Big'), noOp('Small'), merge(), noOp('Next')],
      [['Start', 'If'], ['If', 0, 'Big'], ['If', 1, 'Small'], ['Big', 'Merge'], ['Small', 0, 'Merge', 1], ['Merge', 'Next']]),
    input: [{ n: 1 }, { n: 2 }],
  },
  {
    name: 'merge: an If node whose items all take the other way',
    workflow: workflow([start(), when('If', [['={{ $json.n }}', 'number', 'gt', 9]]), noOp('Big'), noOp('Small'), merge(), noOp('Next')],
      [['Start', 'If'], ['If', 0, 'Big'], ['If', 1, 'Small'], ['Big', 'Merge'], ['Small', 0, 'Merge', 1], ['Merge', 'Next']]),
    input: [{ n: 1 }, { n: 2 }],
  },
  {
    name: 'merge: in the old order, a node of an empty branch runs with an empty item',
    workflow: { ...workflow([start(), when('If', [['={{ $json.n }}', 'number', 'gt', 9]]), noOp('Big'), noOp('Small'), merge({}, 2.1), noOp('Next')],
      [['Start', 'If'], ['If', 0, 'Big'], ['If', 1, 'Small'], ['Big', 'Merge'], ['Small', 0, 'Merge', 1], ['Merge', 'Next']]), settings: {} },
    input: [{ n: 1 }, { n: 2 }],
  },
  {
    name: 'merge: in the old order, two branches',
    workflow: { ...joined(merge()), settings: {} },
  },
  {
    name: 'merge: in the old order, the second branch has no items',
    workflow: { ...joined(merge(), people, nothing), settings: {} },
  },
  {
    name: 'merge: three inputs',
    workflow: workflow([start(), people, cities, code('More', 'return [{ json: { more: true } }]'), merge({ numberInputs: 3 }), noOp('Next')],
      [['Start', 'People'], ['Start', 'Cities'], ['Start', 'More'], ['People', 'Merge'], ['Cities', 0, 'Merge', 1], ['More', 0, 'Merge', 2], ['Merge', 'Next']]),
  },
  {
    name: 'merge: three inputs, of which the middle one is empty',
    workflow: workflow([start(), people, nothing, code('More', 'return [{ json: { more: true } }]'), merge({ numberInputs: 3 }), noOp('Next')],
      [['Start', 'People'], ['Start', 'Cities'], ['Start', 'More'], ['People', 'Merge'], ['Cities', 0, 'Merge', 1], ['More', 0, 'Merge', 2], ['Merge', 'Next']]),
  },
  {
    name: 'merge: only one input is connected',
    workflow: workflow([start(), people, merge(), noOp('Next')], [['Start', 'People'], ['People', 'Merge'], ['Merge', 'Next']]),
  },
  {
    name: 'merge: two nodes into the same input run the Merge node twice',
    workflow: workflow([start(), people, cities, code('More', 'return [{ json: { more: true } }]'), merge(), noOp('Next')],
      [['Start', 'People'], ['Start', 'Cities'], ['Start', 'More'], ['People', 'Merge'], ['Cities', 'Merge'], ['More', 0, 'Merge', 1], ['Merge', 'Next']]),
  },
  {
    name: 'merge: one node into both inputs',
    workflow: workflow([start(), people, merge({ mode: 'combine', combineBy: 'combineByPosition', options: {} }), noOp('Next')],
      [['Start', 'People'], ['People', 'Merge'], ['People', 0, 'Merge', 1], ['Merge', 'Next']]),
  },
  {
    name: 'merge: references behind it know the items of both branches',
    workflow: workflow([start(), people, cities, merge(), show('Next', '{ id: $json.id, first: $("People").first().json.name, all: $("Cities").all().length, merged: $("Merge").item.json.id }')],
      [['Start', 'People'], ['Start', 'Cities'], ['People', 'Merge'], ['Cities', 0, 'Merge', 1], ['Merge', 'Next']]),
  },
  {
    name: 'merge: an item of a position knows its items in both branches',
    workflow: workflow([start(), code('A', 'return [{ json: { a: 1 }, pairedItem: 0 }, { json: { a: 2 }, pairedItem: 0 }]'), code('B', 'return [{ json: { b: 1 }, pairedItem: 0 }, { json: { b: 2 }, pairedItem: 0 }]'),
      merge({ mode: 'combine', combineBy: 'combineByPosition', options: {} }), show('Next', '{ a: $("A").item.json.a, b: $("B").item.json.b }')],
    [['Start', 'A'], ['Start', 'B'], ['A', 'Merge'], ['B', 0, 'Merge', 1], ['Merge', 'Next']]),
  },
  {
    name: 'merge: the shorter branch waits for the longer one',
    workflow: workflow([start(), noOp('A 1'), noOp('A 2'), code('A 3', 'return [{ json: { by: "A" } }]'), code('B', 'return [{ json: { by: "B" } }]'), merge(), noOp('Next')],
      [['Start', 'B'], ['Start', 'A 1'], ['A 1', 'A 2'], ['A 2', 'A 3'], ['A 3', 'Merge'], ['B', 0, 'Merge', 1], ['Merge', 'Next']]),
  },
  {
    name: 'merge: a Merge node behind a Merge node',
    workflow: workflow([start(), people, cities, merge(), code('More', 'return [{ json: { more: true } }]'), node('Merge 2', 'merge', 3.1, {}), noOp('Next')],
      [['Start', 'People'], ['Start', 'Cities'], ['Start', 'More'], ['People', 'Merge'], ['Cities', 0, 'Merge', 1], ['Merge', 'Merge 2'], ['More', 0, 'Merge 2', 1], ['Merge 2', 'Next']]),
  },
];

export const cases = [...full, ...secondEmpty, ...firstEmpty, ...others];
