// Character encodings and media types of files.
(function (n8n) {
  'use strict';

  // --- Encodings: the names are written in many ways, as in "UTF-8" and "utf8" ---

  // The characters of windows-1252 from 0x80 to 0x9f. Five bytes have none.
  const WINDOWS_1252 = '€\ufffd‚ƒ„…†‡ˆ‰Š‹Œ\ufffdŽ\ufffd\ufffd‘’“”•–—˜™š›œ\ufffdžŸ';
  const ENCODINGS = {
    __proto__: null, utf8: 'utf8', unicode11utf8: 'utf8', cesu8: 'utf8', utf16le: 'utf16le', ucs2: 'utf16le', utf16: 'utf16le',
    utf16be: 'utf16be', ascii: 'ascii', usascii: 'ascii', latin1: 'latin1', iso88591: 'latin1', binary: 'latin1',
    windows1252: 'windows1252', win1252: 'windows1252', cp1252: 'windows1252', base64: 'base64', hex: 'hex',
  };
  const simplify = (encoding) => String(encoding).toLowerCase().replace(/[^a-z0-9]/g, '');
  n8n.isEncoding = (encoding) => ENCODINGS[simplify(encoding)] !== undefined;
  const findEncoding = (encoding) => {
    const known = ENCODINGS[simplify(encoding)];
    if (known !== undefined) return known;
    throw new Error(`The encoding "${encoding}" is not supported. Use utf8, utf16le, latin1, windows1252 or ascii.`);
  };
  const swap = (bytes) => {
    const swapped = Buffer.alloc(bytes.length & ~1);
    for (let i = 0; i < swapped.length; i++) swapped[i] = bytes[i ^ 1];
    return swapped;
  };

  /** The text of bytes, with its byte order mark. */
  n8n.decodeText = (bytes, encoding) => {
    const known = findEncoding(encoding);
    if (known === 'utf16be') return swap(bytes).toString('utf16le');
    if (known === 'ascii') return bytes.toString('latin1').replace(/[\x80-\xff]/g, '\ufffd');
    if (known === 'windows1252') return bytes.toString('latin1').replace(/[\x80-\x9f]/g, (char) => WINDOWS_1252[char.charCodeAt(0) - 0x80]);
    return bytes.toString(known);
  };
  n8n.encodeText = (text, encoding, addMark = false) => {
    const known = findEncoding(encoding);
    const marked = addMark && /^utf/.test(known) ? '\ufeff' + text : text;
    if (known === 'utf16be') return swap(Buffer.from(marked, 'utf16le'));
    if (known === 'ascii') return Buffer.from(marked.replace(/[^\0-\x7f]/g, '?'), 'latin1');
    if (known === 'latin1') return Buffer.from(marked.replace(/[^\0-\xff]/g, '?'), 'latin1');
    if (known === 'windows1252') {
      const toByte = (char) => (WINDOWS_1252.includes(char) ? String.fromCharCode(0x80 + WINDOWS_1252.indexOf(char)) : '?');
      return Buffer.from(marked.replace(/[^\0-\x7f\xa0-\xff]/g, toByte), 'latin1');
    }
    return Buffer.from(marked, known);
  };
  n8n.withoutMark = (text) => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);

  /** The likely encoding of bytes. n8n guesses more of them, by how often letters occur. */
  n8n.guessEncoding = (bytes) => {
    if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf16le';
    if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf16be';
    return bytes.toString('utf8').includes('\ufffd') ? 'windows1252' : 'utf8';
  };

  // --- Media types ---

  const OFFICE = 'application/vnd.openxmlformats-officedocument.';
  const TYPES = {
    __proto__: null, txt: 'text/plain', csv: 'text/csv', html: 'text/html', htm: 'text/html', css: 'text/css',
    ics: 'text/calendar', xml: 'text/xml', json: 'application/json', js: 'application/javascript', yaml: 'text/yaml', yml: 'text/yaml',
    tsv: 'text/tab-separated-values', vcf: 'text/x-vcard', eml: 'message/rfc822', pdf: 'application/pdf', rtf: 'application/rtf',
    doc: 'application/msword', docx: OFFICE + 'wordprocessingml.document', xls: 'application/vnd.ms-excel',
    xlsx: OFFICE + 'spreadsheetml.sheet', ppt: 'application/vnd.ms-powerpoint', pptx: OFFICE + 'presentationml.presentation',
    odt: 'application/vnd.oasis.opendocument.text', ods: 'application/vnd.oasis.opendocument.spreadsheet',
    epub: 'application/epub+zip', zip: 'application/zip', gz: 'application/gzip', tar: 'application/x-tar', rar: 'application/vnd.rar',
    '7z': 'application/x-7z-compressed', bz: 'application/x-bzip', bz2: 'application/x-bzip2', bin: 'application/octet-stream',
    png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp', svg: 'image/svg+xml',
    bmp: 'image/bmp', ico: 'image/vnd.microsoft.icon', tif: 'image/tiff', tiff: 'image/tiff', mp3: 'audio/mpeg', wav: 'audio/wav',
    ogg: 'audio/ogg', m4a: 'audio/mp4', mp4: 'video/mp4', webm: 'video/webm', mov: 'video/quicktime', avi: 'video/x-msvideo',
  };
  const EXTENSIONS = { __proto__: null, 'application/xml': 'xml', 'audio/mpeg': 'mpga' };
  for (const extension of Object.keys(TYPES)) EXTENSIONS[TYPES[extension]] ??= extension;

  const lastPart = (name) => String(name).split(/[\\/]/).at(-1);
  n8n.typeOfName = (name) => {
    const last = lastPart(name);
    return last.includes('.') ? TYPES[last.split('.').at(-1).toLowerCase()] : undefined;
  };
  n8n.extensionOf = (type) => EXTENSIONS[String(type).split(';')[0].trim()];

  // The first bytes of common files.
  const MARKS = [
    ['\x89PNG\r\n\x1a\n', 'image/png'], ['\xff\xd8\xff', 'image/jpeg'], ['GIF8', 'image/gif'], ['%PDF', 'application/pdf'],
    ['PK\x03\x04', 'application/zip'], ['\x1f\x8b\x08', 'application/gzip'], ['ID3', 'audio/mpeg'], ['OggS', 'audio/ogg'],
    ['BM', 'image/bmp'], ['Rar!\x1a\x07', 'application/x-rar-compressed'], ['7z\xbc\xaf\x27\x1c', 'application/x-7z-compressed'],
    ['<?xml ', 'application/xml'],
  ];
  const typeOfBytes = (bytes) => {
    const start = bytes.toString('latin1', 0, 16);
    if (start.startsWith('RIFF')) return { WEBP: 'image/webp', WAVE: 'audio/wav' }[start.slice(8, 12)];
    if (start.slice(4, 8) === 'ftyp') return 'video/mp4';
    return MARKS.find(([mark]) => start.startsWith(mark))?.[1];
  };

  /** A file of an item. Without a type, the name and then the first bytes decide. */
  n8n.makeFile = (bytes, name, type) => {
    const contentType = type || (name && n8n.typeOfName(name)) || typeOfBytes(bytes) || 'text/plain';
    const file = { base64: bytes.toString('base64'), contentType };
    return name === undefined ? file : { ...file, name };
  };
})
