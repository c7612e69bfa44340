// The conditions of If, Filter and Switch: their operators, types and settings.

import { conditions, node, start, workflow } from './build.mjs';

const items = [
  { name: 'Ada', n: 1, on: true, at: '2024-05-01', tags: ['x', 'y'], more: { a: 1 } },
  { name: 'bob', n: 10, on: false, at: '2024-06-01T12:00:00Z', tags: [], more: {} },
  { name: '', n: 0, on: null, tags: null },
  { n: -2 },
];
const one = (type, version) => (name, parameters, input = items) => ({
  name: `${type} ${version}: ${name}`,
  workflow: workflow([start(), node('Node', type, version, parameters)], [['Start', 'Node']]),
  input,
});
const when = one('if', 2.2);
const filter = (rows, more) => ({ conditions: conditions(rows, more), options: {} });
const loose = { typeValidation: 'loose' };

const texts = ['equals', 'notEquals', 'contains', 'notContains', 'startsWith', 'notStartsWith', 'endsWith', 'notEndsWith']
  .map((operation) => when(`a text ${operation}`, filter([['={{ $json.name }}', 'string', operation, 'Ad']])))
  .concat([
    when('a text matches a pattern', filter([['={{ $json.name }}', 'string', 'regex', '^[A-Z]']])),
    when('a text matches a pattern with flags', filter([['={{ $json.name }}', 'string', 'regex', '/^ADA$/i']])),
    when('a text does not match a pattern', filter([['={{ $json.name }}', 'string', 'notRegex', 'b$']])),
    when('a text is empty', filter([['={{ $json.name }}', 'string', 'empty']])),
    when('a text is not empty', filter([['={{ $json.name }}', 'string', 'notEmpty']])),
    when('a text exists', filter([['={{ $json.name }}', 'string', 'exists']])),
    when('a text does not exist', filter([['={{ $json.name }}', 'string', 'notExists']])),
    when('without case, texts are equal', filter([['={{ $json.name }}', 'string', 'equals', 'ADA']], { caseSensitive: false })),
    when('without case, a pattern stays as it is', filter([['={{ $json.name }}', 'string', 'regex', 'A']], { caseSensitive: false })),
    when('a number is no text', filter([['={{ $json.n }}', 'string', 'equals', '1']])),
    when('loosely, a number is a text', filter([['={{ $json.n }}', 'string', 'equals', '1']], loose)),
  ]);

const numbers = ['equals', 'notEquals', 'gt', 'lt', 'gte', 'lte']
  .map((operation) => when(`a number ${operation}`, filter([['={{ $json.n }}', 'number', operation, 1]])))
  .concat([
    when('a number of a text is an error', filter([['={{ $json.name }}', 'number', 'gt', 1]])),
    when('loosely, a text is a number', filter([['={{ $json.text }}', 'number', 'gt', 1]], loose), [{ text: '2' }, { text: '1' }, { text: '' }]),
    when('loosely, a text may be no number', filter([['={{ $json.text }}', 'number', 'gt', 1]], loose), [{ text: 'many' }]),
    when('two texts are no numbers', filter([['={{ $json.text }}', 'number', 'equals', '={{ $json.text }}']]), [{ text: '5' }]),
    when('a missing number is smaller than nothing', filter([['={{ $json.missing }}', 'number', 'lt', 1]])),
    one('if', 2.3)('an empty text is a missing number in version 3', filter([['={{ $json.text }}', 'number', 'empty']], { version: 3 }), [{ text: '' }, { text: ' ' }, { text: null }]),
  ]);

