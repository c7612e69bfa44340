// The clock, random numbers, the console, and the globals of other runtimes that QuickJS does not have.
(function (host) {
  'use strict';

  const { Array, ArrayBuffer, BigInt, Boolean, DataView, Date, Error, Map, Math, Number, Object, RangeError, Reflect, RegExp, Set,
    String, Symbol, TypeError, Uint8Array } = globalThis;
  const { hide, imitate, replace, replaceConstructor, uncurry, charge, wellFormed, renderJson, now } = host;
  const { apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
  const { isArray } = Array;
  const sliceText = uncurry(String.prototype.slice);
  const codeAt = uncurry(String.prototype.charCodeAt);
  const { fromCharCode } = String;
  const nativeTag = uncurry(Object.prototype.toString);
  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

  // Defines a global class whose properties are not enumerable, as those of the language.
  const expose = (name, value) => hide(globalThis, name, value);
  const tag = (prototype, name) =>
    defineProperty(prototype, Symbol.toStringTag, { value: name, writable: false, enumerable: false, configurable: true });

  // --- The clock: it stands still, and local time is UTC ---

  const NativeDate = Date;
  const proto = NativeDate.prototype;
  const valueOfDate = uncurry(proto.valueOf);
  const nativeOffset = uncurry(proto.getTimezoneOffset);
  const toUTCString = uncurry(proto.toUTCString);
  const nativeParse = NativeDate.parse;
  const UTC = NativeDate.UTC;
  const isDate = (value) => isObject(value) && isBranded(valueOfDate, value);
  const isBranded = (read, value) => {
    try {
      read(value);
      return true;
    } catch {
      return false;
    }
  };

  // The engine reads texts without a time zone in that of the process. This undoes it.
  const ZONE = /(?:Z|GMT|UTC|UT|[+-]\d\d(?::?\d\d)?|\b[ECMP][SD]T)\s*(?:\([^)]*\))?\s*$/i;
  const DATE_ONLY = /^\s*[+-]?\d{4,6}(?:-\d\d(?:-\d\d)?)?\s*$/;
  const matchPattern = uncurry(RegExp.prototype.exec);
  const parse = (text) => {
    const time = nativeParse(text);
    const offset = time === time ? nativeOffset(new NativeDate(time)) : 0;
    if (offset === 0 || matchPattern(ZONE, text) !== null || matchPattern(DATE_ONLY, text) !== null) return time;
    return time - offset * 60_000;
  };
  const toPrimitive = (value) => {
    if (!isObject(value)) return value;
    const method = value[Symbol.toPrimitive];
    if (method !== undefined && method !== null) {
      const result = apply(method, value, ['default']);
      if (isObject(result)) throw new TypeError('Cannot convert object to primitive value');
      return result;
    }
    const plain = value.valueOf();
    if (!isObject(plain)) return plain;
    const text = value.toString();
    if (isObject(text)) throw new TypeError('Cannot convert object to primitive value');
    return text;
  };
  const readTime = (args) => {
    if (args.length === 0) return now();
    if (args.length > 1) return apply(UTC, NativeDate, args);
    if (isDate(args[0])) return valueOfDate(args[0]);
    const value = toPrimitive(args[0]);
    return typeof value === 'string' ? parse(value) : Number(value);
  };
  // A year from 0 to 99 is one of the twentieth century, in `UTC` as in the constructor.
  replaceConstructor('Date', () => {
    const Date = function () {
      if (!new.target) return showDate(new NativeDate(now()));
      return construct(NativeDate, [readTime(arguments)], new.target);
    };
    return Date;
  });
  const Clock = globalThis.Date;
  replace(Clock, 'now', () => ({ now: () => now() }).now);
  replace(Clock, 'parse', () => ({ parse: (text) => parse(String(text)) }).parse);

  for (const part of ['Date', 'Day', 'FullYear', 'Hours', 'Milliseconds', 'Minutes', 'Month', 'Seconds']) {
    const getter = proto['getUTC' + part];
    replace(proto, 'get' + part, () => ({ get() { return apply(getter, this, []); } }).get);
    const setter = proto['setUTC' + part];
    if (setter) replace(proto, 'set' + part, () => ({ set() { return apply(setter, this, arguments); } }).set);
  }
  replace(proto, 'getTimezoneOffset', () => ({
    getTimezoneOffset() { return valueOfDate(this) === valueOfDate(this) ? 0 : NaN; },
  }).getTimezoneOffset);
  const getUTCFullYear = uncurry(proto.getUTCFullYear);
  replace(proto, 'getYear', () => ({ getYear() { return getUTCFullYear(this) - 1900; } }).getYear);
  replace(proto, 'setYear', () => ({
    setYear(year) {
      const number = Number(year);
      return this.setUTCFullYear(number >= 0 && number <= 99 ? Math.trunc(number) + 1900 : number);
    },
  }).setYear);

  // `toUTCString` is like "Thu, 01 Jan 1970 00:00:00 GMT". A year may have a sign and more digits.
  const splitDate = (date) => {
    const text = toUTCString(date);
    const year = sliceText(text, 12, -13);
    return {
      date: sliceText(text, 0, 3) + ' ' + sliceText(text, 8, 11) + ' ' + sliceText(text, 5, 7) + ' ' + year,
      time: sliceText(text, -12, -4),
    };
  };
  const isInvalid = (date) => valueOfDate(date) !== valueOfDate(date);
  const ZONE_NAME = 'GMT+0000 (Coordinated Universal Time)';
  const showDate = (date) => {
    if (isInvalid(date)) return 'Invalid Date';
    const parts = splitDate(date);
    return parts.date + ' ' + parts.time + ' ' + ZONE_NAME;
  };
  const formats = {
    toString: showDate,
    toDateString: (date) => splitDate(date).date,
    toTimeString: (date) => splitDate(date).time + ' ' + ZONE_NAME,
  };
  for (const name of ownKeys(formats)) {
    const format = formats[name];
    replace(proto, name, () => ({ method() { return isInvalid(this) ? 'Invalid Date' : format(this); } }).method);
  }

  // --- Random numbers ---

  const { random, randomBits } = host;
  replace(Math, 'random', () => ({ random: () => random() }).random);
  const { isView } = ArrayBuffer;
  const viewParts = (view) => [view.buffer, view.byteOffset, view.byteLength];
  const HEX = '0123456789abcdef';
  const crypto = {
    getRandomValues(array) {
      const kind = isView(array) ? nativeTag(array) : '';
      if (!matchPattern(/^\[object (?:Uint|Int|BigInt|BigUint)(?:8|16|32|64)(?:Clamped)?Array\]$/, kind)) {
        throw new TypeError('The data argument must be an integer-type TypedArray');
      }
      const parts = viewParts(array);
      if (parts[2] > 65536) throw new RangeError('The requested length exceeds 65,536 bytes');
      const bytes = new Uint8Array(parts[0], parts[1], parts[2]);
      for (let i = 0; i < bytes.length; i++) bytes[i] = randomBits();
      return array;
    },
    randomUUID() {
      let uuid = '';
      for (let i = 0; i < 32; i++) {
        const bits = randomBits();
        if (i === 8 || i === 12 || i === 16 || i === 20) uuid += '-';
        uuid += HEX[i === 12 ? 4 : i === 16 ? 8 + (bits & 3) : bits & 15];
      }
      return uuid;
    },
  };
  tag(crypto, 'Crypto');
  expose('crypto', crypto);

  // --- The console ---

  const { log } = host;
  const show = (value) => {
    try {
      if (typeof value === 'string') return value;
      if (typeof value === 'function') return '[Function: ' + (String(value.name) || 'anonymous') + ']';
      if (typeof value === 'bigint') return String(value) + 'n';
      if (!isObject(value)) return String(value);
      if (value instanceof Error) return String(value.stack ? value.name + ': ' + value.message : value);
      const text = renderJson(value);
      return text === undefined ? String(value) : text;
    } catch {
      try {
        return String(value);
      } catch {
        return nativeTag(value);
      }
    }
  };
  const MAX_LINE = 4096;
  const console = {};
  for (const level of ['debug', 'error', 'info', 'log', 'warn']) {
    const method = {
      [level](...values) {
        let line = '';
        for (let i = 0; i < values.length && line.length < MAX_LINE; i++) {
          line += (i > 0 ? ' ' : '') + sliceText(show(values[i]), 0, MAX_LINE);
        }
        charge(line.length);
        log(level, wellFormed(line));
      },
    };
    console[level] = method[level];
  }
  expose('console', console);

  // --- structuredClone ---

  const typedTag = uncurry(getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get);
  const isMapValue = (value) => isBranded(uncurry(getOwnPropertyDescriptor(Map.prototype, 'size').get), value);
  const setSize = uncurry(getOwnPropertyDescriptor(Set.prototype, 'size').get);
  const isSetValue = (value) => isBranded(setSize, value);
  const bufferLength = uncurry(getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength').get);
  const isBuffer = (value) => isBranded(bufferLength, value);
  const sourceOf = uncurry(getOwnPropertyDescriptor(RegExp.prototype, 'source').get);
  const flagsOf = uncurry(getOwnPropertyDescriptor(RegExp.prototype, 'flags').get);
  const sliceBuffer = uncurry(ArrayBuffer.prototype.slice);
  const forEachMap = uncurry(Map.prototype.forEach);
  const forEachSet = uncurry(Set.prototype.forEach);
  const addSet = uncurry(Set.prototype.add);
  const getMap = uncurry(Map.prototype.get);
  const hasMap = uncurry(Map.prototype.has);
  const setMap = uncurry(Map.prototype.set);
  const { keys } = Object;
  const primitives = [[Boolean, 'Boolean'], [Number, 'Number'], [String, 'String'], [BigInt, 'BigInt']];
  const errors = {};
  for (const name of ['Error', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError']) {
    errors[name] = globalThis[name];
  }
  const fail = (value) => {
    const error = new Error((typeof value === 'symbol' ? 'Symbol()' : show(value)) + ' could not be cloned.');
    hide(error, 'name', 'DataCloneError');
    throw error;
  };
  const clone = (value, seen) => {
    if (typeof value === 'symbol' || typeof value === 'function') fail(value);
    if (!isObject(value)) return value;
    if (hasMap(seen, value)) return getMap(seen, value);
    const keep = (copy) => {
      setMap(seen, value, copy);
      return copy;
    };
    if (host.isProxied(value)) fail('#<Object>');
    if (isArray(value)) return cloneItems(value, keep([]), seen, true);
    if (isDate(value)) return keep(new NativeDate(valueOfDate(value)));
    if (isMapValue(value)) {
      const copy = keep(new Map());
      forEachMap(value, (item, key) => setMap(copy, clone(key, seen), clone(item, seen)));
      return copy;
    }
    if (isSetValue(value)) {
      const copy = keep(new Set());
      forEachSet(value, (item) => addSet(copy, clone(item, seen)));
      return copy;
    }
    if (isBuffer(value)) return keep(sliceBuffer(value, 0));
    if (isView(value)) {
      const buffer = clone(value.buffer, seen);
      const View = typedTag(value) === undefined ? DataView : globalThis[typedTag(value)];
      const size = View === DataView ? value.byteLength : value.length;
      return keep(new View(buffer, value.byteOffset, size));
    }
    const kind = nativeTag(value);
    if (kind === '[object RegExp]' && isBranded(sourceOf, value) && value !== RegExp.prototype) {
      return keep(new RegExp(sourceOf(value), flagsOf(value)));
    }
    if (kind === '[object Error]') {
      const copy = keep(new (errors[value.name] || Error)(String(value.message)));
      hide(copy, 'stack', value.stack);
      if ('cause' in value) hide(copy, 'cause', clone(value.cause, seen));
      return copy;
    }
    for (let i = 0; i < primitives.length; i++) {
      const type = primitives[i][0];
      if (kind === '[object ' + primitives[i][1] + ']' && value instanceof type) {
        return keep(Object(apply(type.prototype.valueOf, value, [])));
      }
    }
    if (kind === '[object Promise]' || kind === '[object WeakMap]' || kind === '[object WeakSet]') fail(kind);
    return cloneItems(value, keep({}), seen, false);
  };
  const cloneItems = (value, copy, seen, isList) => {
    if (isList) copy.length = value.length;
    const names = keys(value);
    for (let i = 0; i < names.length; i++) {
      const item = clone(value[names[i]], seen);
      defineProperty(copy, names[i], { value: item, writable: true, enumerable: true, configurable: true });
    }
    return copy;
  };
  expose('structuredClone', imitate({
    structuredClone(value) {
      if (arguments.length === 0) throw new TypeError("The 'value' argument must be specified");
      return clone(value, new Map());
    },
  }.structuredClone, { name: 'structuredClone', length: 1 }));

  // --- Base64 ---

  const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const values = [];
  for (let i = 0; i < 64; i++) values[codeAt(ALPHABET, i)] = i;
  const encodeBase64 = (bytes, alphabet, isPadded) => {
    let text = '';
    for (let i = 0; i < bytes.length; i += 3) {
      const bits = (bytes[i] << 16) | ((bytes[i + 1] || 0) << 8) | (bytes[i + 2] || 0);
      text += alphabet[bits >> 18] + alphabet[(bits >> 12) & 63];
      if (i + 1 < bytes.length) text += alphabet[(bits >> 6) & 63];
      else if (isPadded) text += '=';
      if (i + 2 < bytes.length) text += alphabet[bits & 63];
      else if (isPadded) text += '=';
    }
    return text;
  };
  host.base64 = { ALPHABET, encodeBase64 };
  const invalid = (message) => {
    const error = new Error(message);
    hide(error, 'name', 'InvalidCharacterError');
    throw error;
  };
  expose('btoa', imitate({
    btoa(data) {
      const text = String(data);
      const bytes = [];
      for (let i = 0; i < text.length; i++) {
        bytes[i] = codeAt(text, i);
        if (bytes[i] > 255) invalid('Invalid character');
      }
      return encodeBase64(bytes, ALPHABET, true);
    },
  }.btoa, { name: 'btoa', length: 1 }));
  const isSpace = (code) => code === 32 || code === 9 || code === 10 || code === 12 || code === 13;
  expose('atob', imitate({
    atob(data) {
      const text = String(data);
      let result = '';
      let bits = 0;
      let count = 0;
      let padding = 0;
      for (let i = 0; i < text.length; i++) {
        const code = codeAt(text, i);
        if (isSpace(code)) continue;
        if (code === 61) {
          padding++;
          continue;
        }
        const value = values[code];
        if (value === undefined || padding > 0) invalid('The string to be decoded is not correctly encoded.');
        bits = ((bits << 6) | value) & 0xffffff;
        count++;
        if (count % 4 !== 1) result += fromCharCode((bits >> (count % 4 === 2 ? 4 : count % 4 === 3 ? 2 : 0)) & 255);
      }
      const isPadded = padding === 0 || (padding <= 2 && (count + padding) % 4 === 0);
      if (count % 4 === 1 || !isPadded) invalid('The string to be decoded is not correctly encoded.');
      return result;
    },
  }.atob, { name: 'atob', length: 1 }));

  // --- UTF-8 ---

  const encode = (text, bytes) => {
    let at = 0;
    let read = 0;
    const room = bytes ? bytes.length : Infinity;
    const list = bytes || [];
    for (let i = 0; i < text.length; i++) {
      let code = codeAt(text, i);
      let units = 1;
      if (code >= 0xd800 && code < 0xe000) {
        const next = code < 0xdc00 && i + 1 < text.length ? codeAt(text, i + 1) : 0;
        if (next >= 0xdc00 && next < 0xe000) {
          code = 0x10000 + ((code - 0xd800) << 10) + (next - 0xdc00);
          units = 2;
        } else {
          code = 0xfffd;
        }
      }
      const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      if (at + size > room) break;
      if (size === 1) {
        list[at++] = code;
      } else {
        list[at++] = size === 2 ? 0xc0 | (code >> 6) : size === 3 ? 0xe0 | (code >> 12) : 0xf0 | (code >> 18);
        if (size === 4) list[at++] = 0x80 | ((code >> 12) & 63);
        if (size >= 3) list[at++] = 0x80 | ((code >> 6) & 63);
        list[at++] = 0x80 | (code & 63);
      }
      i += units - 1;
      read += units;
    }
    return { list, read, written: at };
  };
  const decode = (bytes, isFatal) => {
    let result = '';
    let i = 0;
    while (i < bytes.length) {
      const first = bytes[i++];
      if (first < 0x80) {
        result += fromCharCode(first);
        continue;
      }
      let needed = first >= 0xc2 && first <= 0xdf ? 1 : first >= 0xe0 && first <= 0xef ? 2 : first >= 0xf0 && first <= 0xf4 ? 3 : 0;
      let low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
      let high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
      let code = needed === 1 ? first & 31 : needed === 2 ? first & 15 : first & 7;
      let isValid = needed > 0;
      while (needed > 0) {
        if (i >= bytes.length || bytes[i] < low || bytes[i] > high) {
          isValid = false;
          break;
        }
        code = (code << 6) | (bytes[i++] & 63);
        low = 0x80;
        high = 0xbf;
        needed--;
      }
      if (!isValid) {
        if (isFatal) throw new TypeError('The encoded data was not valid for encoding utf-8');
        result += '\ufffd';
      } else if (code < 0x10000) {
        result += fromCharCode(code);
      } else {
        result += fromCharCode(0xd800 + ((code - 0x10000) >> 10), 0xdc00 + ((code - 0x10000) & 0x3ff));
      }
    }
    return result;
  };
  host.encode = (text) => encode(text).list;
  host.decode = (bytes) => decode(bytes, false);

  class TextEncoder {
    get encoding() { return 'utf-8'; }
    encode(input = '') {
      const { list, written } = encode(String(input));
      const bytes = new Uint8Array(written);
      for (let i = 0; i < written; i++) bytes[i] = list[i];
      return bytes;
    }
    encodeInto(source, destination) {
      const { read, written } = encode(String(source), destination);
      return { read, written };
    }
  }
  class TextDecoder {
    #fatal;
    #ignoreBOM;
    constructor(label = 'utf-8', options) {
      if (matchPattern(/^\s*(?:unicode-1-1-utf-8|utf-?8)\s*$/i, String(label)) === null) {
        throw new RangeError('The "' + label + '" encoding is not supported');
      }
      this.#fatal = !!(options && options.fatal);
      this.#ignoreBOM = !!(options && options.ignoreBOM);
    }
    get encoding() { return 'utf-8'; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#ignoreBOM; }
    decode(input) {
      if (input === undefined) return '';
      if (!isView(input) && !isBuffer(input)) {
        throw new TypeError('The "list" argument must be an instance of ArrayBuffer or ArrayBufferView.');
      }
      const parts = isView(input) ? viewParts(input) : [input, 0, bufferLength(input)];
      const text = decode(new Uint8Array(parts[0], parts[1], parts[2]), this.#fatal);
      return !this.#ignoreBOM && text.length > 0 && codeAt(text, 0) === 0xfeff ? sliceText(text, 1) : text;
    }
  }
  tag(TextEncoder.prototype, 'TextEncoder');
  tag(TextDecoder.prototype, 'TextDecoder');
  expose('TextEncoder', TextEncoder);
  expose('TextDecoder', TextDecoder);
})
