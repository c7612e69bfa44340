// n8n's Crypto node.
(function (n8n) {
  'use strict';

  const requireText = (value, name, types) => {
    if (typeof value !== 'string') {
      throw new TypeError(`The "${name}" argument must be of type string or an instance of ${types}. Received ${n8n.describeType(value)}`);
    }
    return Buffer.from(value);
  };

  const readInput = (read, item, index) =>
    read('binaryData', false)
      ? Buffer.from(n8n.findFile(item, read('binaryPropertyName', 'data'), index).base64, 'base64')
      : requireText(read('value', ''), 'data', 'Buffer, TypedArray, or DataView');

  const generate = (kind, length) => {
    if (kind === 'uuid') return crypto.randomUUID();
    if (!(length >= 0)) throw new RangeError(`The value of "size" is out of range. It must be >= 0 && <= 2147483647. Received ${length}`);
    const bytes = Buffer.alloc(kind === 'hex' ? Math.ceil(length / 2) : kind === 'base64' ? Math.ceil(length * 0.75) : length);
    // One call gives at most 65,536 bytes.
    for (let at = 0; at < bytes.length; at += 65536) crypto.getRandomValues(bytes.subarray(at, at + 65536));
    return bytes.toString(kind).slice(0, length);
  };

  const requireDigest = (digest, message) => {
    if (digest === undefined) throw new Error(message);
    return digest;
  };

  const compute = (action, read, item, index, version) => {
    // Version 2 has another default.
    const type = read('type', version < 2 ? 'MD5' : 'SHA256');
    const name = String(type).toLowerCase();
    switch (action) {
      case 'hash':
        return requireDigest(n8n.hash(name, readInput(read, item, index)), 'Digest method not supported');
      case 'hmac': {
        // In version 2 the secret is a credential, which an import does not have.
        if (version >= 2 && read('secret', '') === '') throw new Error('The node has no secret. Set the parameter "secret".');
        const types = 'ArrayBuffer, Buffer, TypedArray, DataView, KeyObject, or CryptoKey';
        const key = requireText(read('secret', ''), 'key', types);
        return requireDigest(n8n.hash(name, key) && n8n.hmac(name, key, readInput(read, item, index)), `Invalid digest: ${type}`);
      }
      default:
        throw new Error('This platform cannot sign with a private key. Use an HMAC, or a service that signs.');
    }
  };

  n8n.crypto = (parameters, version) =>
    n8n.eachItem(parameters, (read, item, index) => {
      const action = read('action', 'hash');
      const value = action === 'generate'
        ? generate(read('encodingType', 'uuid'), read('stringLength', 32))
        : Buffer.from(compute(action, read, item, index, version)).toString(read('encoding', 'hex'));
      const result = { json: { ...item.json, [read('dataPropertyName', 'data')]: value } };
      // n8n drops the files of an item whose file it hashes.
      const usesFile = action !== 'generate' && read('binaryData', false);
      return item.binary === undefined || usesFile ? result : { ...result, binary: item.binary };
    });
})
