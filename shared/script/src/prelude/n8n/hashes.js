// The hash functions of n8n: MD5, SHA-1, SHA-2 and SHA-3. `n8n.hash` returns the bytes of the digest.
(function (n8n) {
  'use strict';

  const { Array, BigInt, DataView, Math, Number, Uint8Array } = globalThis;

  // --- Constants: the fractions of the roots of the first primes, computed at the first use ---

  const root = (value, degree) => {
    // Newton's method on integers, from above.
    let guess = 1n << BigInt(Math.ceil(value.toString(2).length / degree));
    for (;;) {
      const power = guess ** BigInt(degree - 1);
      const next = (guess * BigInt(degree - 1) + value / power) / BigInt(degree);
      if (next >= guess) return guess;
      guess = next;
    }
  };
  const once = (create) => {
    let value;
    return () => (value ??= create());
  };
  const primes = once(() => {
    const found = [];
    for (let n = 2; found.length < 80; n++) if (found.every((prime) => n % prime !== 0)) found.push(n);
    return found.map(BigInt);
  });
  const M64 = (1n << 64n) - 1n;
  const squareRoots = once(() => primes().slice(0, 16).map((prime) => root(prime << 128n, 2) & M64));
  const cubeRoots = once(() => primes().map((prime) => root(prime << 192n, 3) & M64));
  const high = (words) => words.map((word) => Number(word >> 32n) | 0);
  const low = (words) => words.map((word) => Number(word & 0xffffffffn) | 0);
  const roundsOf256 = once(() => high(cubeRoots().slice(0, 64)));
  const roundsOfMd5 = once(() => Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32) | 0));

  // --- Blocks ---

  // The message with a one bit, zeros, and its length in bits.
  const pad = (bytes, block, isLittle) => {
    const size = Math.ceil((bytes.length + 1 + block / 8) / block) * block;
    const padded = new Uint8Array(size);
    padded.set(bytes);
    padded[bytes.length] = 0x80;
    new DataView(padded.buffer).setBigUint64(size - 8, BigInt(bytes.length) * 8n, isLittle);
    return padded;
  };
  const toBytes = (words, size, isLittle) => {
    const bytes = new Uint8Array(words.length * size);
    const view = new DataView(bytes.buffer);
    words.forEach((word, i) => (size === 8 ? view.setBigUint64(i * 8, word, isLittle) : view.setInt32(i * 4, word, isLittle)));
    return bytes;
  };
  // Calls `mix` with the words of each block, and adds its result to the state.
  const digest32 = (bytes, state, isLittle, mix) => {
    const view = new DataView(pad(bytes, 64, isLittle).buffer);
    for (let at = 0; at < view.byteLength; at += 64) {
      const words = [];
      for (let i = 0; i < 16; i++) words.push(view.getInt32(at + i * 4, isLittle));
      const mixed = mix(words, state);
      state = state.map((word, i) => (word + mixed[i]) | 0);
    }
    return toBytes(state, 4, isLittle);
  };
  const left = (word, bits) => (word << bits) | (word >>> (32 - bits));
  const right = (word, bits) => (word >>> bits) | (word << (32 - bits));

  const SHIFTS = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
  const md5 = (bytes) =>
    digest32(bytes, [0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476], true, (words, [a, b, c, d]) => {
      const constants = roundsOfMd5();
      for (let i = 0; i < 64; i++) {
        const round = i >> 4;
        const f = round === 0 ? (b & c) | (~b & d) : round === 1 ? (d & b) | (~d & c) : round === 2 ? b ^ c ^ d : c ^ (b | ~d);
        const word = words[(round === 0 ? i : round === 1 ? 5 * i + 1 : round === 2 ? 3 * i + 5 : 7 * i) & 15];
        const next = (b + left((a + f + constants[i] + word) | 0, SHIFTS[round][i & 3])) | 0;
        a = d;
        d = c;
        c = b;
        b = next;
      }
      return [a, b, c, d];
    });

  const ROUNDS_OF_SHA1 = [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6];
  const sha1 = (bytes) =>
    digest32(bytes, [0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476, 0xc3d2e1f0 | 0], false, (words, [a, b, c, d, e]) => {
      for (let i = 0; i < 80; i++) {
        if (i >= 16) words.push(left(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1));
        const round = Math.floor(i / 20);
        const f = round === 0 ? (b & c) | (~b & d) : round === 2 ? (b & c) | (b & d) | (c & d) : b ^ c ^ d;
        const next = (left(a, 5) + f + e + ROUNDS_OF_SHA1[round] + words[i]) | 0;
        e = d;
        d = c;
        c = left(b, 30);
        b = a;
        a = next;
      }
      return [a, b, c, d, e];
    });

  const sha256 = (bytes, start) =>
    digest32(bytes, start, false, (words, state) => {
      let [a, b, c, d, e, f, g, h] = state;
      const constants = roundsOf256();
      for (let i = 0; i < 64; i++) {
        if (i >= 16) {
          const x = words[i - 15];
          const y = words[i - 2];
          const mixed = (right(x, 7) ^ right(x, 18) ^ (x >>> 3)) + (right(y, 17) ^ right(y, 19) ^ (y >>> 10));
          words.push((words[i - 16] + words[i - 7] + mixed) | 0);
        }
        const s = (h + (right(e, 6) ^ right(e, 11) ^ right(e, 25)) + ((e & f) ^ (~e & g)) + constants[i] + words[i]) | 0;
        const t = (right(a, 2) ^ right(a, 13) ^ right(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = (d + s) | 0;
        d = c;
        c = b;
        b = a;
        a = (s + t) | 0;
      }
      return [a, b, c, d, e, f, g, h];
    });

  const right64 = (word, bits) => (word >> bits) | ((word << (64n - bits)) & M64);
  const sha512 = (bytes, state) => {
    const view = new DataView(pad(bytes, 128, false).buffer);
    const constants = cubeRoots();
    for (let at = 0; at < view.byteLength; at += 128) {
      let [a, b, c, d, e, f, g, h] = state;
      const words = [];
      for (let i = 0; i < 80; i++) {
        if (i < 16) {
          words.push(view.getBigUint64(at + i * 8));
        } else {
          const x = words[i - 15];
          const y = words[i - 2];
          const mixed = (right64(x, 1n) ^ right64(x, 8n) ^ (x >> 7n)) + (right64(y, 19n) ^ right64(y, 61n) ^ (y >> 6n));
          words.push((words[i - 16] + words[i - 7] + mixed) & M64);
        }
        const s = h + (right64(e, 14n) ^ right64(e, 18n) ^ right64(e, 41n)) + ((e & f) ^ (e ^ M64) & g) + constants[i] + words[i];
        const t = (right64(a, 28n) ^ right64(a, 34n) ^ right64(a, 39n)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = (d + s) & M64;
        d = c;
        c = b;
        b = a;
        a = (s + t) & M64;
      }
      state = [a, b, c, d, e, f, g, h].map((word, i) => (state[i] + word) & M64);
    }
    return toBytes(state, 8, false);
  };

  // --- SHA-3: the sponge of Keccak ---

  const keccak = (lanes) => {
    // The constants of the rounds come from a shift register.
    let register = 1;
    for (let round = 0; round < 24; round++) {
      const columns = [0, 1, 2, 3, 4].map((x) => lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15] ^ lanes[x + 20]);
      for (let i = 0; i < 25; i++) lanes[i] ^= columns[(i + 4) % 5] ^ right64(columns[(i + 1) % 5], 63n);
      let [x, y, moved] = [1, 0, lanes[1]];
      for (let step = 1; step <= 24; step++) {
        [x, y] = [y, (2 * x + 3 * y) % 5];
        const kept = lanes[x + 5 * y];
        lanes[x + 5 * y] = right64(moved, 64n - BigInt((step * (step + 1) / 2) % 64));
        moved = kept;
      }
      for (let row = 0; row < 25; row += 5) {
        const old = lanes.slice(row, row + 5);
        for (let i = 0; i < 5; i++) lanes[row + i] = old[i] ^ ((old[(i + 1) % 5] ^ M64) & old[(i + 2) % 5]);
      }
      for (let bit = 0; bit < 7; bit++) {
        if (register & 1) lanes[0] ^= 1n << BigInt(2 ** bit - 1);
        register = (register << 1) ^ (register & 0x80 ? 0x171 : 0);
      }
    }
  };
  const sha3 = (bytes, size) => {
    const rate = 200 - 2 * size;
    const padded = new Uint8Array(Math.ceil((bytes.length + 1) / rate) * rate);
    padded.set(bytes);
    padded[bytes.length] = 6;
    padded[padded.length - 1] |= 0x80;
    const view = new DataView(padded.buffer);
    const lanes = new Array(25).fill(0n);
    for (let at = 0; at < padded.length; at += rate) {
      for (let i = 0; i < rate / 8; i++) lanes[i] ^= view.getBigUint64(at + i * 8, true);
      keccak(lanes);
    }
    return toBytes(lanes.slice(0, Math.ceil(size / 8)), 8, true).slice(0, size);
  };

  const HASHES = {
    __proto__: null,
    md5,
    sha1,
    sha224: (bytes) => sha256(bytes, low(squareRoots().slice(8))).slice(0, 28),
    sha256: (bytes) => sha256(bytes, high(squareRoots().slice(0, 8))),
    sha384: (bytes) => sha512(bytes, squareRoots().slice(8)).slice(0, 48),
    sha512: (bytes) => sha512(bytes, squareRoots().slice(0, 8)),
    'sha3-256': (bytes) => sha3(bytes, 32),
    'sha3-384': (bytes) => sha3(bytes, 48),
    'sha3-512': (bytes) => sha3(bytes, 64),
  };
  // The digest of bytes; undefined for an unknown algorithm.
  n8n.hash = (algorithm, bytes) => HASHES[algorithm]?.(bytes);
  // The digest of a message with a key: HMAC.
  const BLOCKS = { __proto__: null, sha384: 128, sha512: 128, 'sha3-256': 136, 'sha3-384': 104, 'sha3-512': 72 };
  n8n.hmac = (algorithm, key, bytes) => {
    const size = BLOCKS[algorithm] ?? 64;
    const short = key.length > size ? n8n.hash(algorithm, key) : key;
    const masked = (mask, message) => {
      const all = new Uint8Array(size + message.length).fill(mask, 0, size);
      for (let i = 0; i < short.length; i++) all[i] ^= short[i];
      all.set(message, size);
      return n8n.hash(algorithm, all);
    };
    return masked(0x5c, masked(0x36, bytes));
  };
})
