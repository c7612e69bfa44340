// The XML node, and the nodes that make files of items and items of files. A file is read by the node behind it.

import { node, start, workflow } from './build.mjs';

const alone = (name, type, version, parameters, input) => ({
  name, workflow: workflow([start(), node('Node', type, version, parameters)], [['Start', 'Node']]), ...(input && { input }),
});
const parse = (name, text, options) => alone(`xml: ${name}`, 'xml', 1, options ? { options } : {}, [{ data: text }]);
const write = (name, json, options = { headless: true }) => alone(`xml: ${name}`, 'xml', 1, { mode: 'jsonToxml', options }, [json]);

const convert = (parameters, version = 1.1) => node('File', 'convertToFile', version, parameters);
const read = (parameters) => node('Node', 'extractFromFile', 1, parameters);
const hash = node('Node', 'crypto', 1, { binaryData: true, type: 'SHA256' });
/** A node that makes a file, and one that reads it. */
const through = (name, first, second, input) => ({
  name: `files: ${name}`, workflow: workflow([start(), first, second], [['Start', 'File'], ['File', 'Node']]), ...(input && { input }),
});
const csv = (name, text, options) =>
  through(`CSV ${name}`, convert({ operation: 'toText', sourceProperty: 'text', options: { fileName: 'a.csv' } }), read(options ? { options } : {}), [{ text }]);
const people = [{ id: 1, name: 'Ada, "A"', tags: ['x', 'y'] }, { id: 2.5, name: 'Bob\nB', more: { a: true, b: null } }];

