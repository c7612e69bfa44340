// The methods that n8n adds to texts, numbers, booleans, lists, objects and dates, such as `.toTitleCase()`. n8n finds their
// calls in the source of an expression. Here they are properties that exist only while an expression is evaluated, so other
// code sees the prototypes of the language.
(function (n8n) {
  'use strict';

  const { Array, Date, Error, Function, Intl, JSON, Map, Math, Number, Object, Reflect, RegExp, Set, String, URLSearchParams, WeakSet } =
    globalThis;
  const { isArray } = Array;
  const { keys } = Object;
  const { apply, defineProperty } = Reflect;
  const toSource = Function.prototype.toString;
  const TEXTS = n8n.texts;

  // --- Errors ---

  // An expression gives undefined when it throws, except for these errors.
  const kept = new WeakSet();
  n8n.keep = (error) => {
    kept.add(error);
    return error;
  };
  n8n.fail = (message) => {
    throw n8n.keep(new Error(message));
  };
  n8n.isKept = (error) => typeof error === 'object' && error !== null && kept.has(error);
  const { fail } = n8n;

  // --- Luxon, which is loaded when a script first needs it ---

  const { loadLuxon } = n8n;
  delete n8n.loadLuxon;
  let luxon;
  n8n.luxon = () => {
    if (luxon === undefined) {
      luxon = loadLuxon();
      luxon.Settings.defaultZone = n8n.zone;
      n8n.during(undefined, () => extendPrototype(luxon.DateTime.prototype, DATES));
    }
    return luxon;
  };

  // --- Values ---

  const isObject = (value) => typeof value === 'object' && value !== null;
  const has = (value, name) => isObject(value) && Object.hasOwn(value, name);
  const isDateTime = (value) => isObject(value) && value.isLuxonDateTime === true;
  const setField = (owner, name, value) =>
    defineProperty(owner, name, { value, writable: true, enumerable: true, configurable: true });
  // A text that is the same for values with the same content, so that lists are compared in linear time.
  const keyOf = (value) => {
    if (!isObject(value)) return typeof value === 'string' ? JSON.stringify(value) : typeof value + String(value);
    if (isArray(value)) return '[' + value.map(keyOf) + ']';
    if (value instanceof Date) return 'date' + Number(value);
    return '{' + keys(value).sort().map((name) => JSON.stringify(name) + ':' + keyOf(value[name])) + '}';
  };
  const distinct = (list, key = keyOf) => {
    const found = new Map();
    for (const value of list) {
      const name = key(value);
      if (!found.has(name)) found.set(name, value);
    }
    return [...found.values()];
  };
  const isBlank = (value) => value === null || value === undefined || value === '' || value === 'nil';
  const compactObject = (object) => {
    const result = {};
    for (const name of keys(object)) {
      const value = object[name];
      if (!isBlank(value) && !(isObject(value) && keys(value).length === 0)) {
        setField(result, name, isObject(value) ? compactObject(value) : value);
      }
    }
    return result;
  };
  const nothing = () => undefined;

  // --- Lists ---

  const readNumbers = (list, name) =>
    list.every((value) => typeof value === 'number') ? list : fail(`${name}(): all array elements must be numbers`);
  const sum = (list) => list.reduce((total, value) => total + value, 0);
  const readOther = (other, name, example) => (isArray(other) ? other : fail(`${name}(): expected array arg, e.g. .${name}(${example})`));
  const NUMBERS_EXAMPLE = '[1, 2, 3, 4]';
  const OBJECTS_EXAMPLE = '[{ id: 1, otherValue: 3 }]';
  // The fields of all objects, where the first value of a field stays.
  const joinFields = (...objects) => {
    const result = {};
    for (const object of objects) {
      if (!isObject(object)) continue;
      for (const name of keys(object)) if (!Object.hasOwn(result, name)) setField(result, name, object[name]);
    }
    return result;
  };
  const mergePairs = (first, second, size, isPair) => {
    const result = {};
    for (let i = 0; i < size; i++) {
      if (!isPair(first[i], second[i])) continue;
      const pair = joinFields(first[i], second[i]);
      for (const name of keys(pair)) setField(result, name, pair[name]);
    }
    return result;
  };
  const unique = (list, ...names) => {
    if (names.length === 0) return distinct(list);
    return distinct(list, (value) => (isObject(value) ? keyOf(names.map((name) => value[name])) : keyOf(value)));
  };
  const ARRAYS = {
    __proto__: null,
    removeDuplicates: unique,
    unique,
    first: (list) => list[0],
    last: (list) => list[list.length - 1],
    pluck(list, ...names) {
      if (names.length === 0) return list;
      const plucked = [];
      for (const value of list) {
        if (!isObject(value)) continue;
        const found = keys(value).flatMap((key) => names.filter((name) => name === key));
        if (found.length > 0) plucked.push(found.length === 1 ? value[found[0]] : found.map((name) => value[name]));
      }
      return plucked;
    },
    randomItem: (list) => list[Math.floor(Math.random() * list.length)],
    sum: (list) => sum(readNumbers(list, 'sum')),
    min: (list) => readNumbers(list, 'min').reduce((least, value) => Math.min(least, value), Infinity),
    max: (list) => readNumbers(list, 'max').reduce((most, value) => Math.max(most, value), -Infinity),
    average: (list) => (list.length === 0 ? 0 : sum(readNumbers(list, 'average')) / list.length),
    isEmpty: (list) => list.length === 0,
    isNotEmpty: (list) => list.length > 0,
    compact(list) {
      const kept = list.filter((value) => !isBlank(value) && !(isObject(value) && keys(value).length === 0));
      return kept.map((value) => (isObject(value) ? compactObject(value) : value));
    },
    smartJoin(list, name, value) {
      if (!name || !value || typeof name !== 'string' || typeof value !== 'string') {
        fail('smartJoin(): expected two string args, e.g. .smartJoin("name", "value")');
      }
      const result = {};
      for (const each of list) if (has(each, name) && has(each, value)) setField(result, each[name], each[value]);
      return result;
    },
    chunk(list, size) {
      // A size of at least one, because n8n does not end with other sizes.
      if (typeof size !== 'number' || !(size >= 1)) fail('chunk(): expected non-zero numeric arg, e.g. .chunk(5)');
      const chunks = [];
      for (let at = 0; at < list.length; at += size) chunks.push(list.slice(at, at + size));
      return chunks;
    },
    renameKeys(list, ...names) {
      if (names.length === 0 || names.length % 2 !== 0) {
        fail('renameKeys(): expected an even amount of args: from1, to1 [, from2, to2, ...]. e.g. .renameKeys("name", "title")');
      }
      return list.map((value) => {
        if (!isObject(value)) return value;
        const copy = { ...value };
        for (let i = 0; i < names.length; i += 2) {
          if (!Object.hasOwn(copy, names[i])) continue;
          setField(copy, names[i + 1], copy[names[i]]);
          delete copy[names[i]];
        }
        return copy;
      });
    },
    merge(list, ...given) {
      if (given[0] === undefined) return joinFields(...list.filter((value) => !isArray(value)));
      const other = readOther(given[0], 'merge', OBJECTS_EXAMPLE);
      return mergePairs(list, other, list.length, (first, second) => typeof first === 'object' && typeof second === 'object');
    },
    mergeIntoObject(list, given) {
      const other = readOther(given, 'mergeIntoObject', OBJECTS_EXAMPLE);
      return mergePairs(list, other, Math.max(list.length, other.length), () => true);
    },
    union: (list, other) => distinct([...list, ...readOther(other, 'union', NUMBERS_EXAMPLE)]),
    difference(list, other) {
      const others = new Set(readOther(other, 'difference', NUMBERS_EXAMPLE).map(keyOf));
      return distinct(list).filter((value) => !others.has(keyOf(value)));
    },
    intersection(list, other) {
      const others = new Set(readOther(other, 'intersection', NUMBERS_EXAMPLE).map(keyOf));
      return distinct(list).filter((value) => others.has(keyOf(value)));
    },
    append: (list, ...values) => [...list, ...values],
    toJsonString: (list) => JSON.stringify(list),
    toInt: nothing,
    toFloat: nothing,
    toBoolean: nothing,
    toDateTime: nothing,
  };

  // --- Dates: a DateTime of luxon gives one, a Date gives a Date ---

  const toLuxon = (date) => (isDateTime(date) ? date : n8n.luxon().DateTime.fromJSDate(date));
  const changed = (date, change) => {
    const result = change(toLuxon(date));
    return isDateTime(date) ? result : result.toJSDate();
  };
  const PARTS = { __proto__: null, week: 'weekNumber', yearDayNumber: 'ordinal', ms: 'millisecond' };
  for (const part of ['year', 'month', 'day', 'hour', 'minute', 'second', 'millisecond']) PARTS[part + 's'] = part;
  const UNITS = ['milliseconds', 'seconds', 'minutes', 'hours', 'days', 'weeks', 'months', 'quarters', 'years'];
  const readUnit = (unit) => {
    const found = UNITS.find((each) => each === unit || (each !== 'quarters' && each.slice(0, -1) === unit));
    return found ?? fail(`Unsupported unit '${unit}'. Supported: ${UNITS.map((each) => `'${each}'`).join(', ')}.`);
  };
  // A number without a unit counts milliseconds; an object or a Duration has its own units.
  const span = (amount = 0, ...units) => (units.length > 0 ? { [units[0] ?? 'minutes']: amount } : amount);
  const toMoment = (value) => {
    if (isDateTime(value)) return value;
    const date = typeof value === 'string' ? new Date(value) : value;
    return date instanceof Date && (typeof value !== 'string' || date.getTime() === date.getTime()) ? toLuxon(date) : undefined;
  };
  const getDifference = (date, other, unit = 'days') => {
    const units = isArray(unit) ? unit.map(readUnit) : [readUnit(unit)];
    const moment = typeof other === 'string' ? TEXTS.toDateTime(other) : toMoment(other) ?? toLuxon(new Date(NaN));
    if (units.length > 1) return date.diff(moment, units).toObject();
    return date.diff(moment, units[0] ?? 'days').as(units[0] ?? 'days');
  };
  const DATES = {
    __proto__: null,
    beginningOf: (date, unit = 'week') => changed(date, (moment) => moment.startOf(unit === 'ms' ? 'millisecond' : unit)),
    endOfMonth: (date) => changed(date, (moment) => moment.endOf('month')),
    extract: (date, unit = 'week') => toLuxon(date).get(PARTS[unit] ?? unit),
    isBetween(date, ...limits) {
      if (limits.length !== 2) fail('isBetween(): expected exactly two args');
      const moments = limits.map(toMoment);
      if (moments.includes(undefined)) return undefined;
      const [start, end] = moments[0] > moments[1] ? [moments[1], moments[0]] : moments;
      return toLuxon(date) > start && toLuxon(date) < end;
    },
    isDst: (date) => toLuxon(date).isInDST,
    isInLast(date, amount = 0, unit = 'minutes') {
      const now = n8n.luxon().DateTime.now();
      const moment = toLuxon(date);
      return now.minus({ [unit]: amount }) <= moment && moment <= now;
    },
    isWeekend: (date) => toLuxon(date).weekday > 5,
    plus: (date, ...amount) => changed(date, (moment) => apply(natives.plus, moment, [span(...amount)])),
    minus: (date, ...amount) => changed(date, (moment) => apply(natives.minus, moment, [span(...amount)])),
    format: (date, pattern) => toLuxon(date).toFormat(pattern),
    toDateTime: toLuxon,
    diffTo: getDifference,
    diffToNow: (date, unit) => getDifference(date, n8n.luxon().DateTime.now(), unit),
    toInt: (date) => date.valueOf(),
    toFloat: (date) => date.valueOf(),
    toBoolean: nothing,
    isEmpty: () => false,
    isNotEmpty: () => true,
  };

  // --- Numbers and booleans ---

  n8n.readTimestamp = (number, unit) => {
    const { DateTime } = n8n.luxon();
    switch (unit) {
      case 'ms':
        return DateTime.fromMillis(Math.ceil(number));
      case 's':
        return DateTime.fromSeconds(number);
      case 'us':
        return DateTime.fromMillis(Math.floor(number / 1000));
      case 'excel':
        // Days since 30 December 1899.
        return DateTime.fromMillis(Math.round((number - 25569) * 86_400_000));
      default:
        return undefined;
    }
  };
  const whole = (number, name) => (Number.isInteger(number) ? number : fail(`${name}() is only callable on integers`));
  const NUMBERS = {
    __proto__: null,
    ceil: Math.ceil,
    floor: Math.floor,
    format: (number, locale = 'en-US', options) => new Intl.NumberFormat(locale, options).format(number),
    round: (number, places = 0) => Number(number.toFixed(places)),
    abs: Math.abs,
    isInteger: Number.isInteger,
    isEven: (number) => whole(number, 'isEven') % 2 === 0,
    isOdd: (number) => Math.abs(whole(number, 'isOdd')) % 2 === 1,
    toBoolean: (number) => number !== 0,
    toInt: (number) => Number(number.toFixed(0)),
    toFloat: (number) => number,
    toDateTime(number, unit = 'ms') {
      const moment = n8n.readTimestamp(number, unit);
      return moment ?? fail(`Unsupported format '${unit}'. toDateTime() supports 'ms', 's', 'us' and 'excel'.`);
    },
  };
  const BOOLEANS = { __proto__: null, toBoolean: (value) => value, toInt: Number, toFloat: Number, toNumber: Number, toDateTime: nothing };

  // --- Objects ---

  const readPart = (value, message) => (typeof value === 'string' && value !== '' ? value : fail(message));
  const filterFields = (object, test) => Object.fromEntries(Object.entries(object).filter(([, value]) => test(value)));
  const OBJECTS = {
    __proto__: null,
    isEmpty: (object) => keys(object).length === 0,
    isNotEmpty: (object) => keys(object).length > 0,
    hasField: has,
    removeField(object, name) {
      if (!has(object, name)) return object;
      const { [name]: _, ...others } = object;
      return others;
    },
    removeFieldsContaining(object, part) {
      readPart(part, 'removeFieldsContaining(): expected non-empty string arg');
      return filterFields(object, (value) => typeof value !== 'string' || !value.includes(part));
    },
    keepFieldsContaining(object, part) {
      readPart(part, 'argument of keepFieldsContaining must be a non-empty string');
      return filterFields(object, (value) => typeof value === 'string' && value.includes(part));
    },
    compact: compactObject,
    urlEncode: (object) => new URLSearchParams(Object.entries(object).map(([name, value]) => [name, String(value)])).toString(),
    keys,
    values: Object.values,
    toJsonString: (object) => JSON.stringify(object),
    toInt: nothing,
    toFloat: nothing,
    toBoolean: nothing,
    toDateTime: nothing,
  };

  // --- Calls ---

  const TYPES = [['Array', ARRAYS], ['Date', DATES], ['Number', NUMBERS], ['Object', OBJECTS], ['String', TEXTS], ['Boolean', BOOLEANS]];
  const GENERIC = { __proto__: null, isEmpty: (value) => !value, isNotEmpty: (value) => !!value };
  const NAMES = new Set([...TYPES.flatMap(([, table]) => keys(table)), ...keys(GENERIC)]);
  const ISO_DATE = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.\d{3}Z/;
  // n8n takes such a text for a date, but then does not read it.
  const isDateText = (text) => {
    if (text.length !== 24 || !ISO_DATE.test(text)) return false;
    const date = new Date(text);
    return date.getTime() === date.getTime() && date.toISOString() === text;
  };
  const tableOf = (value) => {
    switch (typeof value) {
      case 'string':
        return TEXTS;
      case 'number':
        return NUMBERS;
      case 'boolean':
        return BOOLEANS;
      case 'object':
        if (isArray(value)) return ARRAYS;
        return value === null ? GENERIC : isDateTime(value) || value instanceof Date ? DATES : OBJECTS;
      default:
        return GENERIC;
    }
  };
  const methods = new WeakSet();
  const refuse = (value, name) => {
    if (value === undefined || value === null) fail(`${name} can't be used on ${value} value`);
    const types = TYPES.filter(([, table]) => name in table).map(([type]) => `"${type}"`);
    if (types.length === 0) fail(`Unknown expression function: ${name}`);
    const last = types.pop();
    fail(`${name}() is only callable on ${types.length > 0 ? `types ${types.join(', ')}, and` : 'type'} ${last}`);
  };
  // Calls a method as n8n does, also of null and undefined.
  n8n.extend = (value, name, ...given) => {
    let table = tableOf(value);
    if (table === TEXTS && name !== 'toDate' && name !== 'toDateTime' && isDateText(value)) {
      table = DATES;
      if (name in DATES) value = new Date(NaN);
    }
    if (name in table) return table[name](value, ...given);
    const own = value === undefined || value === null ? undefined : value[name];
    if (typeof own === 'function' && !methods.has(own)) return apply(own, value, given);
    return name in GENERIC ? GENERIC[name](value) : refuse(value, name);
  };

  // The function of the expression that is evaluated; undefined outside expressions.
  let current;
  n8n.during = (expression, run) => {
    const outer = current;
    current = expression;
    try {
      return run();
    } finally {
      current = outer;
    }
  };
  const calls = (expression, name) => {
    const source = apply(toSource, expression, []);
    return new RegExp(`\\.\\s*${name}\\s*(?:\\?\\.)?\\s*\\(`).test(source);
  };
  n8n.isMethod = (value) => methods.has(value);
  // The method whose call on null or undefined is the reason of a TypeError.
  n8n.findCall = (error, expression) => {
    const match = /^cannot read propert(?:y '(\w+)' of (\w+)|ies of (\w+) \(reading '(\w+)'\))$/i.exec(error.message);
    const name = match && (match[1] ?? match[4]);
    return name && NAMES.has(name) && calls(expression, name) ? [match[2] ?? match[3], name] : undefined;
  };

  const natives = {};
  const accessors = new Map();
  for (const name of NAMES) {
    const method = function (...given) { return n8n.extend(this, name, ...given); };
    methods.add(method);
    const set = function (value) { if (isObject(this) || typeof this === 'function') setField(this, name, value); };
    accessors.set(name, { method, get: () => (current === undefined ? undefined : method), set, enumerable: false, configurable: true });
  }
  const extendPrototype = (prototype, table) => {
    for (const [name, { method, ...accessor }] of accessors) {
      const native = prototype[name];
      // A text has its own `length`, which cannot be called. The native methods that n8n does not replace stay.
      if (name === 'length' || (!(name in table) && native !== undefined)) continue;
      if (native !== undefined) accessor.get = () => (current === undefined ? native : method);
      if (table === DATES) natives[name] ??= native;
      if (table === OBJECTS) {
        // The objects of a workflow often have fields with these names, so the method exists only if the expression calls it.
        if (!(name in OBJECTS)) continue;
        accessor.get = () => (current !== undefined && calls(current, name) ? method : undefined);
      }
      defineProperty(prototype, name, accessor);
    }
  };
  extendPrototype(Array.prototype, ARRAYS);
  extendPrototype(String.prototype, TEXTS);
  extendPrototype(Number.prototype, NUMBERS);
  extendPrototype(Boolean.prototype, BOOLEANS);
  extendPrototype(Date.prototype, DATES);
  extendPrototype(Object.prototype, OBJECTS);
})
