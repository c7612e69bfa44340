// Runs before the script, in the same context. It captures the native functions, removes what is not deterministic, and wraps
// each native function that can run long without a poll of the engine. A wrapper is bytecode, so each of its calls polls.
(function (host) {
  'use strict';

  // The script may replace globals, so the functions below use these.
  const { Array, ArrayBuffer, DataView, Error, Function, Iterator, JSON, Map, Math, Number, Object, Reflect, RegExp, String, Symbol,
    TypeError, Uint8Array, WeakMap, WeakSet } = globalThis;
  const { apply, construct, defineProperty, deleteProperty, get, getOwnPropertyDescriptor, getPrototypeOf, has, ownKeys, set } =
    Reflect;
  const { isArray } = Array;
  const { spend, stop } = host;
  const NativeProxy = Proxy;
  const NativeSet = Set;
  const stringify = JSON.stringify;
  const toWellFormed = String.prototype.toWellFormed;
  const uncurry = (native) => (self, ...args) => apply(native, self, args);

  // --- Measures ---

  const MAX_ITEMS = 10_000_000;
  const SHORT_TEXT = 256;
  const STEPS_PER_SPEND = 20_000;
  let unspent = 0;

  // Counts the work of a native function. One step is about ten nanoseconds.
  const charge = (steps) => {
    unspent += steps;
    if (unspent >= STEPS_PER_SPEND) {
      const steps = unspent;
      unspent = 0;
      spend(steps);
    }
  };

  // --- Replacing natives ---

  const natives = new WeakMap();
  const originalOf = uncurry(WeakMap.prototype.get);
  const remember = uncurry(WeakMap.prototype.set);

  const hide = (owner, name, value) =>
    defineProperty(owner, name, { value, writable: true, enumerable: false, configurable: true });

  // Gives a wrapper the name and the length of its native function.
  const imitate = (wrapper, native) => {
    defineProperty(wrapper, 'name', { value: native.name, configurable: true });
    defineProperty(wrapper, 'length', { value: native.length, configurable: true });
    remember(natives, wrapper, native);
    return wrapper;
  };

  const replace = (owner, name, create) => {
    const native = owner[name];
    if (typeof native === 'function') hide(owner, name, imitate(create(native), native));
  };

  const replaceAll = (owner, names, create) => {
    for (let i = 0; i < names.length; i++) replace(owner, names[i], create);
  };

  // Replaces a constructor. The function that `create` returns must work with and without `new`.
  const replaceConstructor = (name, create) => {
    const native = globalThis[name];
    const wrapper = imitate(create(native), native);
    const keys = ownKeys(native);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      if (key === 'name' || key === 'length') continue;
      defineProperty(wrapper, key, getOwnPropertyDescriptor(native, key));
    }
    if (native.prototype) hide(native.prototype, 'constructor', wrapper);
    hide(globalThis, name, wrapper);
    return native;
  };

  replace(Function.prototype, 'toString', (native) => ({
    toString() {
      const source = apply(native, (typeof this === 'function' && originalOf(natives, this)) || this, []);
      const end = source.length - NATIVE_BODY.length;
      return end > 0 && sliceText(source, end) === NATIVE_BODY ? sliceText(source, 0, end) + ' { [native code] }' : source;
    },
  }).toString);
  const NATIVE_BODY = ' {\n    [native code]\n}';

  // --- Code from strings, and what is not deterministic ---

  const refuseCode = () => {
    throw new TypeError('Code from strings is not supported. Write the function in the source of the script.');
  };
  const blockConstructor = (prototype, isGlobal) => {
    const native = prototype.constructor;
    const blocked = imitate(function () { refuseCode(); }, native);
    defineProperty(blocked, 'prototype', { value: prototype, writable: false, enumerable: false, configurable: false });
    defineProperty(prototype, 'constructor', { value: blocked, writable: isGlobal, enumerable: false, configurable: true });
    if (isGlobal) hide(globalThis, 'Function', blocked);
  };
  blockConstructor(Function.prototype, true);
  blockConstructor(getPrototypeOf(async function () {}), false);
  blockConstructor(getPrototypeOf(function* () {}), false);
  blockConstructor(getPrototypeOf(async function* () {}), false);
  hide(globalThis, 'eval', imitate({ eval() { refuseCode(); } }.eval, globalThis.eval));

  const removed = ['WeakRef', 'FinalizationRegistry', 'Atomics', 'SharedArrayBuffer', 'performance', 'gc', 'navigator', 'Intl',
    'DOMException', 'InternalError'];
  for (let i = 0; i < removed.length; i++) deleteProperty(globalThis, removed[i]);
  // The engine calls `prepareStackTrace` while it stops a script, and leaks values of `stackTraceLimit`.
  deleteProperty(Error, 'prepareStackTrace');
  deleteProperty(Error, 'stackTraceLimit');
  // Proposals whose native loops do not poll.
  for (const [owner, names] of [
    [Iterator, ['concat', 'zip', 'zipKeyed']],
    [Iterator.prototype, ['includes', 'join']],
    [Math, ['sumPrecise']],
  ]) {
    for (const name of names) deleteProperty(owner, name);
  }

  // --- Objects that native loops may walk ---

  const proxies = new WeakSet();
  const addProxy = uncurry(WeakSet.prototype.add);
  const hasProxy = uncurry(WeakSet.prototype.has);
  let proxyExists = false;
  const noteProxy = (proxy) => {
    proxyExists = true;
    addProxy(proxies, proxy);
    return proxy;
  };
  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
  const isProxied = (value) => proxyExists && hasProxy(proxies, value);

  replaceConstructor('Proxy', (native) => {
    replace(native, 'revocable', (revocable) => ({
      revocable(target, handler) {
        const result = apply(revocable, native, [target, handler]);
        noteProxy(result.proxy);
        return result;
      },
    }).revocable);
    const Proxy = function (target, handler) {
      if (!new.target) throw new TypeError("Constructor Proxy requires 'new'");
      return noteProxy(new NativeProxy(target, handler));
    };
    Proxy.prototype = undefined;
    return Proxy;
  });

  // A view of an object whose traps are bytecode, so that a native loop polls at each access.
  const pollingView = (target) => {
    const view = new NativeProxy(target, {
      get: (target, key, receiver) => get(target, key, receiver === view ? target : receiver),
      set: (target, key, value, receiver) => set(target, key, value, receiver === view ? target : receiver),
      has: (target, key) => has(target, key),
      deleteProperty: (target, key) => deleteProperty(target, key),
      defineProperty: (target, key, descriptor) => defineProperty(target, key, descriptor),
      getOwnPropertyDescriptor: (target, key) => getOwnPropertyDescriptor(target, key),
    });
    return view;
  };

  // Returns an object that a native loop may walk from 0 to its length: itself if the length is known and small enough,
  // else a view that polls.
  const walkable = (value) => {
    if (!isObject(value)) return value;
    if (isProxied(value)) return pollingView(value);
    if (isArray(value)) {
      const { length } = value;
      if (length > MAX_ITEMS) stop();
      charge(length >> 2);
      return value;
    }
    const descriptor = getOwnPropertyDescriptor(value, 'length');
    const length = descriptor && descriptor.value;
    if (typeof length !== 'number') return pollingView(value);
    if (length > MAX_ITEMS) stop();
    charge(length > 0 ? length >> 2 : 0);
    return value;
  };

  // --- Arrays ---

  const walkThis = (native) => ({
    method() {
      const self = walkable(this);
      const result = apply(native, self, arguments);
      return result === self ? this : result;
    },
  }).method;
  replaceAll(Array.prototype, ['copyWithin', 'fill', 'join', 'reverse', 'shift', 'slice', 'splice', 'toLocaleString',
    'toReversed', 'toSpliced', 'unshift', 'with'], walkThis);

  // The comparison of two long texts or large numbers costs as much as they are long.
  const isLong = (value) => (typeof value === 'string' && value.length > SHORT_TEXT) || typeof value === 'bigint';
  const search = (first, step, matches) => (native) => ({
    method(value, from) {
      const self = walkable(this);
      if (!isLong(value) || self !== this || !isArray(self)) return apply(native, self, arguments);
      let index = first > 0 ? self.length - 1 : 0;
      if (arguments.length > 1) {
        const start = toInteger(from);
        if (first > 0) index = start < 0 ? self.length + start : min(start, index);
        else index = start < 0 ? max(self.length + start, 0) : start;
      }
      for (; index >= 0 && index < self.length; index += step) {
        charge(value.length >> 4);
        if (self[index] === value) return matches ? true : index;
      }
      return matches ? false : -1;
    },
  }).method;
  const { min, max, trunc, log2 } = Math;
  const toInteger = (value) => {
    const number = trunc(Number(value));
    return number !== number ? 0 : number;
  };
  replace(Array.prototype, 'indexOf', search(0, 1, false));
  replace(Array.prototype, 'lastIndexOf', search(1, -1, false));
  replace(Array.prototype, 'includes', search(0, 1, true));

  replace(Array.prototype, 'concat', (native) => ({
    concat() {
      for (let i = 0; i < arguments.length; i++) arguments[i] = spreadable(arguments[i]);
      return apply(native, spreadable(this), arguments);
    },
  }).concat);
  const spreadable = (value) => {
    if (!isObject(value)) return value;
    const spreads = value[Symbol.isConcatSpreadable];
    return (spreads === undefined ? isArray(value) : spreads) ? walkable(value) : value;
  };

  // Arrays are sorted by texts unless there is a comparison. Long texts are compared in bytecode, which polls.
  const compareTexts = (a, b) => {
    const left = String(a);
    const right = String(b);
    charge(min(left.length, right.length) >> 4);
    return left < right ? -1 : left > right ? 1 : 0;
  };
  const hasLongText = (array) => {
    for (let i = 0; i < array.length; i++) {
      const value = array[i];
      if (isLong(value) || isObject(value)) return true;
    }
    return false;
  };
  const chargeSort = (length) => charge(length > 1 ? (length * log2(length)) >> 2 : 0);
  const sort = (native) => ({
    sort(compare) {
      const self = walkable(this);
      if (isArray(self)) chargeSort(self.length);
      const byText = compare === undefined && (!isArray(self) || hasLongText(self));
      const result = apply(native, self, [byText ? compareTexts : compare]);
      return result === self ? this : result;
    },
  }).sort;
  replace(Array.prototype, 'sort', sort);
  replace(Array.prototype, 'toSorted', sort);

  // The native functions walk nested arrays without polls.
  const toLength = (value) => min(max(toInteger(value), 0), Number.MAX_SAFE_INTEGER);
  const isArrayConstructor = (value) => value === undefined || value === Array;
  const createLike = (array) => {
    if (!isArray(array)) return [];
    let species = array.constructor;
    if (isObject(species)) species = species[Symbol.species] ?? undefined;
    return isArrayConstructor(species) ? [] : construct(species, [0]);
  };
  const flatten = (target, source, depth, start) => {
    const length = toLength(source.length);
    let end = start;
    for (let i = 0; i < length; i++) {
      if (!(i in source)) continue;
      const item = source[i];
      if (depth > 0 && isArray(item)) end = flatten(target, item, depth - 1, end);
      else hideItem(target, end++, item);
    }
    return end;
  };
  const hideItem = (target, index, value) => {
    if (!defineProperty(target, index, { value, writable: true, enumerable: true, configurable: true })) {
      throw new TypeError('Cannot define the property ' + index);
    }
  };
  replace(Array.prototype, 'flat', () => ({
    flat(depth) {
      const self = Object(requireObject(this));
      const levels = depth === undefined ? 1 : toInteger(depth);
      const target = createLike(self);
      flatten(target, self, levels, 0);
      return target;
    },
  }).flat);
  replace(Array.prototype, 'flatMap', () => ({
    flatMap(callback, thisArgument) {
      const self = Object(requireObject(this));
      const length = toLength(self.length);
      if (typeof callback !== 'function') throw new TypeError('flatMap mapper function is not callable');
      const target = createLike(self);
      let end = 0;
      for (let i = 0; i < length; i++) {
        if (!(i in self)) continue;
        const item = apply(callback, thisArgument, [self[i], i, self]);
        if (isArray(item)) end = flatten(target, item, 0, end);
        else hideItem(target, end++, item);
      }
      return target;
    },
  }).flatMap);
  const requireObject = (value) => {
    if (value === null || value === undefined) throw new TypeError('Cannot convert undefined or null to object');
    return value;
  };

  // --- Natives whose work is that of their input: the wrapper only polls ---

  const poll = (native) => ({
    method() {
      return apply(native, this, arguments);
    },
  }).method;
  replaceAll(Object, ['assign', 'defineProperties', 'entries', 'freeze', 'fromEntries', 'getOwnPropertyDescriptors',
    'getOwnPropertyNames', 'getOwnPropertySymbols', 'isFrozen', 'isSealed', 'keys', 'seal', 'values'], poll);
  replaceAll(Reflect, ['ownKeys'], poll);
  replaceAll(Array, ['from', 'of'], poll);
  replaceAll(JSON, ['parse'], poll);
  replaceAll(ArrayBuffer.prototype, ['slice', 'transfer', 'transferToFixedLength', 'resize'], poll);
  // The native function goes on when its buffer cannot grow. It calls the replacer for each value, which polls.
  const pollingReplacer = (key, value) => value;
  const renderJson = (value, replacer, space) => {
    if (typeof replacer === 'function') return stringify(value, replacer, space);
    const list = isArray(replacer) ? walkable(replacer) : undefined;
    if (!isObject(value)) return stringify(value, list, space);
    if (list === undefined) return stringify(value, pollingReplacer, space);
    const text = stringify(value, pollingReplacer);
    return text === undefined ? undefined : stringify(parseJson(text), list, space);
  };
  const parseJson = JSON.parse;
  replace(JSON, 'stringify', () => ({
    stringify(value, replacer, space) {
      return renderJson(value, replacer, space);
    },
  }).stringify);

  // --- Typed arrays ---

  const TypedArray = getPrototypeOf(Uint8Array);
  const typedLength = uncurry(getOwnPropertyDescriptor(TypedArray.prototype, 'length').get);
  const { isView } = ArrayBuffer;
  const chargeTyped = (array) => {
    if (isView(array) && !(array instanceof DataView)) charge(typedLength(array) >> 3);
  };
  const walkTyped = (native) => ({
    method() {
      chargeTyped(this);
      return apply(native, this, arguments);
    },
  }).method;
  replaceAll(TypedArray.prototype, ['copyWithin', 'fill', 'includes', 'indexOf', 'join', 'lastIndexOf', 'reverse', 'set', 'slice',
    'toLocaleString', 'toReversed', 'with'], walkTyped);
  // The callback may be native, so these poll only at their own call.
  replaceAll(TypedArray.prototype, ['every', 'filter', 'find', 'findIndex', 'findLast', 'findLastIndex', 'forEach', 'map', 'reduce',
    'reduceRight', 'some'], walkTyped);
  replaceAll(TypedArray, ['from', 'of'], poll);
  replaceAll(Map.prototype, ['forEach'], poll);
  replaceAll(NativeSet.prototype, ['forEach'], poll);
  const compareNumbers = (a, b) => {
    if (a !== a) return b !== b ? 0 : 1;
    if (b !== b || a < b) return -1;
    if (a > b) return 1;
    return Object.is(a, b) ? 0 : Object.is(a, -0) ? -1 : Object.is(b, -0) ? 1 : 0;
  };
  const sortTyped = (native) => ({
    sort(compare) {
      chargeTyped(this);
      const isLarge = compare === undefined && isView(this) && typedLength(this) > 100_000;
      return apply(native, this, [isLarge ? compareNumbers : compare]);
    },
  }).sort;
  replace(TypedArray.prototype, 'sort', sortTyped);
  replace(TypedArray.prototype, 'toSorted', sortTyped);

  // --- Collections ---

  const hasOwnIterator = (array) => getOwnPropertyDescriptor(array, Symbol.iterator) !== undefined;
  replaceConstructor('Set', (native) => function (iterable) {
    if (!new.target) throw new TypeError("Constructor Set requires 'new'");
    if (isArray(iterable) && !isProxied(iterable) && iterable.length <= MAX_ITEMS && !hasOwnIterator(iterable)) {
      return construct(native, [iterable], new.target);
    }
    const self = construct(native, [], new.target);
    if (iterable === undefined || iterable === null) return self;
    const { add } = self;
    if (typeof add !== 'function') throw new TypeError('set/add is not a function');
    for (const value of iterable) apply(add, self, [value]);
    return self;
  });
  const isSet = uncurry(getOwnPropertyDescriptor(NativeSet.prototype, 'size').get);
  const isMap = uncurry(getOwnPropertyDescriptor(Map.prototype, 'size').get);
  const succeeds = (test, value) => {
    try {
      test(value);
      return true;
    } catch {
      return false;
    }
  };
  // An object with the interface of a set whose functions are bytecode.
  const pollingSet = (other) => {
    if (!isObject(other) || (!isProxied(other) && (succeeds(isSet, other) || succeeds(isMap, other)))) return other;
    return {
      get size() { return other.size; },
      get has() { return callable(other, other.has); },
      get keys() {
        const keys = callable(other, other.keys);
        return typeof keys === 'function' ? () => pollingIterator(keys()) : keys;
      },
    };
  };
  const callable = (self, method) => (typeof method === 'function' ? (value) => apply(method, self, [value]) : method);
  const pollingIterator = (iterator) => {
    if (!isObject(iterator)) return iterator;
    const { next } = iterator;
    return {
      next: () => apply(next, iterator, []),
      return: () => (iterator.return === undefined ? {} : iterator.return()),
    };
  };
  replaceAll(NativeSet.prototype, ['difference', 'intersection', 'isDisjointFrom', 'isSubsetOf', 'isSupersetOf',
    'symmetricDifference', 'union'], (native) => ({
    method(other) {
      return apply(native, this, [pollingSet(other)]);
    },
  }).method);

  // --- Iterator helpers: their loops poll only if the callback does ---

  const pollingCallback = (callback) =>
    typeof callback === 'function' ? (a, b, c) => callback(a, b, c) : callback;
  replaceAll(Iterator.prototype, ['every', 'filter', 'find', 'flatMap', 'forEach', 'map', 'some'], (native) => ({
    method(callback) {
      return apply(native, this, [pollingCallback(callback)]);
    },
  }).method);
  replace(Iterator.prototype, 'reduce', (native) => ({
    reduce(callback) {
      arguments[0] = pollingCallback(callback);
      return apply(native, this, arguments);
    },
  }).reduce);
  replace(Iterator.prototype, 'drop', (native) => ({
    drop(count) {
      const number = Number(count);
      if (number > MAX_ITEMS) stop();
      charge(number > 0 ? number : 0);
      return apply(native, this, [number]);
    },
  }).drop);
  replaceAll(Iterator.prototype, ['toArray', 'take'], poll);

  // --- Texts ---

  const text = String.prototype;
  const sliceText = uncurry(text.slice);
  const nativeIndexOf = uncurry(text.indexOf);
  const nativeLastIndexOf = uncurry(text.lastIndexOf);
  const matchPattern = uncurry(RegExp.prototype.exec);
  // A search compares the needle at each place of the haystack. It is split so that each part has at most this work.
  const MAX_SEARCH = 10_000_000;

  const requireText = (value, name) => {
    if (value === null || value === undefined) {
      throw new TypeError('String.prototype.' + name + ' called on null or undefined');
    }
    return typeof value === 'string' ? value : String(value);
  };
  const isHeavy = (haystack, needle) => needle.length > 1 && haystack.length * needle.length > MAX_SEARCH;
  const findFrom = (haystack, needle, from) => {
    if (!isHeavy(haystack, needle)) return nativeIndexOf(haystack, needle, from);
    const places = max(1, trunc(MAX_SEARCH / needle.length));
    for (let start = from; start + needle.length <= haystack.length; start += places) {
      charge(min(places * needle.length, MAX_SEARCH) >> 4);
      const part = sliceText(haystack, start, start + places + needle.length - 1);
      const found = nativeIndexOf(part, needle, 0);
      if (found >= 0) return start + found;
    }
    return -1;
  };
  const findLast = (haystack, needle, from) => {
    if (!isHeavy(haystack, needle)) return nativeLastIndexOf(haystack, needle, from);
    const places = max(1, trunc(MAX_SEARCH / needle.length));
    for (let end = min(from, haystack.length - needle.length); end >= 0; end -= places) {
      charge(min(places * needle.length, MAX_SEARCH) >> 4);
      const start = max(0, end - places + 1);
      const found = nativeLastIndexOf(sliceText(haystack, start, end + needle.length), needle);
      if (found >= 0) return start + found;
    }
    return -1;
  };

  replace(text, 'indexOf', () => ({
    indexOf(value, from) {
      const self = requireText(this, 'indexOf');
      const needle = String(value);
      const start = from === undefined ? 0 : min(max(toInteger(from), 0), self.length);
      if (self.length > SHORT_TEXT) charge(self.length >> 4);
      return findFrom(self, needle, start);
    },
  }).indexOf);
  replace(text, 'lastIndexOf', () => ({
    lastIndexOf(value, from) {
      const self = requireText(this, 'lastIndexOf');
      const needle = String(value);
      const number = Number(from);
      const start = number !== number ? self.length : min(max(trunc(number), 0), self.length);
      if (self.length > SHORT_TEXT) charge(self.length >> 4);
      return findLast(self, needle, start);
    },
  }).lastIndexOf);
  const isPattern = (value) => {
    if (!isObject(value)) return false;
    const match = value[Symbol.match];
    return match === undefined ? value instanceof RegExp : !!match;
  };
  replace(text, 'includes', () => ({
    includes(value, from) {
      const self = requireText(this, 'includes');
      if (isPattern(value)) throw new TypeError('First argument to String.prototype.includes must not be a regular expression');
      const needle = String(value);
      const start = from === undefined ? 0 : min(max(toInteger(from), 0), self.length);
      if (self.length > SHORT_TEXT) charge(self.length >> 4);
      return findFrom(self, needle, start) >= 0;
    },
  }).includes);

  // Expands the `$` of a replacement, as the standard says for a search without groups.
  const expand = (replacement, matched, self, position) => {
    let result = '';
    let index = 0;
    for (;;) {
      const next = nativeIndexOf(replacement, '$', index);
      if (next < 0 || next + 1 >= replacement.length) return result + sliceText(replacement, index);
      const mark = replacement[next + 1];
      result += sliceText(replacement, index, next);
      if (mark === '$') result += '$';
      else if (mark === '&') result += matched;
      else if (mark === '`') result += sliceText(self, 0, position);
      else if (mark === "'") result += sliceText(self, position + matched.length);
      else result += '$' + mark;
      index = next + 2;
    }
  };
  const replaceText = (symbol, all) => (native) => ({
    method(pattern, replacement) {
      if (this === null || this === undefined) requireText(this, all ? 'replaceAll' : 'replace');
      if (isObject(pattern)) {
        if (all && isPattern(pattern) && nativeIndexOf(String(requireObject(pattern.flags)), 'g', 0) < 0) {
          throw new TypeError('replaceAll must be called with a global RegExp');
        }
        const method = pattern[symbol];
        if (method !== undefined && method !== null) return apply(method, pattern, [this, replacement]);
      }
      const self = requireText(this);
      const needle = String(pattern);
      if (self.length > SHORT_TEXT) charge(self.length >> 4);
      if (!isHeavy(self, needle)) return apply(native, self, [needle, replacement]);
      const filler = typeof replacement === 'function' ? replacement : String(replacement);
      let result = '';
      let end = 0;
      for (;;) {
        const position = findFrom(self, needle, end);
        if (position < 0) return result + sliceText(self, end);
        result += sliceText(self, end, position);
        result += typeof filler === 'function'
          ? String(filler(needle, position, self))
          : expand(filler, needle, self, position);
        end = position + needle.length;
        if (!all) return result + sliceText(self, end);
      }
    },
  }).method;
  replace(text, 'replace', replaceText(Symbol.replace, false));
  replace(text, 'replaceAll', replaceText(Symbol.replace, true));
  replace(text, 'split', (native) => ({
    split(separator, limit) {
      if (this === null || this === undefined) requireText(this, 'split');
      if (isObject(separator)) {
        const method = separator[Symbol.split];
        if (method !== undefined && method !== null) return apply(method, separator, [this, limit]);
      }
      const self = requireText(this);
      const count = limit === undefined ? 4294967295 : limit >>> 0;
      if (self.length > SHORT_TEXT) charge(self.length >> 4);
      if (separator === undefined) return count === 0 ? [] : [self];
      const needle = String(separator);
      if (!isHeavy(self, needle)) return apply(native, self, [needle, count]);
      const parts = [];
      let end = 0;
      for (;;) {
        if (parts.length >= count) return parts;
        const position = findFrom(self, needle, end);
        hideItem(parts, parts.length, sliceText(self, end, position < 0 ? self.length : position));
        if (position < 0) return parts;
        end = position + needle.length;
      }
    },
  }).split);

  replaceAll(text, ['concat', 'endsWith', 'isWellFormed', 'match', 'matchAll', 'padEnd', 'padStart', 'repeat', 'search',
    'startsWith', 'toLocaleLowerCase', 'toLocaleUpperCase', 'toLowerCase', 'toUpperCase', 'toWellFormed', 'trim', 'trimEnd',
    'trimStart'], (native) => ({
    method() {
      if (typeof this === 'string' && this.length > SHORT_TEXT) charge(this.length >> 3);
      return apply(native, this, arguments);
    },
  }).method);

  // Normalization sorts runs of combining marks in quadratic time.
  const MARKS = /\p{M}{300}/u;
  const refuseMarks = (value) => {
    if (value.length > SHORT_TEXT) {
      charge(value.length);
      if (matchPattern(MARKS, value) !== null) stop();
    }
    return value;
  };
  replace(text, 'normalize', (native) => ({
    normalize(form) {
      return apply(native, refuseMarks(requireText(this, 'normalize')), [form]);
    },
  }).normalize);
  replace(text, 'localeCompare', (native) => ({
    localeCompare(other) {
      return apply(native, refuseMarks(requireText(this, 'localeCompare')), [refuseMarks(String(other))]);
    },
  }).localeCompare);
  replace(String, 'raw', () => ({
    raw(template, ...values) {
      const literals = Object(requireObject(Object(requireObject(template)).raw));
      const length = toLength(literals.length);
      let result = '';
      for (let i = 0; i < length; i++) {
        result += String(literals[i]);
        if (i + 1 < length && i < values.length) result += String(values[i]);
      }
      return result;
    },
  }).raw);

  // --- What the host calls ---

  const wellFormed = (value) => apply(toWellFormed, value, []);
  const readText = (value, key) => {
    try {
      const text = value[key];
      return text === undefined ? '' : wellFormed(sliceText(String(text), 0, 10_000));
    } catch {
      return '';
    }
  };
  const showThrown = (value) => {
    try {
      const shown = isObject(value) && typeof value !== 'function' ? renderJson(value) : String(value);
      return wellFormed(sliceText(String(shown), 0, 10_000));
    } catch {
      return typeof value;
    }
  };
  const isErrorLike = (value) => {
    try {
      return isObject(value) && (value instanceof Error || (typeof value.message === 'string' && 'stack' in value));
    } catch {
      return false;
    }
  };
  host.describe = (value) =>
    isErrorLike(value)
      ? [readText(value, 'name'), readText(value, 'message'), readText(value, 'stack')]
      : ['', showThrown(value), ''];
  host.render = (value) => renderJson(value);
  host.renderJson = renderJson;
  host.hide = hide;
  host.imitate = imitate;
  host.replace = replace;
  host.replaceConstructor = replaceConstructor;
  host.charge = charge;
  host.uncurry = uncurry;
  host.isProxied = isProxied;
  host.wellFormed = wellFormed;
})
