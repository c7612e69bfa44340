// The nodes that work on lists of items: Split Out, Aggregate, Limit, Sort, Remove Duplicates, Summarize, Rename Keys and Item Lists.

import { node, start, workflow } from './build.mjs';

const one = (type, version, defaults) => (name, parameters, input = defaults) => ({
  name: `${type} ${version}: ${name}`,
  workflow: workflow([start(), node('Node', type, version, parameters)], [['Start', 'Node']]),
  input,
});

// ---- Split Out ----

const orders = [
  { id: 1, lines: [{ sku: 'a', n: 2 }, { sku: 'b', n: 1 }], tags: ['x', 'y', 'z'], more: { list: [1, 2], kept: true }, map: { k: { v: 1 }, l: 5 } },
  { id: 2, lines: [], tags: 'solo', more: { list: [3] } },
  { id: 3, tags: null },
];
const split = one('splitOut', 1, orders);
const splits = [
  split('objects become items', { fieldToSplitOut: 'lines' }),
  split('values keep the name of the field', { fieldToSplitOut: 'tags' }),
  split('a path keeps its whole name', { fieldToSplitOut: 'more.list' }),
  split('without dot notation', { fieldToSplitOut: 'more.list', options: { disableDotNotation: true } }),
  split('an object gives its values', { fieldToSplitOut: 'map' }),
  split('two fields side by side', { fieldToSplitOut: 'lines, tags' }),
  split('another name', { fieldToSplitOut: 'lines', options: { destinationFieldName: 'line' } }),
  split('other names for two fields', { fieldToSplitOut: 'lines,tags', options: { destinationFieldName: 'line, tag' } }),
  split('not a name for each field', { fieldToSplitOut: 'lines,tags', options: { destinationFieldName: 'line' } }),
  split('with all other fields', { fieldToSplitOut: 'more.list', include: 'allOtherFields' }),
  split('with some other fields', { fieldToSplitOut: 'tags', include: 'selectedOtherFields', fieldsToInclude: 'id, more.kept, missing' }),
  split('with no other field named', { fieldToSplitOut: 'tags', include: 'selectedOtherFields', fieldsToInclude: '' }),
  split('a field that no item has', { fieldToSplitOut: 'missing' }),
  split('a field that was dragged', { fieldToSplitOut: '$json.tags' }),
  split('the field from an expression', { fieldToSplitOut: '={{ $json.id === 1 ? "tags" : "more.list" }}' }),
];

// ---- Aggregate ----

const people = [
  { name: 'Ada', age: 36, tags: ['x', null], at: { city: 'Ávila' } },
  { name: 'Bob', age: null, tags: ['y'] },
  { name: 'Cy', tags: [], at: { city: 'Cork' } },
];
const gather = one('aggregate', 1, people);
const fields = (...rows) => ({
  fieldsToAggregate: {
    fieldToAggregate: rows.map(([fieldToAggregate, outputFieldName]) => ({
      fieldToAggregate,
      renameField: outputFieldName !== undefined,
      ...(outputFieldName !== undefined && { outputFieldName }),
    })),
  },
});
const all = (more) => ({ aggregate: 'aggregateAllItemData', ...more });
const aggregates = [
  gather('a list of each field', fields(['name'], ['age'])),
  gather('missing values are left out', fields(['age'], ['at.city'])),
  gather('missing values become null', { ...fields(['age'], ['at.city']), options: { keepMissing: true } }),
  gather('lists in a list, without null', fields(['tags'])),
  gather('lists merged into one', { ...fields(['tags']), options: { mergeLists: true } }),
  gather('lists merged with missing values', { ...fields(['tags'], ['age']), options: { mergeLists: true, keepMissing: true } }),
  gather('another name, with dots', fields(['name', 'all.names'])),
  gather('without dot notation', { ...fields(['at.city', 'a.b']), options: { disableDotNotation: true } }),
  gather('the same name twice', fields(['name', 'a'], ['age', 'a'])),
  gather('no field', fields()),
  gather('all data', all()),
  gather('all data, with another name', all({ destinationFieldName: 'people' })),
  gather('some fields of all data', all({ include: 'specifiedFields', fieldsToInclude: 'name, age' })),
  gather('items without these fields are left out', all({ include: 'specifiedFields', fieldsToInclude: 'at' })),
  gather('all fields but some', all({ include: 'allFieldsExcept', fieldsToExclude: 'tags,at' })),
];

// ---- Limit, Sort, Remove Duplicates ----

