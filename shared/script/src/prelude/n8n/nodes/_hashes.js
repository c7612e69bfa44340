// MD5, SHA-1, SHA-2, SHA-3 and HMAC. The sandbox has no cryptographic module.
(function (n8n) {
  'use strict';

  const rotate = (word, count) => (word << count) | (word >>> (32 - count));

  // --- The constants are bits of square roots, cube roots and sines, so they are computed ---

  const listPrimes = (count) => {
    const primes = [];
    for (let n = 2; primes.length < count; n++) {
      if (primes.every((prime) => n % prime !== 0)) primes.push(n);
    }
    return primes;
  };
  // The integer part of the root of `value`, by Newton's method from an estimate that is too large.
  const findRoot = (value, degree, estimate) => {
    const rest = BigInt(degree - 1);
    for (let root = estimate; ;) {
      const next = (rest * root + value / root ** rest) / BigInt(degree);
      if (next >= root) return root;
      root = next;
    }
  };
  // The first 64 bits of the fractional part of the root, as two words.
  const rootBits = (prime, degree) => {
    const estimate = BigInt(Math.ceil(prime ** (1 / degree) * 2 ** 32) + 1) << 32n;
    const root = findRoot(BigInt(prime) << BigInt(64 * degree), degree, estimate);
    return [Number((root >> 32n) & 0xffffffffn) | 0, Number(root & 0xffffffffn) | 0];
  };
  let tables;
  const readTables = () => {
    if (tables !== undefined) return tables;
    const primes = listPrimes(80);
    const cubes = primes.map((prime) => rootBits(prime, 3));
    const squares = primes.slice(0, 16).map((prime) => rootBits(prime, 2));
    const highs = (pairs) => pairs.map((pair) => pair[0]);
    const lows = (pairs) => pairs.map((pair) => pair[1]);
    tables = {
      high: highs(cubes),
      low: lows(cubes),
      first: { high: highs(squares.slice(0, 8)), low: lows(squares.slice(0, 8)) },
      second: { high: highs(squares.slice(8)), low: lows(squares.slice(8)) },
      sines: Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32) | 0),
    };
    return tables;
  };

  // --- Blocks ---

  // Adds the bit 1, zeros, and the length in bits.
  const pad = (bytes, blockSize, isLittle) => {
    const lengthSize = blockSize / 8;
    const size = Math.ceil((bytes.length + 1 + lengthSize) / blockSize) * blockSize;
    const padded = new Uint8Array(size);
    padded.set(bytes);
    padded[bytes.length] = 0x80;
    let bits = bytes.length * 8;
    for (let i = 0; i < 8; i++) {
      padded[isLittle ? size - lengthSize + i : size - 1 - i] = bits % 256;
      bits = Math.floor(bits / 256);
    }
    return padded;
  };
  const readWord = (bytes, at, isLittle) =>
    isLittle
      ? bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)
      : (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
  const writeWords = (words, isLittle) => {
    const bytes = new Uint8Array(words.length * 4);
    for (let i = 0; i < bytes.length; i++) {
      const shift = 8 * (isLittle ? i & 3 : 3 - (i & 3));
      bytes[i] = words[i >> 2] >>> shift;
    }
    return bytes;
  };

  // --- MD5 ---

  const MD5_SHIFTS = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
  const md5 = (bytes) => {
    const { sines } = readTables();
    const padded = pad(bytes, 64, true);
    const state = [0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476];
    const words = new Int32Array(16);
    for (let at = 0; at < padded.length; at += 64) {
      for (let i = 0; i < 16; i++) words[i] = readWord(padded, at + i * 4, true);
      let [a, b, c, d] = state;
      for (let i = 0; i < 64; i++) {
        const round = i >> 4;
        let mixed;
        let index;
        if (round === 0) {
          mixed = (b & c) | (~b & d);
          index = i;
        } else if (round === 1) {
          mixed = (d & b) | (~d & c);
          index = (5 * i + 1) & 15;
        } else if (round === 2) {
          mixed = b ^ c ^ d;
          index = (3 * i + 5) & 15;
        } else {
          mixed = c ^ (b | ~d);
          index = (7 * i) & 15;
        }
        const sum = (a + mixed + sines[i] + words[index]) | 0;
        a = d;
        d = c;
        c = b;
        b = (b + rotate(sum, MD5_SHIFTS[round][i & 3])) | 0;
      }
      [a, b, c, d].forEach((word, i) => { state[i] = (state[i] + word) | 0; });
    }
    return writeWords(state, true);
  };

  // --- SHA-1 ---

  const sha1 = (bytes) => {
    const padded = pad(bytes, 64, false);
    const state = [0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476, 0xc3d2e1f0 | 0];
    const words = new Int32Array(80);
    for (let at = 0; at < padded.length; at += 64) {
      for (let i = 0; i < 16; i++) words[i] = readWord(padded, at + i * 4, false);
      for (let i = 16; i < 80; i++) words[i] = rotate(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
      let [a, b, c, d, e] = state;
      for (let i = 0; i < 80; i++) {
        const mixed =
          i < 20 ? ((b & c) | (~b & d)) + 0x5a827999
          : i < 40 ? (b ^ c ^ d) + 0x6ed9eba1
          : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
          : (b ^ c ^ d) + 0xca62c1d6;
        const sum = (rotate(a, 5) + mixed + e + words[i]) | 0;
        e = d;
        d = c;
        c = rotate(b, 30);
        b = a;
        a = sum;
      }
      [a, b, c, d, e].forEach((word, i) => { state[i] = (state[i] + word) | 0; });
    }
    return writeWords(state, false);
  };

  // --- SHA-256 ---

  const sha256 = (bytes) => {
    const { high: constants, first } = readTables();
    const padded = pad(bytes, 64, false);
    const state = [...first.high];
    const words = new Int32Array(64);
    for (let at = 0; at < padded.length; at += 64) {
      for (let i = 0; i < 16; i++) words[i] = readWord(padded, at + i * 4, false);
      for (let i = 16; i < 64; i++) {
        const x = words[i - 15];
        const y = words[i - 2];
        const s0 = rotate(x, 25) ^ rotate(x, 14) ^ (x >>> 3);
        const s1 = rotate(y, 15) ^ rotate(y, 13) ^ (y >>> 10);
        words[i] = words[i - 16] + s0 + words[i - 7] + s1;
      }
      let [a, b, c, d, e, f, g, h] = state;
      for (let i = 0; i < 64; i++) {
        const s1 = rotate(e, 26) ^ rotate(e, 21) ^ rotate(e, 7);
        const t1 = (h + s1 + ((e & f) ^ (~e & g)) + constants[i] + words[i]) | 0;
        const s0 = rotate(a, 30) ^ rotate(a, 19) ^ rotate(a, 10);
        const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
        h = g;
        g = f;
        f = e;
        e = (d + t1) | 0;
        d = c;
        c = b;
        b = a;
        a = (t1 + t2) | 0;
      }
      [a, b, c, d, e, f, g, h].forEach((word, i) => { state[i] = (state[i] + word) | 0; });
    }
    return writeWords(state, false);
  };

  // --- SHA-384 and SHA-512: each number of 64 bits is two words ---

  const sha512 = (bytes, initial) => {
    const { high: highK, low: lowK } = readTables();
    const padded = pad(bytes, 128, false);
    const stateHigh = [...initial.high];
    const stateLow = [...initial.low];
    const high = new Int32Array(80);
    const low = new Int32Array(80);
    // The high word of (high, low) rotated to the right. With the arguments exchanged it is the low word.
    const turn = (x, y, count) => (count < 32 ? (x >>> count) | (y << (32 - count)) : (y >>> (count - 32)) | (x << (64 - count)));
    for (let at = 0; at < padded.length; at += 128) {
      for (let i = 0; i < 16; i++) {
        high[i] = readWord(padded, at + i * 8, false);
        low[i] = readWord(padded, at + i * 8 + 4, false);
      }
      for (let i = 16; i < 80; i++) {
        const xh = high[i - 15];
        const xl = low[i - 15];
        const yh = high[i - 2];
        const yl = low[i - 2];
        const s0h = turn(xh, xl, 1) ^ turn(xh, xl, 8) ^ (xh >>> 7);
        const s0l = turn(xl, xh, 1) ^ turn(xl, xh, 8) ^ ((xl >>> 7) | (xh << 25));
        const s1h = turn(yh, yl, 19) ^ turn(yh, yl, 61) ^ (yh >>> 6);
        const s1l = turn(yl, yh, 19) ^ turn(yl, yh, 61) ^ ((yl >>> 6) | (yh << 26));
        const sum = (low[i - 16] >>> 0) + (s0l >>> 0) + (low[i - 7] >>> 0) + (s1l >>> 0);
        low[i] = sum;
        high[i] = high[i - 16] + s0h + high[i - 7] + s1h + Math.floor(sum / 2 ** 32);
      }
      let [ah, bh, ch, dh, eh, fh, gh, hh] = stateHigh;
      let [al, bl, cl, dl, el, fl, gl, hl] = stateLow;
      for (let i = 0; i < 80; i++) {
        const s1h = turn(eh, el, 14) ^ turn(eh, el, 18) ^ turn(eh, el, 41);
        const s1l = turn(el, eh, 14) ^ turn(el, eh, 18) ^ turn(el, eh, 41);
        const t1l = (hl >>> 0) + (s1l >>> 0) + (((el & fl) ^ (~el & gl)) >>> 0) + (lowK[i] >>> 0) + (low[i] >>> 0);
        const t1h = hh + s1h + ((eh & fh) ^ (~eh & gh)) + highK[i] + high[i] + Math.floor(t1l / 2 ** 32);
        const s0h = turn(ah, al, 28) ^ turn(ah, al, 34) ^ turn(ah, al, 39);
        const s0l = turn(al, ah, 28) ^ turn(al, ah, 34) ^ turn(al, ah, 39);
        const t2l = (s0l >>> 0) + (((al & bl) ^ (al & cl) ^ (bl & cl)) >>> 0);
        const t2h = s0h + ((ah & bh) ^ (ah & ch) ^ (bh & ch)) + Math.floor(t2l / 2 ** 32);
        hh = gh;
        hl = gl;
        gh = fh;
        gl = fl;
        fh = eh;
        fl = el;
        const newE = (dl >>> 0) + (t1l % 2 ** 32);
        el = newE | 0;
        eh = (dh + t1h + Math.floor(newE / 2 ** 32)) | 0;
        dh = ch;
        dl = cl;
        ch = bh;
        cl = bl;
        bh = ah;
        bl = al;
        const newA = (t1l % 2 ** 32) + (t2l % 2 ** 32);
        al = newA | 0;
        ah = (t1h + t2h + Math.floor(newA / 2 ** 32)) | 0;
      }
      const highs = [ah, bh, ch, dh, eh, fh, gh, hh];
      const lows = [al, bl, cl, dl, el, fl, gl, hl];
      for (let i = 0; i < 8; i++) {
        const sum = (stateLow[i] >>> 0) + (lows[i] >>> 0);
        stateLow[i] = sum | 0;
        stateHigh[i] = (stateHigh[i] + highs[i] + Math.floor(sum / 2 ** 32)) | 0;
      }
    }
    return writeWords(stateHigh.flatMap((word, i) => [word, stateLow[i]]), false);
  };

  // --- SHA-3: 25 lanes of 64 bits ---

  // The places and rotations of the lanes, and the bits of the round constants, as the standard generates them.
  const keccakTables = () => {
    const steps = [];
    let x = 1;
    let y = 0;
    for (let t = 0; t < 24; t++) {
      steps.push([x + 5 * y, (((t + 1) * (t + 2)) / 2) % 64]);
      [x, y] = [y, (2 * x + 3 * y) % 5];
    }
    const rounds = [];
    let register = 1;
    for (let round = 0; round < 24; round++) {
      const words = [0, 0];
      for (let j = 0; j < 7; j++) {
        const bit = 2 ** j - 1;
        if (register & 1) words[bit >> 5] ^= 1 << (bit & 31);
        register = (register << 1) ^ (register & 0x80 ? 0x171 : 0);
      }
      rounds.push(words);
    }
    return { steps, rounds };
  };
  const permute = (low, high, { steps, rounds }) => {
    const columnLow = new Int32Array(5);
    const columnHigh = new Int32Array(5);
    for (const [roundLow, roundHigh] of rounds) {
      for (let x = 0; x < 5; x++) {
        columnLow[x] = low[x] ^ low[x + 5] ^ low[x + 10] ^ low[x + 15] ^ low[x + 20];
        columnHigh[x] = high[x] ^ high[x + 5] ^ high[x + 10] ^ high[x + 15] ^ high[x + 20];
      }
      for (let x = 0; x < 5; x++) {
        const left = (x + 4) % 5;
        const right = (x + 1) % 5;
        const dLow = columnLow[left] ^ ((columnLow[right] << 1) | (columnHigh[right] >>> 31));
        const dHigh = columnHigh[left] ^ ((columnHigh[right] << 1) | (columnLow[right] >>> 31));
        for (let i = x; i < 25; i += 5) {
          low[i] ^= dLow;
          high[i] ^= dHigh;
        }
      }
      let heldLow = low[1];
      let heldHigh = high[1];
      // Each lane moves to the place of the next one.
      for (let t = 0; t < 24; t++) {
        const to = steps[(t + 1) % 24][0];
        const count = steps[t][1];
        const [a, b] = count < 32 ? [heldLow, heldHigh] : [heldHigh, heldLow];
        const shift = count & 31;
        heldLow = low[to];
        heldHigh = high[to];
        low[to] = shift === 0 ? a : (a << shift) | (b >>> (32 - shift));
        high[to] = shift === 0 ? b : (b << shift) | (a >>> (32 - shift));
      }
      for (let y = 0; y < 25; y += 5) {
        for (const lanes of [low, high]) {
          const [a, b, c, d, e] = [lanes[y], lanes[y + 1], lanes[y + 2], lanes[y + 3], lanes[y + 4]];
          lanes[y] = a ^ (~b & c);
          lanes[y + 1] = b ^ (~c & d);
          lanes[y + 2] = c ^ (~d & e);
          lanes[y + 3] = d ^ (~e & a);
          lanes[y + 4] = e ^ (~a & b);
        }
      }
      low[0] ^= roundLow;
      high[0] ^= roundHigh;
    }
  };
  const sha3 = (bytes, size) => {
    const shared = keccakTables();
    const rate = 200 - 2 * size;
    const padded = new Uint8Array(Math.ceil((bytes.length + 1) / rate) * rate);
    padded.set(bytes);
    padded[bytes.length] = 0x06;
    padded[padded.length - 1] |= 0x80;
    const low = new Int32Array(25);
    const high = new Int32Array(25);
    for (let at = 0; at < padded.length; at += rate) {
      for (let i = 0; i * 8 < rate; i++) {
        low[i] ^= readWord(padded, at + i * 8, true);
        high[i] ^= readWord(padded, at + i * 8 + 4, true);
      }
      permute(low, high, shared);
    }
    const words = [];
    for (let i = 0; i * 8 < size; i++) words.push(low[i], high[i]);
    return writeWords(words, true).slice(0, size);
  };

  // --- By name ---

  const HASHES = {
    __proto__: null,
    MD5: { block: 64, digest: md5 },
    SHA1: { block: 64, digest: sha1 },
    SHA256: { block: 64, digest: sha256 },
    SHA384: { block: 128, digest: (bytes) => sha512(bytes, readTables().second).slice(0, 48) },
    SHA512: { block: 128, digest: (bytes) => sha512(bytes, readTables().first) },
    'SHA3-256': { block: 136, digest: (bytes) => sha3(bytes, 32) },
    'SHA3-384': { block: 104, digest: (bytes) => sha3(bytes, 48) },
    'SHA3-512': { block: 72, digest: (bytes) => sha3(bytes, 64) },
  };
  const findHash = (name, message) => {
    const hash = HASHES[String(name).toUpperCase().replace(/^SHA-(?=\d)/, 'SHA')];
    if (hash === undefined) throw new Error(message);
    return hash;
  };

  n8n.hash = (name, bytes) => findHash(name, 'Digest method not supported').digest(bytes);

  n8n.hmac = (name, key, bytes) => {
    const { block, digest } = findHash(name, `Invalid digest: ${name}`);
    const short = key.length > block ? digest(key) : key;
    const keyed = (mask, rest) => {
      const all = new Uint8Array(block + rest.length);
      for (let i = 0; i < block; i++) all[i] = (i < short.length ? short[i] : 0) ^ mask;
      all.set(rest, block);
      return digest(all);
    };
    return keyed(0x5c, keyed(0x36, bytes));
  };
})