const dates = ['equals', 'notEquals', 'after', 'before', 'afterOrEquals', 'beforeOrEquals']
  .map((operation) => when(`a date ${operation}`, filter([['={{ $json.at }}', 'dateTime', operation, '2024-05-01']]), items.slice(0, 2)))
  .concat([
    when('a date in the zone of the workflow', filter([['={{ $json.at }}', 'dateTime', 'equals', '2024-05-01T04:00:00Z']]), items.slice(0, 1)),
    when('a missing date is neither before nor after', filter([['={{ $json.at }}', 'dateTime', 'before', '2030-01-01']])),
    when('a text is no date', filter([['={{ $json.name }}', 'dateTime', 'after', '2024-01-01']]), items.slice(0, 1)),
    when('now is a date', filter([['={{ $now }}', 'dateTime', 'after', '2024-01-01']]), items.slice(0, 1)),
    when('a date of an e-mail and of a database', filter([['={{ $json.a }}', 'dateTime', 'equals', '={{ $json.b }}']]), [{ a: 'Wed, 01 May 2024 10:00:00 GMT', b: '2024-05-01 10:00:00.000 Z' }]),
  ]);

const ofList = (operation, rightValue, rightType) => ({
  conditions: { ...conditions([]), conditions: [{ leftValue: '={{ $json.tags }}', rightValue, operator: { type: 'array', operation, rightType } }] },
});
const others = [
  when('a boolean is true', filter([['={{ $json.on }}', 'boolean', 'true']])),
  when('a boolean is false', filter([['={{ $json.on }}', 'boolean', 'false']])),
  when('booleans are equal', filter([['={{ $json.on }}', 'boolean', 'equals', '={{ $json.n > 0 }}']]), items.slice(0, 2)),
  when('a text is no boolean', filter([['={{ $json.text }}', 'boolean', 'true']]), [{ text: 'true' }]),
  when('loosely, a text is a boolean', filter([['={{ $json.text }}', 'boolean', 'true']], loose), [{ text: 'true' }, { text: 'false' }, { text: 'x' }, { text: '' }]),
  one('if', 2)('loosely, any text is true in version 1', filter([['={{ $json.text }}', 'boolean', 'true']], { ...loose, version: 1 }), [{ text: 'false' }, { text: '' }]),
  when('a list contains', ofList('contains', 'x', 'any'), items.slice(0, 3)),
  ...['lengthEquals', 'lengthNotEquals', 'lengthGt', 'lengthLt', 'lengthGte', 'lengthLte'].map((operation) =>
    when(`a list ${operation}`, ofList(operation, 1, 'number'), items.slice(0, 3))),
  when('a list is empty', filter([['={{ $json.tags }}', 'array', 'empty']])),
  when('a text is no list', filter([['={{ $json.name }}', 'array', 'notEmpty']]), items.slice(0, 1)),
  when('an object is empty', filter([['={{ $json.more }}', 'object', 'empty']])),
  when('an object exists', filter([['={{ $json.more }}', 'object', 'exists']])),
  when('all conditions hold', filter([['={{ $json.n }}', 'number', 'gt', 0], ['={{ $json.on }}', 'boolean', 'true']])),
  when('any condition holds', { conditions: { ...conditions([['={{ $json.n }}', 'number', 'gt', 5], ['={{ $json.on }}', 'boolean', 'true']]), combinator: 'or' } }),
  when('no conditions', filter([])),
  when('without a combinator, every item fulfils it', { conditions: { conditions: conditions([['={{ $json.n }}', 'number', 'gt', 5]]).conditions, options: {} } }),
  one('filter', 2.2)('keeps what fulfils it', filter([['={{ $json.n }}', 'number', 'gt', 0]])),
  one('filter', 2)('keeps what fulfils any of it', { conditions: { ...conditions([['={{ $json.n }}', 'number', 'gt', 5], ['={{ $json.name }}', 'string', 'equals', 'Ada']]), combinator: 'or' } }),
];