export const cases = [
  parse('attributes, lists and text', '<a x="1"><b>1</b><b y="2">2</b>text</a>'),
  parse('empty elements', '<a><b/><c></c><d> </d></a>'),
  parse('a declaration, comments and CDATA', '<?xml version="1.0"?>\n<!DOCTYPE a>\n<!-- c -->\n<a>1 <![CDATA[<x> & y]]> 2</a>'),
  parse('characters', '<a b="&quot;q&quot; &#x41;">&lt; &amp; &#65; &eacute;</a>'),
  parse('a feed', '<rss><channel><title>T</title><item><title>1</title><guid isPermaLink="false">g</guid></item><item><title>2</title></item></channel></rss>'),
  parse('attributes apart', '<a x="1"><b y="2">2</b></a>', { mergeAttrs: false }),
  parse('lists always, without the root, other keys', '<a x="1"><b>1</b>t</a>', { explicitArray: true, explicitRoot: false, attrkey: '@', charkey: '#', mergeAttrs: false }),
  parse('no attributes, tidy texts and names', '<A x="1"><B> 1  2\n3 </B></A>', { ignoreAttrs: true, normalizeTags: true, normalize: true, trim: true }),
  parse('no end', '<a><b></b>'),
  parse('an end of another element', '<a><b></a>'),
  parse('no XML', 'hello'),
  parse('an attribute without quotes', '<a x=1/>'),
  parse('a character without a name', '<a>a & b</a>'),
  parse('no field', undefined),
  write('fields', { a: 1, b: 'x < y & "z"', c: true, d: null, e: '' }, {}),
  write('one field is the root', { a: { b: [1, 2, { c: 'x' }], $: { id: '1"<' }, _: 'text' } }),
  write('lists', { a: [1, '', { b: 1 }, [{ c: 1 }]], b: [], c: {} }),
  write('other keys and a root', { '@': { x: 1 }, '#': 'text', a: 1 }, { attrkey: '@', charkey: '#', rootName: 'root2' }),
  write('CDATA', { a: '<x>', b: 'plain', c: ['<y>', ']]>&'] }, { headless: true, cdata: true }),
  write('a name that is not allowed', { 'a b': 1 }),

  through('JSON of all items', convert({ operation: 'toJson' }), read({ operation: 'fromJson' }), people),
  through('JSON of each item', convert({ operation: 'toJson', mode: 'each' }), read({ operation: 'fromJson', destinationKey: 'a.b' }), people),
  through('JSON with line breaks', convert({ operation: 'toJson', options: { format: true } }), read({ operation: 'text' }), people),
  through('a text', convert({ operation: 'toText', sourceProperty: 'text' }), read({ operation: 'text' }), [{ text: 'café €' }]),
  through('a text of an object and of a number', convert({ operation: 'toText', sourceProperty: 'text' }), read({ operation: 'text' }), [{ text: { a: 1 } }, { text: 5 }]),
  through('a text without the field', convert({ operation: 'toText', sourceProperty: 'text' }), read({ operation: 'text' }), [{ a: 1 }]),
  ...['utf8', 'utf16le', 'latin1', 'windows1252', 'ascii', 'base64', 'hex'].map((encoding) =>
    through(`the encoding ${encoding}`, convert({ operation: 'toText', sourceProperty: 'text', options: { encoding } }),
      read({ operation: 'text', options: { encoding } }), [{ text: encoding === 'base64' ? 'aGk=' : encoding === 'hex' ? '4142' : 'café' }])),
  through('a mark of the encoding', convert({ operation: 'toText', sourceProperty: 'text', options: { encoding: 'utf8', addBOM: true } }), hash, [{ text: 'a' }]),
  through('a mark that is read away', convert({ operation: 'toText', sourceProperty: 'text', options: { encoding: 'utf8', addBOM: true } }), read({ operation: 'text' }), [{ text: 'a' }]),
  through('Base64 to a file', convert({ operation: 'toBinary', sourceProperty: 'text' }), read({ operation: 'text' }), [{ text: 'aGk=' }]),
  through('a file to Base64', convert({ operation: 'toText', sourceProperty: 'text' }), read({ operation: 'binaryToPropery' }), [{ text: 'café' }]),
  through('version 1 with a plain text', convert({ operation: 'toBinary', sourceProperty: 'text', options: { dataIsBase64: false } }, 1), read({ operation: 'text' }), [{ text: 'aGk=' }]),
  through('another name of the file', convert({ operation: 'toText', sourceProperty: 'text', binaryPropertyName: 'f' }), read({ operation: 'text', binaryPropertyName: 'f' }), [{ text: 'a' }]),
  through('a name that does not exist', convert({ operation: 'toText', sourceProperty: 'text' }), read({ operation: 'text', binaryPropertyName: 'f' }), [{ text: 'a' }]),
  through('the source stays', convert({ operation: 'toText', sourceProperty: 'text' }), read({ operation: 'text', options: { keepSource: 'both' } }), [{ text: 'a' }]),
  through('JSON that is not valid', convert({ operation: 'toText', sourceProperty: 'text' }), read({ operation: 'fromJson' }), [{ text: 'oops' }]),
  through('CSV of items', convert({ operation: 'csv' }), read({ operation: 'text' }), people),
  through('CSV of items without a header', convert({ operation: 'csv', options: { headerRow: false, delimiter: ';' } }), read({ operation: 'text' }), people),
  through('CSV of numbers', convert({ operation: 'csv' }), read({ operation: 'text' }),
    [{ a: 0.1 + 0.2, b: 1706695200000, c: -1 / 3, d: 1e21, e: 123456.789 }]),
  through('CSV there and back', convert({ operation: 'csv' }), read({ options: { enableBOM: true } }), people),
  through('HTML of items', convert({ operation: 'html' }), hash, [{ a: 1, b: '<x>' }, { a: null, b: true }]),
  through('RTF of items', convert({ operation: 'rtf' }), hash, [{ a: 1, b: 'x' }, { a: null, b: 'é' }]),
  csv('with a header', 'a,b\n1,"x, ""y"""\n,z\n'),
  csv('with empty cells', 'a,b,c\n1,,"x\ny"\n', { includeEmptyCells: true }),
  csv('without a header', 'a,b\n1,2\n', { headerRow: false }),
  csv('with another delimiter', 'a;b\r\n1;2\r\n', { delimiter: ';' }),
  csv('with a limit of rows', 'a\n1\n2\n3\n', { maxRowCount: 2 }),
  csv('from a line', 'note\na,b\n1,2\n', { fromLine: 2 }),
  csv('with records that are skipped', 'a,b\n1,2\n1,2,3\n4,5\n', { skipRecordsWithErrors: { value: { enabled: true, maxSkippedRecords: -1 } } }),
  csv('with too many records to skip', 'a,b\n1\n2\n4,5\n', { skipRecordsWithErrors: { value: { enabled: true, maxSkippedRecords: 1 } } }),
  csv('with quotes within a cell', 'a,b\n1,x"y\n', { relaxQuotes: true }),
  through('a spreadsheet of CSV', node('File', 'spreadsheetFile', 2, { operation: 'toFile', fileFormat: 'csv' }), node('Node', 'spreadsheetFile', 2, { options: { enableBOM: true } }), people),
  through('a spreadsheet of CSV, version 1', convert({ operation: 'toText', sourceProperty: 'text', options: { fileName: 'a.csv' } }), node('Node', 'spreadsheetFile', 1, {}), [{ text: 'a,b\n1,x\nTRUE,$5\n1.50,\n' }]),
  through('an old node for all data', node('File', 'moveBinaryData', 1, { mode: 'jsonToBinary', options: {} }), node('Node', 'moveBinaryData', 1, { options: {} }), people),
  through('an old node for a field', node('File', 'moveBinaryData', 1.1, { mode: 'jsonToBinary', convertAllData: false, sourceKey: 'a.b', options: { useRawData: true } }),
    node('Node', 'moveBinaryData', 1.1, { setAllData: false, destinationKey: 'c.d', options: {} }), [{ a: { b: 'café' }, x: 1 }]),
  through('an old node that keeps Base64', node('File', 'moveBinaryData', 1.1, { mode: 'jsonToBinary', convertAllData: false, sourceKey: 'a', options: { useRawData: true, keepSource: true } }),
    node('Node', 'moveBinaryData', 1.1, { setAllData: false, options: { keepAsBase64: true } }), [{ a: 'café' }]),
  through('an old node for Base64', node('File', 'moveBinaryData', 1.1, { mode: 'jsonToBinary', convertAllData: false, sourceKey: 'a', options: { dataIsBase64: true } }),
    node('Node', 'moveBinaryData', 1.1, { setAllData: false, options: { jsonParse: true } }), [{ a: 'eyJ4IjoxfQ==' }]),
  through('an old node leaves out items without a file', node('File', 'moveBinaryData', 1.1, { mode: 'jsonToBinary', convertAllData: false, sourceKey: 'a', options: {} }), hash, [{ a: 'x' }, { b: 1 }]),
];
