// The node "Edit Fields (Set)": which fields an item gets, with which types, and which it keeps.

import { node, start, workflow } from './build.mjs';

const ada = { id: 1, name: 'Ada', tags: ['x', 'y'], address: { city: 'Ávila', zip: '05001' }, 'a.b': 5, none: null };
const each = (version) => (name, parameters, input = [ada]) => ({
  name: `set ${version}: ${name}`,
  workflow: workflow([start(), node('Set', 'set', version, parameters)], [['Start', 'Set']]),
  input,
});
const assignments = (...rows) => ({ assignments: rows.map(([name, type, value], index) => ({ id: `${index}`, name, type, value })) });
const fields = (...rows) => ({ values: rows.map(([name, type, value]) => ({ name, type: `${type}Value`, [`${type}Value`]: value })) });
const latest = each(3.4);
const third = each(3);
const second = each(2);
const first = each(1);

const types = [
  latest('a number of a text', { assignments: assignments(['n', 'number', '={{ "12.5" }}']) }),
  latest('a number of an empty text is 0', { assignments: assignments(['n', 'number', '']) }),
  latest('a number of a boolean', { assignments: assignments(['n', 'number', '={{ true }}']) }),
  latest('a number that is none', { assignments: assignments(['n', 'number', '={{ $json.name }}']) }),
  latest('a number of an object', { assignments: assignments(['n', 'number', '={{ $json.address }}']) }),
  latest('a boolean of texts and numbers', { assignments: assignments(['a', 'boolean', 'TRUE'], ['b', 'boolean', '={{ 0 }}'], ['c', 'boolean', '1']) }),
  latest('a boolean that is none', { assignments: assignments(['a', 'boolean', 'yes']) }),
  latest('a text of a number, of an object and of a list', { assignments: assignments(['a', 'string', '={{ 1.50 }}'], ['b', 'string', '={{ $json.address }}'], ['c', 'string', '={{ $json.tags }}']) }),
  latest('a text of null and of a missing field is null', { assignments: assignments(['a', 'string', '={{ $json.none }}'], ['b', 'string', '={{ $json.missing }}']) }),
  latest('a text of a date', { assignments: assignments(['a', 'string', '={{ DateTime.fromISO("2024-05-01T10:00:00Z") }}'], ['b', 'string', '={{ new Date(0) }}']) }),
  latest('a list of a text of JSON', { assignments: assignments(['a', 'array', '[1, "2"]'], ['b', 'array', '={{ $json.tags }}']) }),
  latest('a list with the quotes of Python', { assignments: assignments(['a', 'array', "['x', 'y']"]) }),
  latest('a list that is none', { assignments: assignments(['a', 'array', '={{ $json.address }}']) }),
  latest('an object of a text of JSON', { assignments: assignments(['a', 'object', '{"b": {"c": 1}}'], ['d', 'object', '={{ $json.address }}']) }),
  latest('an object with an expression inside', { assignments: assignments(['a', 'object', '={"name": "{{ $json.name }}", "id": {{ $json.id }}}']) }),
  latest('an object that is a list', { assignments: assignments(['a', 'object', '={{ $json.tags }}']) }),
  latest('a date in the zone of the workflow', { assignments: assignments(['a', 'dateTime', '2024-05-01'], ['b', 'dateTime', '2024-05-01T10:00:00+02:00']) }),
  latest('conversions that fail may be ignored', { assignments: assignments(['n', 'number', 'many'], ['l', 'array', 'x'], ['b', 'boolean', '={{ 2 }}']), options: { ignoreConversionErrors: true } }),
  each(3.1)('a missing text is an error in version 3.1', { fields: fields(['a', 'string', '={{ $json.missing }}']) }),
  third('a missing text is the text "undefined" in version 3', { fields: fields(['a', 'string', '={{ $json.missing }}'], ['b', 'string', '={{ $json.none }}']) }),
  each(3.2)('a missing text is null in version 3.2', { fields: fields(['a', 'string', '={{ $json.missing }}']) }),
  third('fields have their value in a key of their type', { fields: fields(['a', 'number', '5'], ['b', 'boolean', 'true'], ['c', 'array', '[1]'], ['d', 'object', '={"x": {{ $json.address }}}']) }),
  third('a field without a type is a text', { fields: { values: [{ name: 'a', stringValue: 'x' }, { name: 'b' }] } }),
];

const names = [
  latest('a path with dots makes objects', { assignments: assignments(['a.b.c', 'number', 1], ['a.b.d', 'number', 2]) }),
  latest('a path with an index makes a list', { assignments: assignments(['list[1].x', 'string', 'y']) }),
  latest('brackets with quotes are one key', { assignments: assignments(['["a.b"].c', 'number', 1], ["['d.e']", 'number', 2]) }),
  latest('a key with dots in its name wins over the path', { assignments: assignments(['a.b', 'string', 'new']), includeOtherFields: true }),
  latest('without dot notation a path is a key', { assignments: assignments(['address.city', 'string', 'Bonn']), includeOtherFields: true, options: { dotNotation: false } }),
  latest('a path changes the field of the item', { assignments: assignments(['address.city', 'string', 'Bonn'], ['tags[0]', 'string', 'z']), includeOtherFields: true }),
  latest('a path through a text replaces it', { assignments: assignments(['name.first', 'string', 'Ada']), includeOtherFields: true }),
  latest('a name from an expression', { assignments: assignments(['={{ "key" + $json.id }}', 'string', 'x']) }),
  latest('a name that occurs twice gets the last value', { assignments: assignments(['a', 'string', 'x'], ['b', 'string', 'y'], ['a', 'string', 'z']) }),
  latest('a path to the prototype is ignored', { assignments: assignments(['a.__proto__.b', 'string', 'x'], ['c.constructor.d', 'string', 'y']) }),
  latest('a name without letters', { assignments: assignments(['', 'string', 'x'], ['0', 'string', 'y']) }),
];