const unsorted = [{ n: 3, s: 'b', d: { x: 1 } }, { n: 1, s: 'B' }, { n: 2, s: 'a', d: { x: 3 } }, { n: 1, s: 'ä', d: { x: 2 } }, { s: 'A', n: null }];
const limit = one('limit', 1, unsorted);
const sort = one('sort', 1, unsorted);
const by = (...rows) => ({ sortFieldsUi: { sortField: rows.map(([fieldName, order = 'ascending']) => ({ fieldName, order })) } });
const sorts = [
  limit('the first item', {}),
  limit('the first items', { maxItems: 2 }),
  limit('the last items', { maxItems: 2, keep: 'lastItems' }),
  limit('more than there are', { maxItems: 10, keep: 'lastItems' }),
  sort('by a number', by(['n'])),
  sort('downwards', by(['n', 'descending'])),
  sort('texts without case', by(['s'])),
  sort('by two fields', by(['n'], ['s', 'descending'])),
  sort('by a path that some items do not have', by(['d.x'])),
  sort('downwards, by a path that some items do not have', by(['d.x', 'descending'])),
  sort('by a field that no item has', by(['missing'])),
  sort('by no field', by()),
  sort('texts of numbers are texts', by(['n']), [{ n: '10' }, { n: '9' }, { n: '100' }]),
  sort('by code that returns nothing', { type: 'code', code: 'a.json.n - b.json.n' }),
];

const double = [{ a: 1, b: { c: 'x', d: 1 } }, { a: 1, b: { c: 'x', d: 2 } }, { b: { d: 1, c: 'x' }, a: 1 }, { a: 2, b: { c: 'x', d: 1 } }];
const unique = one('removeDuplicates', 2, double);
const uniques = [
  unique('all fields', {}),
  unique('all fields but some', { compare: 'allFieldsExcept', fieldsToExclude: 'b.d' }),
  unique('some fields', { compare: 'selectedFields', fieldsToCompare: 'a' }),
  unique('some fields, and only these are kept', { compare: 'selectedFields', fieldsToCompare: 'a, b.c', options: { removeOtherFields: true } }),
  unique('a path', { compare: 'selectedFields', fieldsToCompare: 'b.c' }),
  unique('a field that some items do not have', { compare: 'selectedFields', fieldsToCompare: 'z' }, [{ z: 1 }, { a: 1 }]),
  unique('values of different types', { compare: 'selectedFields', fieldsToCompare: 'a' }, [{ a: 1 }, { a: '1' }]),
  unique('null is a value', { compare: 'selectedFields', fieldsToCompare: 'a' }, [{ a: null }, { a: 1 }, { a: null }, { a: 1 }]),
  unique('no field named', { compare: 'selectedFields', fieldsToCompare: '' }),
  one('removeDuplicates', 1, double)('all fields', {}),
  one('removeDuplicates', 1.1, double)('null is of another type', { compare: 'selectedFields', fieldsToCompare: 'a' }, [{ a: null }, { a: 1 }, { a: null }]),
];

// ---- Summarize ----

const sales = [
  { shop: 'b', year: 2023, sum: 10, who: 'Ada', at: { day: 1 } },
  { shop: 'a', year: 2024, sum: 5.5, who: 'Bob', at: { day: 2 } },
  { shop: 'b', year: 2023, sum: '7', who: '', at: { day: 1 } },
  { shop: 'b', year: 2022, sum: -1, who: 'Ada' },
  { shop: null, year: 2024, sum: null, who: null },
];
const summarize = one('summarize', 1.1, sales);
const sums = (rows, fieldsToSplitBy, options = {}) => ({
  fieldsToSummarize: { values: rows.map(([aggregation, field, more]) => ({ aggregation, field, ...more })) },
  ...(fieldsToSplitBy !== undefined && { fieldsToSplitBy }),
  options,
});
const summaries = [
  summarize('counts', sums([['count', 'sum'], ['countUnique', 'who']])),
  summarize('counts with empty values', sums([['count', 'sum', { includeEmpty: true }], ['countUnique', 'who', { includeEmpty: true }]])),
  summarize('sum and average of the numbers', sums([['sum', 'sum'], ['average', 'sum']])),
  summarize('the smallest and the largest', sums([['min', 'sum'], ['max', 'sum'], ['max', 'who']])),
  summarize('a list', sums([['append', 'who']])),
  summarize('a list with empty values', sums([['append', 'who', { includeEmpty: true }]])),
  summarize('a text', sums([['concatenate', 'who', { separateBy: ', ' }]])),
  summarize('a text with another separator', sums([['concatenate', 'sum', { separateBy: 'other', customSeparator: ' | ' }]])),
  summarize('an item for each value', sums([['sum', 'sum']], 'shop')),
  summarize('an item for each pair of values', sums([['count', 'who']], 'shop, year')),
  summarize('without items for empty values', sums([['sum', 'sum']], 'shop', { skipEmptySplitFields: true })),
  summarize('one item', sums([['sum', 'sum']], 'shop,year', { outputFormat: 'singleItem' })),
  summarize('paths in the names of columns', sums([['max', 'at.day']], 'at.day')),
  summarize('without dot notation', sums([['max', 'at.day']], undefined, { disableDotNotation: true })),
  summarize('a field that no item has', sums([['sum', 'missing']])),
  summarize('no field', sums([])),
  one('summarize', 1, sales)('values become texts', sums([['sum', 'sum']], 'year')),
  one('summarize', 1, sales)('a field that no item has is an error', sums([['sum', 'missing']])),
  one('summarize', 1, sales)('a field that no item has may be ignored', sums([['sum', 'missing']], 'shop', { continueIfFieldNotFound: true })),
];

