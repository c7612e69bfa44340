// Merge with its options, and Compare Datasets.

import { code, node, start, workflow } from './build.mjs';

const items = (name, list) => code(name, `return ${JSON.stringify(list)}.map((json) => ({ json }))`);
const first = [{ id: 1, name: 'Ada', at: { city: 'Ávila', zip: '1' }, tags: ['a', 'b'], note: '' }, { id: 2, name: 'Bob' }, { id: 2, name: 'Bo', at: { city: 'Bonn' } }, { name: 'Cy' }];
const second = [{ id: 2, name: 'Bea', role: 'x' }, { id: 1, name: null, at: { city: 'Arles' }, tags: ['z'], note: 'full' }, { id: '2', role: 'y' }, { id: 4, role: 'w' }];
const third = [{ id: 9, c: 1 }];

const pair = (type, version) => (name, parameters, lists = [first, second]) => ({
  name: `${type} ${version}: ${name}`,
  workflow: workflow(
    [start(), ...lists.map((list, index) => items(`In ${index}`, list)), node('Node', type, version, parameters)],
    lists.flatMap((_, index) => [['Start', `In ${index}`], [`In ${index}`, 0, 'Node', index]]),
  ),
});
const merge = pair('merge', 3.1);
const byId = (joinMode, options = {}, more = {}) => ({ mode: 'combine', fieldsToMatchString: 'id', joinMode, options, ...more });
const clash = (values) => ({ clashHandling: { values } });
const position = (options = {}, numberInputs = 2) => ({ mode: 'combine', combineBy: 'combineByPosition', numberInputs, options });
const everyPair = (options = {}) => ({ mode: 'combine', combineBy: 'combineAll', options });

const merges = [
  merge('clashes: the last input wins, deeply', byId('keepMatches', clash({ resolveClash: 'preferLast' }))),
  merge('clashes: the first input wins, deeply', byId('keepMatches', clash({ resolveClash: 'preferInput1' }))),
  merge('clashes: the first input wins, only at the top', byId('keepMatches', clash({ resolveClash: 'preferInput1', mergeMode: 'shallowMerge' }))),
  merge('clashes: the last input wins, only at the top', byId('keepMatches', clash({ resolveClash: 'preferLast', mergeMode: 'shallowMerge' }))),
  merge('clashes: empty values do not win', byId('keepMatches', clash({ resolveClash: 'preferLast', overrideEmpty: true })),
    [[{ id: 1, a: 'x', b: '', c: null }], [{ id: 1, a: '', b: 'y', c: 0, d: null }]]),
  merge('clashes: suffixes', byId('keepEverything', clash({ resolveClash: 'addSuffix' }))),
  merge('fields: values of other types match in a fuzzy comparison', byId('keepMatches', { fuzzyCompare: true })),
  merge('fields: only the first match', byId('keepMatches', { multipleMatches: 'first' })),
  merge('fields: everything, with only the first match', byId('keepEverything', { multipleMatches: 'first' })),
  merge('fields: the data of the second input', byId('keepMatches', {}, { outputDataFrom: 'input2' })),
  merge('fields: what has no match in the first input', byId('keepNonMatches', {}, { outputDataFrom: 'input1' })),
  merge('fields: what has no match in the second input', byId('keepNonMatches', {}, { outputDataFrom: 'input2' })),
  merge('fields: the second input enriched, the second wins', byId('enrichInput2', clash({ resolveClash: 'preferLast' }))),
  merge('fields: other names in both inputs', { mode: 'combine', advanced: true, mergeByFields: { values: [{ field1: 'at.city', field2: 'at.city' }] } }, [first, [{ at: { city: 'Bonn' }, ok: true }]]),
  merge('fields: two names', { mode: 'combine', fieldsToMatchString: 'id, name' }, [first, [{ id: 2, name: 'Bo', ok: true }, { id: 2, name: 'X' }]]),
  merge('fields: without dot notation', byId('keepMatches', { disableDotNotation: true }, { fieldsToMatchString: 'a.b' }), [[{ 'a.b': 1, x: 1 }, { a: { b: 1 } }], [{ 'a.b': 1, y: 1 }]]),
  pair('merge', 2)('fields: version 2 refuses a field that no item has', { mode: 'combine', mergeByFields: { values: [{ field1: 'id', field2: 'missing' }] } }),
  pair('merge', 2.1)('fields: version 2.1 does not', { mode: 'combine', mergeByFields: { values: [{ field1: 'id', field2: 'missing' }] }, joinMode: 'enrichInput1' }),
  pair('merge', 2.1)('fields: the second input wins', { mode: 'combine', mergeByFields: { values: [{ field1: 'id', field2: 'id' }] }, options: clash({ resolveClash: 'preferInput2' }) }),
  merge('position: suffixes', position(clash({ resolveClash: 'addSuffix' }))),
  merge('position: the first input wins', position(clash({ resolveClash: 'preferInput1' }))),
  merge('position: three inputs', position({}, 3), [first, second, third]),
  merge('position: three inputs, with unpaired items', position({ includeUnpaired: true }, 3), [first, second, third]),
  pair('merge', 2.1)('position: suffixes', { mode: 'combine', combinationMode: 'mergeByPosition', options: { ...clash({ resolveClash: 'addSuffix' }), includeUnpaired: true } }, [first, second.slice(0, 1)]),
  merge('all pairs: the last input wins', everyPair(), [first.slice(0, 2), second.slice(0, 2)]),
  merge('all pairs: the first input wins', everyPair(clash({ resolveClash: 'preferInput1' })), [first.slice(0, 2), second.slice(0, 2)]),
  merge('all pairs: suffixes', everyPair(clash({ resolveClash: 'addSuffix' })), [first.slice(1, 2), second.slice(0, 1)]),
  merge('append: three inputs', { numberInputs: 3 }, [first, second, third]),
  merge('choose branch: the third input', { mode: 'chooseBranch', numberInputs: 3, useDataOfInput: 3 }, [first, second, third]),
  pair('merge', 1)('by index: inner', { mode: 'mergeByIndex', join: 'inner' }, [first, second.slice(0, 2)]),
  pair('merge', 1)('by index: outer', { mode: 'mergeByIndex', join: 'outer' }, [first.slice(0, 1), second]),
  pair('merge', 1)('by key: only blank fields', { mode: 'mergeByKey', propertyName1: 'id', propertyName2: 'id', overwrite: 'blank' }),
  pair('merge', 1)('by key: only missing fields', { mode: 'mergeByKey', propertyName1: 'id', propertyName2: 'id', overwrite: 'undefined' }),
];