const kept = [
  latest('only its own fields', { assignments: assignments(['a', 'string', 'x']) }),
  latest('with the other fields', { assignments: assignments(['id', 'number', 2]), includeOtherFields: true }),
  latest('with some of the other fields', { assignments: assignments(['a', 'string', 'x']), includeOtherFields: true, include: 'selected', includeFields: 'id, address.city, missing' }),
  latest('with all but some of the other fields', { assignments: assignments(['a', 'string', 'x']), includeOtherFields: true, include: 'except', excludeFields: 'id, address.city, a.b' }),
  latest('some fields, without dot notation', { assignments: assignments(['a', 'string', 'x']), includeOtherFields: true, include: 'selected', includeFields: 'a.b, address.city', options: { dotNotation: false } }),
  latest('the choice of fields counts only with other fields', { assignments: assignments(['a', 'string', 'x']), include: 'selected', includeFields: 'id' }),
  third('none of the other fields', { fields: fields(['a', 'string', 'x']), include: 'none' }),
  third('all other fields are the default', { fields: fields(['a', 'string', 'x']) }),
  third('some fields of an item', { fields: fields(['a', 'string', 'x']), include: 'selected', includeFields: 'id,name' }),
  third('all fields but some', { fields: fields(['a', 'string', 'x']), include: 'except', excludeFields: 'tags, none' }),
  latest('each item has its own values', { assignments: assignments(['n', 'number', '={{ $json.n * 2 }}'], ['i', 'number', '={{ $itemIndex }}']) }, [{ n: 1 }, { n: 2 }, { n: 3 }]),
  latest('no field at all', { includeOtherFields: true }),
];

const raw = [
  latest('JSON: a fixed object', { mode: 'raw', jsonOutput: '{ "a": 1, "b": { "c": [true, null] } }' }),
  latest('JSON: values and an object inside', { mode: 'raw', jsonOutput: '={ "id": {{ $json.id }}, "who": "{{ $json.name }}", "at": {{ $json.address }}, "tags": {{ $json.tags }} }' }),
  latest('JSON: missing values become null', { mode: 'raw', jsonOutput: '={ "a": {{ $json.missing }}, "b": {{ $json.none }}, "c": {{ $json.missing.deep }} }' }),
  latest('JSON: a single expression of an object', { mode: 'raw', jsonOutput: '={{ $json.address }}' }),
  latest('JSON: a single expression of a text', { mode: 'raw', jsonOutput: '={{ JSON.stringify($json.address) }}' }),
  latest('JSON: quotes and line breaks of a value are repaired', { mode: 'raw', jsonOutput: '={ "a": "{{ $json.text }}" }' }, [{ text: 'say "hi"\nto all' }]),
  latest('JSON: single quotes, names without quotes, and a comma at the end', { mode: 'raw', jsonOutput: "={ a: 'x', 'b': {{ $json.id }}, }" }),
  latest('JSON: it is not JSON', { mode: 'raw', jsonOutput: '={ "a": {{ $json.text }} }' }, [{ text: 'x"y' }]),
  latest('JSON: it is a list', { mode: 'raw', jsonOutput: '={{ $json.tags }}' }),
  latest('JSON: it is a number', { mode: 'raw', jsonOutput: '={{ $json.id }}' }),
  latest('JSON: it is null', { mode: 'raw', jsonOutput: '={{ $json.none }}' }),
  latest('JSON: names with dots are paths', { mode: 'raw', jsonOutput: '{ "address.city": "Bonn" }', includeOtherFields: true }),
  third('JSON: with the fields of the item', { mode: 'raw', jsonOutput: '={ "id": "{{ $json.id }}!" }' }),
  third('JSON: without the fields of the item', { mode: 'raw', jsonOutput: '={ "id": "{{ $json.id }}!" }', include: 'none' }),
];

const old = [
  first('values by type, in the order of their types', { values: { string: [{ name: 's', value: 'x' }], number: [{ name: 'n', value: 1 }], boolean: [{ name: 'b', value: true }] } }),
  first('only the set fields', { keepOnlySet: true, values: { string: [{ name: 'address.city', value: 'Bonn' }] } }),
  first('without dot notation', { values: { string: [{ name: 'address.city', value: 'Bonn' }] }, options: { dotNotation: false } }),
  first('a number stays a text', { keepOnlySet: true, values: { number: [{ name: 'n', value: '={{ "7" }}' }] } }),
  second('a number of a text', { keepOnlySet: true, values: { number: [{ name: 'n', value: '={{ "7" }}' }, { name: 'm', value: '={{ "many" }}' }] } }),
  first('a boolean of any value', { keepOnlySet: true, values: { boolean: [{ name: 'a', value: '={{ "false" }}' }, { name: 'b', value: '={{ 0 }}' }, { name: 'c', value: '={{ $json.missing }}' }] } }),
  first('a text keeps the type of its expression', { keepOnlySet: true, values: { string: [{ name: 'a', value: '={{ $json.tags }}' }, { name: 'b', value: '={{ $json.id }}' }, { name: 'c', value: '={{ $json.id }} of {{ $json.name }}' }] } }),
];

export const cases = [...types, ...names, ...kept, ...raw, ...old];