// ---- Rename Keys ----

const keyed = [{ first_name: 'Ada', last_name: 'L', at: { post_code: 1, tags: [{ tag_id: 2 }] } }, { other: true }];
const rename = one('renameKeys', 1, keyed);
const keys = (...rows) => ({ keys: { key: rows.map(([currentKey, newKey]) => ({ currentKey, newKey })) } });
const patterns = (...replacements) => ({ additionalOptions: { regexReplacement: { replacements } } });
const renamed = [
  rename('keys', keys(['first_name', 'first'], ['missing', 'x'])),
  rename('paths', keys(['at.post_code', 'zip'], ['last_name', 'name.last'])),
  rename('keys that change places', keys(['first_name', 'last_name'], ['last_name', 'first_name'])),
  rename('a pattern at all depths', patterns({ searchRegex: '_(\\w)', replaceRegex: '-$1' })),
  rename('a pattern at the top', patterns({ searchRegex: 'name', replaceRegex: 'NAME', options: { depth: 0 } })),
  rename('a pattern without case', patterns({ searchRegex: 'FIRST', replaceRegex: '1st', options: { caseInsensitive: true } })),
  rename('two patterns', patterns({ searchRegex: '^first', replaceRegex: 'last' }, { searchRegex: 'last', replaceRegex: 'x' })),
];

// ---- Item Lists ----

const named = (...names) => ({ fields: names.map((fieldName) => ({ fieldName })) });
const lists = (version) => one('itemLists', version, orders.slice(0, 1));
const itemLists = [
  lists(1)('split out', { fieldToSplitOut: 'lines' }),
  lists(1)('split out what is no list', { fieldToSplitOut: 'map' }),
  lists(1)('split out with some fields', { fieldToSplitOut: 'tags', include: 'selectedOtherFields', fieldsToInclude: named('id', 'more.kept') }),
  lists(2)('split out a missing field', { fieldToSplitOut: 'missing' }),
  lists(2.1)('split out a text', { fieldToSplitOut: 'text' }, [{ text: 'x' }]),
  lists(3)('split out two fields', { fieldToSplitOut: 'lines, tags', include: 'allOtherFields' }),
  lists(1)('aggregate', { operation: 'aggregateItems', ...fields(['name'], ['at.city', 'cities']) }, people),
  lists(1)('aggregate all data', { operation: 'aggregateItems', aggregate: 'aggregateAllItemData' }, people),
  lists(2.2)('aggregate some data', { operation: 'aggregateItems', aggregate: 'aggregateAllItemData', include: 'specifiedFields', fieldsToInclude: named('name') }, people),
  lists(3)('concatenate', { operation: 'concatenateItems', ...fields(['tags']), options: { mergeLists: true } }, people),
  lists(1)('remove duplicates', { operation: 'removeDuplicates', compare: 'selectedFields', fieldsToCompare: named('a') }, double),
  lists(3.1)('remove duplicates', { operation: 'removeDuplicates', compare: 'selectedFields', fieldsToCompare: 'b.c' }, double),
  lists(2)('sort', { operation: 'sort', ...by(['n'], ['s']) }, unsorted),
  lists(3)('limit', { operation: 'limit', maxItems: 2, keep: 'lastItems' }, unsorted),
  lists(1)('summarize', { operation: 'summarize', ...sums([['sum', 'sum'], ['max', 'at.day']], 'shop') }, sales),
  lists(2.2)('summarize', { operation: 'summarize', ...sums([['min', 'who'], ['count', 'who']], 'shop,year', { skipEmptySplitFields: true }) }, sales),
  lists(3.1)('summarize', { operation: 'summarize', ...sums([['min', 'who'], ['concatenate', 'who']], 'shop', { outputFormat: 'singleItem' }) }, sales),
];

export const cases = [...splits, ...aggregates, ...sorts, ...uniques, ...summaries, ...renamed, ...itemLists];
