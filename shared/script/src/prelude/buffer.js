// `Buffer` of Node, as far as it changes texts to bytes and back.
(function (host) {
  'use strict';

  const { Array, ArrayBuffer, Math, RangeError, String, TypeError, Uint8Array } = globalThis;
  const { hide, encode, decode, hexValue } = host;
  const { isView } = ArrayBuffer;
  const { fromCharCode } = String;
  const { ALPHABET: BASE64, encodeBase64 } = host.base64;
  const BASE64_URL = BASE64.slice(0, 62) + '-_';
  const VALUES = {};
  for (let i = 0; i < 64; i++) VALUES[BASE64.charCodeAt(i)] = VALUES[BASE64_URL.charCodeAt(i)] = i;
  const HEX = '0123456789abcdef';

  const ENCODINGS = {
    __proto__: null, utf8: 'utf8', 'utf-8': 'utf8', hex: 'hex', base64: 'base64', base64url: 'base64url', ascii: 'ascii', latin1: 'latin1', binary: 'latin1',
    ucs2: 'utf16le', 'ucs-2': 'utf16le', utf16le: 'utf16le', 'utf-16le': 'utf16le',
  };
  const readEncoding = (encoding) => {
    if (encoding === undefined || encoding === null || encoding === '') return 'utf8';
    const known = ENCODINGS[String(encoding).toLowerCase()];
    if (known === undefined) {
      const error = new TypeError('Unknown encoding: ' + String(encoding));
      error.code = 'ERR_UNKNOWN_ENCODING';
      throw error;
    }
    return known;
  };

  // --- Texts to bytes ---

  const toBytes = (text, encoding) => {
    const bytes = [];
    switch (encoding) {
      case 'hex':
        // What follows the first mistake is left out.
        for (let i = 0; i + 1 < text.length; i += 2) {
          const high = hexValue(text.charCodeAt(i));
          const low = hexValue(text.charCodeAt(i + 1));
          if (high < 0 || low < 0) break;
          bytes.push(high * 16 + low);
        }
        return bytes;
      case 'base64':
      case 'base64url': {
        let bits = 0;
        let count = 0;
        for (let i = 0; i < text.length; i++) {
          const code = text.charCodeAt(i);
          if (code === 61) break;
          const value = VALUES[code];
          if (value === undefined) continue;
          bits = ((bits << 6) | value) & 0xffffff;
          count++;
          if (count % 4 !== 1) bytes.push((bits >> (count % 4 === 2 ? 4 : count % 4 === 3 ? 2 : 0)) & 255);
        }
        return bytes;
      }
      case 'ascii':
      case 'latin1':
        for (let i = 0; i < text.length; i++) bytes.push(text.charCodeAt(i) & 255);
        return bytes;
      case 'utf16le':
        for (let i = 0; i < text.length; i++) bytes.push(text.charCodeAt(i) & 255, text.charCodeAt(i) >> 8);
        return bytes;
      default:
        return encode(text);
    }
  };

  // --- Bytes to texts ---

  const toText = (bytes, encoding) => {
    let text = '';
    switch (encoding) {
      case 'hex':
        for (let i = 0; i < bytes.length; i++) text += HEX[bytes[i] >> 4] + HEX[bytes[i] & 15];
        return text;
      case 'base64':
        return encodeBase64(bytes, BASE64, true);
      case 'base64url':
        return encodeBase64(bytes, BASE64_URL, false);
      case 'ascii':
        for (let i = 0; i < bytes.length; i++) text += fromCharCode(bytes[i] & 127);
        return text;
      case 'latin1':
        for (let i = 0; i < bytes.length; i++) text += fromCharCode(bytes[i]);
        return text;
      case 'utf16le':
        for (let i = 0; i + 1 < bytes.length; i += 2) text += fromCharCode(bytes[i] | (bytes[i + 1] << 8));
        return text;
      default:
        return decode(bytes);
    }
  };

  class Buffer extends Uint8Array {
    // Old code writes `new Buffer('text', 'base64')`.
    constructor(value, encodingOrOffset, length) {
      if (typeof value === 'string') super(toBytes(value, readEncoding(encodingOrOffset)));
      else super(value, encodingOrOffset, length);
    }
    static from(value, encodingOrOffset, length) {
      if (typeof value === 'string') return fill(toBytes(value, readEncoding(encodingOrOffset)));
      if (value instanceof ArrayBuffer) return new Buffer(value, encodingOrOffset, length);
      if (typeof value === 'object' && value !== null) {
        if (value.type === 'Buffer' && Array.isArray(value.data)) return fill(value.data);
        const plain = value.valueOf();
        if (plain !== value && plain !== null && plain !== undefined) return Buffer.from(plain, encodingOrOffset, length);
        if (isView(value) || typeof value.length === 'number') return fill(value);
      }
      throw new TypeError('The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object.');
    }
    static alloc(size, value, encoding) {
      const buffer = new Buffer(checkSize(size));
      return value === undefined || value === 0 ? buffer : buffer.fill(value, encoding);
    }
    static allocUnsafe(size) {
      return new Buffer(checkSize(size));
    }
    static byteLength(value, encoding) {
      return typeof value === 'string' ? toBytes(value, readEncoding(encoding)).length : value.byteLength;
    }
    static compare(a, b) {
      return Buffer.prototype.compare.call(a, b);
    }
    static concat(list, length = list.reduce((sum, each) => sum + each.length, 0)) {
      const all = Buffer.alloc(length);
      let at = 0;
      for (const each of list) {
        const part = at + each.length > length ? each.subarray(0, length - at) : each;
        all.set(part, at);
        at += part.length;
      }
      return all;
    }
    static isBuffer(value) {
      return value instanceof Buffer;
    }
    static isEncoding(encoding) {
      return typeof encoding === 'string' && ENCODINGS[encoding.toLowerCase()] !== undefined;
    }
    toString(encoding, start = 0, end = this.length) {
      const from = Math.max(0, Math.trunc(start) || 0);
      return toText(from === 0 && end >= this.length ? this : this.subarray(from, Math.max(from, end)), readEncoding(encoding));
    }
    toLocaleString(encoding, start, end) {
      return this.toString(encoding, start, end);
    }
    toJSON() {
      return { type: 'Buffer', data: Array.from(this) };
    }
    equals(other) {
      return this.length === other.length && this.every((byte, index) => byte === other[index]);
    }
    compare(other) {
      for (let i = 0; i < Math.min(this.length, other.length); i++) {
        if (this[i] !== other[i]) return this[i] < other[i] ? -1 : 1;
      }
      return Math.sign(this.length - other.length);
    }
    // It is a view of the same bytes, as in Node.
    slice(start, end) {
      return this.subarray(start, end);
    }
    write(text, offset = 0, length = this.length - offset, encoding = 'utf8') {
      if (typeof offset === 'string') return this.write(text, 0, this.length, offset);
      if (typeof length === 'string') return this.write(text, offset, this.length - offset, length);
      const bytes = toBytes(text, readEncoding(encoding)).slice(0, Math.min(length, this.length - offset));
      this.set(bytes, offset);
      return bytes.length;
    }
    copy(target, at = 0, start = 0, end = this.length) {
      const part = this.subarray(start, Math.min(end, start + target.length - at));
      target.set(part, at);
      return part.length;
    }
    fill(value, start, end, encoding) {
      if (typeof start === 'string') return this.fill(value, 0, this.length, start);
      if (typeof value !== 'string') return super.fill(value, start, end);
      const bytes = toBytes(value, readEncoding(encoding));
      if (bytes.length === 0) return super.fill(0, start, end);
      const last = Math.min(end ?? this.length, this.length);
      for (let i = start ?? 0, n = 0; i < last; i++, n++) this[i] = bytes[n % bytes.length];
      return this;
    }
    indexOf(value, from, encoding) {
      if (typeof from === 'string') return this.indexOf(value, 0, from);
      if (typeof value === 'number') return super.indexOf(value & 255, from);
      const wanted = wantedBytes(value, encoding);
      const start = Math.trunc(from) || 0;
      for (let i = Math.max(0, start < 0 ? this.length + start : start); i + wanted.length <= this.length; i++) {
        if (isAt(this, wanted, i)) return i;
      }
      return -1;
    }
    lastIndexOf(value, from, encoding) {
      if (typeof from === 'string') return this.lastIndexOf(value, undefined, from);
      const wanted = typeof value === 'number' ? [value & 255] : wantedBytes(value, encoding);
      const start = from === undefined ? this.length : Math.trunc(from) || 0;
      for (let i = Math.min(this.length - wanted.length, start < 0 ? this.length + start : start); i >= 0; i--) {
        if (isAt(this, wanted, i)) return i;
      }
      return -1;
    }
    includes(value, from, encoding) {
      return this.indexOf(value, from, encoding) >= 0;
    }
    readUInt8(at = 0) {
      if (!(at >= 0 && at < this.length)) throw new RangeError('The value of "offset" is out of range.');
      return this[at];
    }
    readUInt16BE(at = 0) {
      return this.readUInt8(at) * 256 + this.readUInt8(at + 1);
    }
    readUInt16LE(at = 0) {
      return this.readUInt8(at) + this.readUInt8(at + 1) * 256;
    }
    readUInt32BE(at = 0) {
      return this.readUInt16BE(at) * 65536 + this.readUInt16BE(at + 2);
    }
    readUInt32LE(at = 0) {
      return this.readUInt16LE(at) + this.readUInt16LE(at + 2) * 65536;
    }
  }
  const wantedBytes = (value, encoding) => (typeof value === 'string' ? toBytes(value, readEncoding(encoding)) : value);
  const isAt = (bytes, wanted, start) => {
    for (let n = 0; n < wanted.length; n++) if (bytes[start + n] !== wanted[n]) return false;
    return true;
  };
  const fill = (bytes) => {
    const buffer = new Buffer(bytes.length);
    for (let i = 0; i < bytes.length; i++) buffer[i] = bytes[i];
    return buffer;
  };
  const checkSize = (size) => {
    if (typeof size !== 'number') throw new TypeError('The "size" argument must be of type number.');
    if (!(size >= 0)) throw new RangeError('The value of "size" is out of range.');
    return size;
  };
  hide(globalThis, 'Buffer', Buffer);
})
