// The comparisons of the nodes If, Filter and Switch: the old ones, and the filter of the newer versions.
(function (n8n) {
  'use strict';

  const { FAILED } = n8n;
  const { isArray } = Array;

  // --- The old comparisons: each condition has a type, `value1`, `operation` and `value2` ---

  const EMPTY = [undefined, null, '', NaN];
  const isEmpty = (value) => {
    if (value instanceof Date) return Number.isNaN(value.getTime());
    return EMPTY.includes(value) || (n8n.isObject(value) && Object.keys(value).length === 0);
  };
  const toText = (value) => String(value || '');
  /** A pattern like `/a+/i`, or the source of one. */
  const toPattern = (text) => {
    const match = /^\/(.*?)\/([gimusy]*)$/.exec(text);
    return match ? new RegExp(match[1], match[2]) : new RegExp(text);
  };
  const isMatch = (a, b) => toPattern(toText(b)).test(toText(a));

  const OLD = {
    after: (a, b) => (a || 0) > (b || 0),
    before: (a, b) => (a || 0) < (b || 0),
    contains: (a, b) => toText(a).includes(toText(b)),
    endsWith: (value1, value2) => value1.endsWith(value2),
    equal: (a, b) => a === b,
    isEmpty,
    larger: (a, b) => (a || 0) > (b || 0),
    largerEqual: (a, b) => (a || 0) >= (b || 0),
    regex: isMatch,
    smaller: (a, b) => (a || 0) < (b || 0),
    smallerEqual: (a, b) => (a || 0) <= (b || 0),
    startsWith: (value1, value2) => value1.startsWith(value2),
  };
  for (const name of ['contains', 'endsWith', 'equal', 'regex', 'startsWith']) {
    OLD['not' + name[0].toUpperCase() + name.slice(1)] = (a, b) => !OLD[name](a, b);
  }
  OLD.isNotEmpty = (a) => !isEmpty(a);

  const toTime = (value) => {
    let time;
    if (typeof value === 'string') time = new Date(value).getTime();
    else if (typeof value === 'number') time = value;
    else if (n8n.isMoment(value)) time = value.toMillis();
    else if (value instanceof Date) time = value.getTime();
    else time = NaN;
    if (Number.isNaN(time)) throw new Error(`The value "${value}" is not a valid DateTime.`);
    return time;
  };

  /** The defaults of each type: the file leaves out the values and the operation that are equal to them. */
  const DEFAULTS = {
    boolean: { value: false, operation: 'equal' },
    dateTime: { value: '', operation: 'after' },
    number: { value: 0, operation: 'smaller' },
    string: { value: '', operation: 'equal' },
  };
  const read = (condition, key, fallback) => (key in condition ? condition[key] : fallback);

  /** The first value of a comparison. Times are compared as numbers. */
  n8n.oldValue = (type, owner) => {
    const value = read(owner, 'value1', DEFAULTS[type].value);
    return type === 'dateTime' ? toTime(value) : value;
  };
  n8n.compareOld = (type, left, condition, fallback = DEFAULTS[type].value) => {
    const { operation = DEFAULTS[type].operation } = condition;
    const right = read(condition, 'value2', fallback);
    return OLD[operation](left, type === 'dateTime' ? toTime(right) : right);
  };

  /** Whether all or any of `conditions` hold, which are grouped by their type. */
  n8n.holdsOld = (conditions, any) => {
    for (const type of Object.keys(DEFAULTS)) {
      for (const condition of conditions?.[type] ?? []) {
        if (n8n.compareOld(type, n8n.oldValue(type, condition), condition) === any) return any;
      }
    }
    return !any;
  };

  // --- The filter ---

  const isMissing = (value) => value === undefined || value === null || Number.isNaN(value);
  const lower = (value) => (typeof value === 'string' ? value.toLocaleLowerCase() : value);
  const invert = (table, names) => {
    for (const [name, opposite] of names) table[opposite] = (...values) => !table[name](...values);
    return table;
  };

  const COMPARISONS = {
    string: invert({
      empty: (a) => (a ?? '').length === 0,
      equals: (a, b) => (a ?? '') === (b ?? ''),
      contains: (a, b) => (a ?? '').includes(b ?? ''),
      startsWith: (a, b) => (a ?? '').startsWith(b ?? ''),
      endsWith: (a, b) => (a ?? '').endsWith(b ?? ''),
      regex: (a, b) => toPattern(b ?? '').test(a ?? ''),
    }, [['empty', 'notEmpty'], ['equals', 'notEquals'], ['contains', 'notContains'], ['startsWith', 'notStartsWith'],
      ['endsWith', 'notEndsWith'], ['regex', 'notRegex']]),
    number: invert({
      empty: isMissing,
      equals: (a, b) => a === b,
      gt: (a, b) => a > b,
      lt: (a, b) => a < b,
      gte: (a, b) => a >= b,
      lte: (a, b) => a <= b,
    }, [['empty', 'notEmpty'], ['equals', 'notEquals']]),
    dateTime: invert({
      empty: isMissing,
      equals: (a, b) => a.toMillis() === b.toMillis(),
      after: (a, b) => a.toMillis() > b.toMillis(),
      before: (a, b) => a.toMillis() < b.toMillis(),
      afterOrEquals: (a, b) => a.toMillis() >= b.toMillis(),
      beforeOrEquals: (a, b) => a.toMillis() <= b.toMillis(),
    }, [['empty', 'notEmpty'], ['equals', 'notEquals']]),
    boolean: invert({
      empty: isMissing,
      true: (a) => a,
      false: (a) => !a,
      equals: (a, b) => a === b,
    }, [['empty', 'notEmpty'], ['equals', 'notEquals']]),
    array: invert({
      empty: (a) => (a ?? []).length === 0,
      contains: (a, b, ignoreCase) => (ignoreCase ? (a ?? []).map(lower).includes(lower(b)) : (a ?? []).includes(b)),
      lengthEquals: (a, b) => (a ?? []).length === b,
      lengthGt: (a, b) => (a ?? []).length > b,
      lengthLt: (a, b) => (a ?? []).length < b,
      lengthGte: (a, b) => (a ?? []).length >= b,
      lengthLte: (a, b) => (a ?? []).length <= b,
    }, [['empty', 'notEmpty'], ['contains', 'notContains'], ['lengthEquals', 'lengthNotEquals']]),
    object: invert({
      empty: (a) => !a || Object.keys(a).length === 0,
    }, [['empty', 'notEmpty']]),
  };

  const isStrictly = (type, value) => {
    if (type === 'array') return isArray(value);
    if (type === 'object') return n8n.isObject(value) && !isArray(value);
    return type === 'dateTime' || typeof value === type;
  };
  /** Version 3 treats these as a missing number. */
  const isBlank = (value) => (typeof value === 'string' ? value.trim() === '' : isArray(value) && value.length === 0);
  const parse = (value, type, { strict, version }) => {
    if (type === 'any' || value === null || value === undefined) return value;
    if (type === 'boolean' && !strict) {
      const parsed = version >= 2 ? n8n.convert(type, value) : FAILED;
      return parsed === FAILED ? Boolean(value) : parsed;
    }
    if (type === 'number' && Number.isNaN(value)) return value;
    if (version >= 3 && type === 'number' && isBlank(value)) return null;
    return strict && !isStrictly(type, value) ? FAILED : n8n.convert(type, value);
  };

  const withArticle = (type) => (/^[aeiou]/.test(type) ? 'an ' : 'a ') + type;
  /** The message for values of the wrong type: `values`, `parsed` and `types` have both sides of the condition. */
  const describe = (values, parsed, types, strict, place) => {
    const side = parsed[0] === FAILED ? 0 : 1;
    const actual = typeof values[side];
    const expected = withArticle(types[side]);
    if (parsed[0] === FAILED && parsed[1] === FAILED && typeof values[1] === actual) {
      return `Comparison type expects ${expected} but both fields are ${withArticle(actual)}`;
    }
    const value = `'${String(values[side])}'`;
    return strict
      ? `Wrong type: ${value} is ${withArticle(actual)} but was expecting ${expected} ${place}`
      : `Conversion error: the ${actual} ${value} can't be converted to ${expected} ${place}`;
  };

  const holds = (condition, options, place) => {
    const { operator } = condition;
    const { type, operation } = operator;
    const values = [condition.leftValue, operator.singleValue ? undefined : condition.rightValue];
    const types = [type, operator.rightType ?? type];
    const parsed = values.map((value, side) => parse(value, types[side], options));
    if (parsed.includes(FAILED)) throw new TypeError(describe(values, parsed, types, options.strict, place));
    let [left, right] = parsed;
    if (operation === 'exists') return !isMissing(left);
    if (operation === 'notExists') return isMissing(left);
    if (options.ignoreCase && type === 'string') {
      left = lower(left);
      if (operation !== 'regex' && operation !== 'notRegex') right = lower(right);
    }
    if (type === 'dateTime' && !operator.singleValue && (!left || !right)) return false;
    return COMPARISONS[type]?.[operation]?.(left, right, options.ignoreCase) ?? false;
  };

  /** Whether an item fulfils a filter: the value of a parameter `conditions`. */
  n8n.holds = (filter, index) => {
    const { conditions, combinator, options = {} } = filter;
    // n8n does not recognize such a value as a filter.
    if (conditions === undefined || combinator === undefined) return true;
    const settings = {
      ignoreCase: options.caseSensitive === false,
      strict: options.typeValidation === 'strict',
      version: options.version ?? 1,
    };
    const any = combinator === 'or';
    for (let i = 0; i < conditions.length; i++) {
      if (holds(conditions[i], settings, `[condition ${i}, item ${index}]`) === any) return any;
    }
    return !any;
  };
})