const compare = pair('compareDatasets', 2.3);
const left = [{ id: 1, v: 'a', n: { x: 1 } }, { id: 2, v: 'b', w: 1 }, { id: 2, v: 'b2' }, { id: 3 }, { v: 'no id' }];
const right = [{ id: 2, v: 'b', w: 1 }, { id: 1, v: 'A', n: { x: 1, y: 2 } }, { id: 2, v: 'z' }, { id: 5 }, { id: '3' }];
const ids = { mergeByFields: { values: [{ field1: 'id', field2: 'id' }] } };
const compared = [
  compare('both versions of what differs', ids, [left, right]),
  compare('the first input of what differs', { ...ids, resolve: 'preferInput1' }, [left, right]),
  compare('the second input of what differs', { ...ids, resolve: 'preferInput2' }, [left, right]),
  compare('a mix of what differs', { ...ids, resolve: 'mix', preferWhenMix: 'input2', exceptWhenMix: 'v' }, [left, right]),
  compare('all matches', { ...ids, options: { multipleMatches: 'all' } }, [left, right]),
  compare('fields that do not count', { ...ids, options: { skipFields: 'v' } }, [left, right]),
  compare('paths that do not count', { ...ids, options: { skipFields: 'n.y, v' } }, [left, right]),
  compare('a path without dot notation', { ...ids, options: { skipFields: 'n.y', disableDotNotation: true } }, [left, right]),
  compare('a fuzzy comparison', { ...ids, fuzzyCompare: true }, [[{ id: '1', v: 1, x: null }, { id: 2, v: true }], [{ id: 1, v: '1' }, { id: '2', v: 'false' }]]),
  pair('compareDatasets', 1)('version 1 prefers the second input', ids, [left, right]),
  pair('compareDatasets', 1)('version 1 names the inputs otherwise', { ...ids, resolve: 'includeBoth' }, [left, right]),
  pair('compareDatasets', 2)('version 2 refuses a field that no item has', { mergeByFields: { values: [{ field1: 'id', field2: 'missing' }] } }, [left, right]),
];

export const cases = [...merges, ...compared];
