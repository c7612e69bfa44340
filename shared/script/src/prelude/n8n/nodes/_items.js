// What n8n's data nodes share: items, parameters, paths into objects, and equality.
(function (n8n) {
  'use strict';

  const { isArray } = Array;
  const isObject = (value) => typeof value === 'object' && value !== null;
  // An object that is neither a list nor a date of any kind.
  const isPlain = (value) => isObject(value) && !isArray(value) && typeof value.toJSON !== 'function';

  // --- Items ---

  /** The items of an input, which name their own place as their origin. Each is a copy, so a node can change it and pass it on. */
  n8n.received = (input = 0) => (n8n.inputs()[input] ?? []).map((item) => ({ ...item }));

  /** n8n completes origins that leave no doubt: of a single item, or of as many items as the node received. */
  n8n.completeOrigins = (outputs) => {
    const inputs = n8n.inputs();
    const count = inputs.length === 1 ? inputs[0].length : -1;
    const single = outputs.length === 1 && outputs[0].length === 1;
    for (const items of outputs) {
      for (let i = 0; i < items.length; i++) {
        if (items[i].pairedItem !== undefined) continue;
        if (count === 1 || single) items[i].pairedItem = { item: 0 };
        else if (outputs.length === 1 && count === items.length) items[i].pairedItem = { item: i };
        else return outputs;
      }
    }
    return outputs;
  };

  // --- Parameters ---

  const hasFunction = (value) =>
    typeof value === 'function' || (isObject(value) && Object.values(value).some(hasFunction));
  const evaluate = (value) => {
    if (typeof value === 'function') {
      const result = value();
      // Parameters have no moments of luxon: n8n makes texts of them.
      return isObject(result) && result.isLuxonDateTime === true ? result.toString() : result;
    }
    if (isArray(value)) return value.map(evaluate);
    if (!isPlain(value)) return value;
    const result = {};
    for (const key of Object.keys(value)) result[key] = evaluate(value[key]);
    return result;
  };

  /** A function that gives the parameter for the item at an index. Constants are not copied for each item. */
  n8n.reader = (value, fallback) => {
    if (value === undefined) return () => fallback;
    return hasFunction(value) ? (index) => n8n.withItem(index, () => evaluate(value)) : () => value;
  };
  n8n.read = (value, index, fallback) => n8n.reader(value, fallback)(index);

  /** The names in a text like "a, b". */
  n8n.names = (text) => {
    const list = isArray(text) ? text : typeof text === 'string' ? text.split(',') : [];
    return list.map((name) => (typeof name === 'string' ? name.trim() : name)).filter((name) => name);
  };

  // --- Paths, as those of lodash ---

  const PIECES = /[^.[\]]+|\[(?:(-?\d+(?:\.\d+)?)|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\]|(?=(?:\.|\[\])(?:\.|\[\]|$))/g;
  const UNSAFE = new Set(['__proto__', 'constructor', 'prototype']);
  const INDEX = /^(?:0|[1-9]\d*)$/;
  const parsed = new Map();
  const parsePath = (path) => {
    let keys = parsed.get(path);
    if (keys) return keys;
    keys = path[0] === '.' ? [''] : [];
    for (const [piece, number, double, single] of path.matchAll(PIECES)) {
      const quoted = double ?? single;
      keys.push(quoted === undefined ? number ?? piece : quoted.replace(/\\(\\)?/g, '$1'));
    }
    parsed.set(path, keys);
    return keys;
  };
  // A key with dots in its name wins over the path with the same text.
  const keysOf = (object, path) => {
    if (typeof path !== 'string' || path === '') return [String(path)];
    return isObject(object) && path in object ? [path] : parsePath(path);
  };

  n8n.getPath = (object, path, dots = true) => {
    if (!dots) return object?.[path];
    let value = object;
    for (const key of keysOf(object, path)) {
      if (value === undefined || value === null) return undefined;
      value = value[key];
    }
    return value;
  };

  n8n.setPath = (object, path, value, dots = true) => {
    const keys = dots ? keysOf(object, path) : [path];
    let parent = object;
    for (let i = 0; i < keys.length; i++) {
      if (dots && UNSAFE.has(keys[i])) return object;
      if (i === keys.length - 1) parent[keys[i]] = value;
      else if (!isObject(parent[keys[i]])) parent[keys[i]] = INDEX.test(keys[i + 1]) ? [] : {};
      parent = parent[keys[i]];
    }
    return object;
  };

  n8n.deletePath = (object, path, dots = true) => {
    const keys = dots ? keysOf(object, path) : [path];
    let parent = object;
    for (let i = 0; i < keys.length - 1; i++) {
      parent = parent?.[keys[i]];
      if (!isObject(parent)) return;
    }
    delete parent[keys[keys.length - 1]];
  };

  /** `path in object`, by the own keys of each level. */
  n8n.hasPath = (object, path) => {
    let value = object;
    for (const key of keysOf(object, path)) {
      if (!isObject(value) || !Object.hasOwn(value, key)) return false;
      value = value[key];
    }
    return true;
  };

  // --- Values ---

  /** What a conversion gives if it fails: any other value may be a result. */
  n8n.FAILED = Symbol('failed');
  n8n.isObject = isObject;
  n8n.isPlain = isPlain;

  /** The message of a thrown value, for people. */
  n8n.describeError = (thrown) => (thrown instanceof Error ? n8n.reword(String(thrown.message), String(thrown.stack)) : String(thrown));

  /** A copy of JSON. Dates stay as they are: they never change. */
  n8n.copy = (value) => {
    if (isArray(value)) return value.map(n8n.copy);
    if (!isPlain(value)) return value;
    const result = {};
    for (const key of Object.keys(value)) result[key] = n8n.copy(value[key]);
    return result;
  };

  /** A text that is the same for equal values: the order of their keys does not matter. It can be the key of a Map. */
  n8n.identify = (value) => {
    if (typeof value === 'string') return JSON.stringify(value);
    if (!isObject(value)) return String(value);
    if (typeof value.toJSON === 'function') return 'date ' + String(value.toJSON());
    if (isArray(value)) return '[' + value.map(n8n.identify).join(',') + ']';
    const keys = Object.keys(value).sort();
    return '{' + keys.map((key) => JSON.stringify(key) + ':' + n8n.identify(value[key])).join(',') + '}';
  };

  /** The first number of a sorted list that is at least `least`: a binary search. */
  n8n.firstFrom = (list, least) => {
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle] < least) low = middle + 1;
      else high = middle;
    }
    return list[low];
  };

  /** The order of texts, and of all other values as numbers. */
  n8n.isLess = (a, b) => (typeof a === 'string' && typeof b === 'string' ? a < b : Number(a) < Number(b));

  n8n.isEqual = (a, b) => {
    if (a === b) return true;
    if (!isObject(a) || !isObject(b)) return a !== a && b !== b;
    return n8n.identify(a) === n8n.identify(b);
  };
})
