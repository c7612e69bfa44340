// The hash functions against those of Node, with messages around the sizes of their blocks.

import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import test from 'node:test';
import { n8n } from './load.mjs';

const SIZES = [0, 1, 55, 56, 63, 64, 65, 71, 72, 111, 112, 127, 128, 129, 135, 136, 300];
const message = (size) => Buffer.from(Array.from({ length: size }, (_, i) => (i * 7 + size) % 256));

for (const name of ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'sha3-256', 'sha3-384', 'sha3-512']) {
  test(name, () => {
    for (const size of SIZES) {
      assert.equal(Buffer.from(n8n.hash(name, message(size))).toString('hex'), createHash(name).update(message(size)).digest('hex'));
      const hmac = createHmac(name, message(size)).update('text').digest('hex');
      assert.equal(Buffer.from(n8n.hmac(name, message(size), Buffer.from('text'))).toString('hex'), hmac);
    }
  });
}

test('an unknown algorithm has no digest', () => {
  assert.equal(n8n.hash('crc', message(1)), undefined);
});
