// The parts of the nodes that no recorded run can show: random values, failing items, and inputs that were made to be slow.

import assert from 'node:assert/strict';
import test from 'node:test';
import { n8n, show, showItems } from './load.mjs';

test('random values', () => {
  show();
  const generate = (encodingType, stringLength) =>
    n8n.crypto({ action: 'generate', encodingType, stringLength }, 1)[0].json.data;
  assert.match(generate('uuid'), /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  assert.match(generate('hex', 12), /^[\da-f]{12}$/);
  assert.equal(generate('base64', 9).length, 9);
  assert.equal(generate('ascii', 32).length, 32);
  assert.notEqual(generate('hex', 32), generate('hex', 32));
});

test('signatures are refused', () => {
  show();
  assert.throws(() => n8n.crypto({ action: 'sign', value: 'a' }, 1), Error);
});

test('an item that fails', () => {
  const items = [{ json: { data: '<a>1</a>' } }, { json: { data: '<a>' } }];
  const message = 'Unclosed root tag\nLine: 0\nColumn: 3\nChar: ';
  const parse = () => n8n.xml({}, 1);
  showItems(items);
  assert.throws(parse, { message });
  const first = { json: { a: '1' }, pairedItem: { item: 0 } };
  assert.deepEqual(n8n.tolerate(parse, 'item'), [first, { json: { error: message }, pairedItem: { item: 1 } }]);
  const failed = { json: { data: '<a>', error: message }, pairedItem: { item: 1 } };
  assert.deepEqual(n8n.tolerate(parse, 'branch'), { out: [first], error: [failed] });
  assert.throws(parse, { message });
});

// Each takes a few milliseconds, and minutes if a part is quadratic.
const SIZE = 100_000;
const HOSTILE = {
  markdown: ['*', '_', '`', '[', '![', '[a](', '<', '<a ', '- ', '> ', '| ', '&', '\\', '~~', '#', '1. a\n', ' ', '\n', '***a', '[a]: b\n'],
  html: ['<', '<a>', '</a>', '<b><p>', '<table>', '<!--', '<a b=', '&', '<a href="', '<script>', '<li>', ' ', '<svg><p>', '<![CDATA['],
  xml: ['<a>', '<', '&', '<a b="', '<!--', '<![CDATA[', '<a></a>', '<?', '<!DOCTYPE [', ' '],
  csv: ['"', ',', '""', '\n', '"a"b', '\r', ' '],
  selector: [':not(', 'a>', 'a ', '*', '[a', '[a=b ', '\\', ',a', ':nth-child(', '~*', 'a,'],
  date: ['1', '-', ' ', 'T', ':', '+', 'Jan ', '('],
};
const WORK = {
  markdown: (text) => n8n.markdownToHtml(text, { tables: true, simplifiedAutoLink: true, strikethrough: true, emoji: true }),
  html(text) {
    const page = n8n.parseHtml(text);
    n8n.selectHtml(page, 'p b + a, div > :not(.x), li:nth-child(2n+1)');
    n8n.htmlToText(page);
    n8n.htmlToMarkdown(text, {});
  },
  xml(text) {
    showItems([{ json: { data: text } }]);
    n8n.xml({}, 1);
  },
  csv: (text) => n8n.readCsv(text, { delimiter: ',', hasHeader: true, maxRows: -1, fromLine: 0, maxSkipped: -1 }),
  selector: (text) => n8n.selectHtml(n8n.parseHtml('<p>a'), text),
  date(text) {
    showItems([{ json: {} }]);
    n8n.dateTime({ value: text }, 1);
  },
};
for (const [kind, pieces] of Object.entries(HOSTILE)) {
  test(`hostile input: ${kind}`, () => {
    for (const piece of pieces) {
      try {
        WORK[kind](piece.repeat(Math.ceil(SIZE / piece.length)));
      } catch (error) {
        // A refusal is as good, but no failure of the machine.
        assert.ok(!(error instanceof RangeError), `${piece}: ${error.message}`);
      }
    }
  });
}
