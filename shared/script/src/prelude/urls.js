// `URL` and `URLSearchParams`. The host parses the URLs.
(function (host) {
  'use strict';

  const { Array, Object, Reflect, String, Symbol, TypeError } = globalThis;
  const { parseUrl, changeUrl, encode, decode, wellFormed, hide, uncurry } = host;
  const { apply, defineProperty } = Reflect;
  const sliceText = uncurry(String.prototype.slice);
  const splitText = uncurry(String.prototype.split);
  const indexOfText = uncurry(String.prototype.indexOf);
  const sortItems = uncurry(Array.prototype.sort);
  const { fromCharCode } = String;
  const { keys } = Object;
  const HEX = '0123456789ABCDEF';
  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
  const toText = (value) => wellFormed(String(value));

  // --- application/x-www-form-urlencoded ---

  const isPlain = (byte) =>
    (byte >= 48 && byte <= 57) || (byte >= 65 && byte <= 90) || (byte >= 97 && byte <= 122) ||
    byte === 42 || byte === 45 || byte === 46 || byte === 95;
  const encodeForm = (text) => {
    const bytes = encode(text);
    let result = '';
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i];
      if (isPlain(byte)) result += fromCharCode(byte);
      else if (byte === 32) result += '+';
      else result += '%' + HEX[byte >> 4] + HEX[byte & 15];
    }
    return result;
  };
  const hexValue = (code) =>
    code >= 48 && code <= 57 ? code - 48 : code >= 65 && code <= 70 ? code - 55 : code >= 97 && code <= 102 ? code - 87 : -1;
  host.hexValue = hexValue;
  const decodeForm = (text) => {
    const bytes = encode(text);
    const plain = [];
    for (let i = 0; i < bytes.length; i++) {
      const high = i + 2 < bytes.length ? hexValue(bytes[i + 1]) : -1;
      const low = high >= 0 ? hexValue(bytes[i + 2]) : -1;
      if (bytes[i] === 37 && low >= 0) {
        plain[plain.length] = high * 16 + low;
        i += 2;
      } else {
        plain[plain.length] = bytes[i] === 43 ? 32 : bytes[i];
      }
    }
    return decode(plain);
  };
  const parseForm = (text) => {
    const pairs = [];
    const parts = splitText(text, '&');
    for (let i = 0; i < parts.length; i++) {
      if (parts[i] === '') continue;
      const equals = indexOfText(parts[i], '=', 0);
      const name = equals < 0 ? parts[i] : sliceText(parts[i], 0, equals);
      const value = equals < 0 ? '' : sliceText(parts[i], equals + 1);
      pairs[pairs.length] = [decodeForm(name), decodeForm(value)];
    }
    return pairs;
  };
  const renderForm = (pairs) => {
    let text = '';
    for (let i = 0; i < pairs.length; i++) {
      text += (i > 0 ? '&' : '') + encodeForm(pairs[i][0]) + '=' + encodeForm(pairs[i][1]);
    }
    return text;
  };

  // Reads the pairs of a params object, and connects it with its URL.
  let pairsOf;
  let connect;
  let reload;

  class URLSearchParams {
    #pairs = [];
    #changed = undefined;
    static {
      pairsOf = (params) => params.#pairs;
      connect = (params, changed) => { params.#changed = changed; };
      reload = (params, query) => { params.#pairs = parseForm(query); };
    }
    constructor(init = undefined) {
      if (init === undefined || init === null) return;
      if (!isObject(init)) {
        const text = toText(init);
        this.#pairs = parseForm(text[0] === '?' ? sliceText(text, 1) : text);
      } else if (typeof init[Symbol.iterator] === 'function') {
        for (const pair of init) {
          const [name, value, ...rest] = pair;
          if (!isObject(pair) || value === undefined || rest.length > 0) {
            throw new TypeError('Each query pair must be an iterable [name, value] tuple');
          }
          this.#pairs[this.#pairs.length] = [toText(name), toText(value)];
        }
      } else {
        const names = keys(init);
        for (let i = 0; i < names.length; i++) this.set(names[i], init[names[i]]);
      }
    }
    #update(pairs) {
      this.#pairs = pairs;
      if (this.#changed) this.#changed(renderForm(pairs));
    }
    #filter(keep) {
      const kept = [];
      for (let i = 0; i < this.#pairs.length; i++) if (keep(this.#pairs[i])) kept[kept.length] = this.#pairs[i];
      return kept;
    }
    get size() { return this.#pairs.length; }
    append(name, value) {
      const pairs = this.#filter(() => true);
      pairs[pairs.length] = [toText(name), toText(value)];
      this.#update(pairs);
    }
    delete(name, value) {
      const key = toText(name);
      const only = value === undefined ? undefined : toText(value);
      this.#update(this.#filter((pair) => pair[0] !== key || (only !== undefined && pair[1] !== only)));
    }
    get(name) {
      const found = this.#filter((pair) => pair[0] === toText(name));
      return found.length > 0 ? found[0][1] : null;
    }
    getAll(name) {
      const found = this.#filter((pair) => pair[0] === toText(name));
      for (let i = 0; i < found.length; i++) found[i] = found[i][1];
      return found;
    }
    has(name, value) {
      return this.#filter((pair) => pair[0] === toText(name) && (value === undefined || pair[1] === toText(value))).length > 0;
    }
    set(name, value) {
      const key = toText(name);
      const text = toText(value);
      let isSet = false;
      const pairs = this.#filter((pair) => pair[0] !== key || (!isSet && (isSet = true)));
      let index = 0;
      while (index < pairs.length && pairs[index][0] !== key) index++;
      pairs[index] = [key, text];
      this.#update(pairs);
    }
    sort() {
      this.#update(sortItems(this.#filter(() => true), (a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0)));
    }
    forEach(callback, self) {
      if (typeof callback !== 'function') throw new TypeError('The "callback" argument must be of type function.');
      for (let i = 0; i < this.#pairs.length; i++) apply(callback, self, [this.#pairs[i][1], this.#pairs[i][0], this]);
    }
    *entries() { for (let i = 0; i < this.#pairs.length; i++) yield [this.#pairs[i][0], this.#pairs[i][1]]; }
    *keys() { for (let i = 0; i < this.#pairs.length; i++) yield this.#pairs[i][0]; }
    *values() { for (let i = 0; i < this.#pairs.length; i++) yield this.#pairs[i][1]; }
    toString() { return renderForm(this.#pairs); }
  }
  hide(URLSearchParams.prototype, Symbol.iterator, URLSearchParams.prototype.entries);

  // --- URL ---

  const fail = (input) => {
    const error = new TypeError('Invalid URL');
    defineProperty(error, 'code', { value: 'ERR_INVALID_URL', writable: true, enumerable: true, configurable: true });
    defineProperty(error, 'input', { value: input, writable: true, enumerable: true, configurable: true });
    throw error;
  };
  const parse = (input, base) => parseUrl(toText(input), base === undefined ? undefined : toText(base));

  class URL {
    #parts;
    #params = undefined;
    constructor(input, base = undefined) {
      this.#parts = parse(input, base) || fail(toText(input));
    }
    #change(part, value) {
      this.#parts = changeUrl(this.#parts[0], part, toText(value)) || this.#parts;
      if (this.#params && part === 'search') reload(this.#params, sliceText(this.#parts[8], 1));
    }
    static canParse(input, base = undefined) { return !!parse(input, base); }
    get href() { return this.#parts[0]; }
    set href(value) {
      this.#parts = parse(value) || fail(toText(value));
      if (this.#params) reload(this.#params, sliceText(this.#parts[8], 1));
    }
    get origin() { return this.#parts[10]; }
    get protocol() { return this.#parts[1]; }
    set protocol(value) { this.#change('protocol', value); }
    get username() { return this.#parts[2]; }
    set username(value) { this.#change('username', value); }
    get password() { return this.#parts[3]; }
    set password(value) { this.#change('password', value); }
    get host() { return this.#parts[4]; }
    set host(value) { this.#change('host', value); }
    get hostname() { return this.#parts[5]; }
    set hostname(value) { this.#change('hostname', value); }
    get port() { return this.#parts[6]; }
    set port(value) { this.#change('port', value); }
    get pathname() { return this.#parts[7]; }
    set pathname(value) { this.#change('pathname', value); }
    get search() { return this.#parts[8]; }
    set search(value) { this.#change('search', value); }
    get hash() { return this.#parts[9]; }
    set hash(value) { this.#change('hash', value); }
    get searchParams() {
      if (!this.#params) {
        this.#params = new URLSearchParams(this.#parts[8]);
        connect(this.#params, (query) => {
          this.#parts = changeUrl(this.#parts[0], 'search', query) || this.#parts;
        });
      }
      return this.#params;
    }
    toString() { return this.#parts[0]; }
    toJSON() { return this.#parts[0]; }
  }

  for (const type of [URL, URLSearchParams]) {
    defineProperty(type.prototype, Symbol.toStringTag, { value: type.name, configurable: true });
    hide(globalThis, type.name, type);
  }
})