const oldIf = one('if', 1);
const old = [
  oldIf('all conditions', { conditions: { number: [{ value1: '={{ $json.n }}', operation: 'larger', value2: 0 }], string: [{ value1: '={{ $json.name }}', value2: 'Ada' }] } }),
  oldIf('any condition', { combineOperation: 'any', conditions: { number: [{ value1: '={{ $json.n }}', operation: 'larger', value2: 5 }], string: [{ value1: '={{ $json.name }}', value2: 'Ada' }] } }),
  oldIf('a text with defaults', { conditions: { string: [{ value1: '={{ $json.name }}' }] } }),
  oldIf('a number of a text is not equal', { conditions: { number: [{ value1: '={{ "1" }}', operation: 'equal', value2: 1 }] } }),
  oldIf('a value is empty', { conditions: { string: [{ value1: '={{ $json.more }}', operation: 'isEmpty' }] } }),
  oldIf('a value is not empty', { conditions: { number: [{ value1: '={{ $json.n }}', operation: 'isNotEmpty' }] } }),
  oldIf('a pattern', { conditions: { string: [{ value1: '={{ $json.name }}', operation: 'regex', value2: '/^ad/i' }] } }),
  oldIf('a date', { conditions: { dateTime: [{ value1: '={{ $json.at }}', operation: 'before', value2: '2024-05-15' }] } }, items.slice(0, 2)),
  oldIf('a text is no date', { conditions: { dateTime: [{ value1: 'never', operation: 'before', value2: '2024-05-15' }] } }),
  oldIf('booleans', { conditions: { boolean: [{ value1: '={{ $json.on }}', value2: true }] } }),
  one('filter', 1)('all conditions', { conditions: { number: [{ value1: '={{ $json.n }}', operation: 'larger', value2: 0 }] } }),
  one('filter', 1)('any condition', { combineConditions: 'OR', conditions: { string: [{ value1: '={{ $json.name }}', operation: 'contains', value2: 'o' }, { value1: '={{ $json.name }}', value2: 'Ada' }] } }),
];

const route = one('switch', 3.2);
const rules = (...rows) => ({ rules: { values: rows.map((row) => ({ conditions: conditions([row]) })) } });
const big = ['={{ $json.n }}', 'number', 'gt', 5];
const positive = ['={{ $json.n }}', 'number', 'gt', 0];
const rule = (operation, value2, more = {}) => ({ operation, value2, ...more });
const routes = [
  route('the first rule that holds', rules(big, positive)),
  route('all rules that hold', { ...rules(big, positive), options: { allMatchingOutputs: true } }),
  route('an extra output for the rest', { ...rules(big, positive), options: { fallbackOutput: 'extra' } }),
  route('the rest goes to an output', { ...rules(big, positive), options: { fallbackOutput: 1 } }),
  route('the rest goes nowhere', { ...rules(big), options: { fallbackOutput: 'none' } }),
  route('an output that does not exist', { ...rules(big), options: { fallbackOutput: 4 } }),
  route('the output from an expression', { mode: 'expression', numberOutputs: 3, output: '={{ $json.n > 5 ? 2 : 0 }}' }),
  route('an output from an expression that does not exist', { mode: 'expression', numberOutputs: 2, output: '={{ $json.n }}' }),
  route('an output that is no number', { mode: 'expression', output: '={{ $json.name }}' }),
  one('switch', 1)('the outputs of rules', { dataType: 'number', value1: '={{ $json.n }}', rules: { rules: [rule('larger', 5, { output: 2 }), rule('equal', 1)] }, fallbackOutput: 3 }),
  one('switch', 1)('texts', { dataType: 'string', value1: '={{ $json.name || "" }}', rules: { rules: [rule('contains', 'A'), rule('regex', '/^B/i', { output: 1 })] } }),
  one('switch', 1)('the output from an expression', { mode: 'expression', output: '={{ $json.n > 5 ? 3 : 1 }}' }),
  one('switch', 2)('an output for each rule', { dataType: 'boolean', value1: '={{ $json.n > 0 }}', rules: { rules: [rule('equal', true, { outputKey: 'yes' }), rule('equal', false, { outputKey: 'no' })] } }),
  one('switch', 2)('the rest goes to an output', { dataType: 'number', value1: '={{ $json.n }}', rules: { rules: [rule('equal', 1, { outputKey: 'one' }), rule('equal', 10, { outputKey: 'ten' })] }, fallbackOutput: 0 }),
  one('switch', 2)('the output from an expression', { mode: 'expression', outputsAmount: 2, output: '={{ $json.n > 0 ? 1 : 0 }}' }),
];

export const cases = [...texts, ...numbers, ...dates, ...others, ...old, ...routes];
