// Feeds. The cases of `tests/clients/n8n/cases/feeds.mjs` compare the items with those of n8n.

import assert from 'node:assert/strict';
import test from 'node:test';
import { n8n } from './load.mjs';

const rss = (items) => ({ status: 200, body: `<rss version="2.0"><channel>${items}</channel></rss>` });
const described = (html) => n8n.feedItems(rss(`<item><description><![CDATA[${html}]]></description></item>`))[0].contentSnippet;

test('a limit keeps the first items, which are the newest', () => {
  const feed = rss('<item><title>3</title></item><item><title>2</title></item><item><title>1</title></item>');
  assert.deepEqual(n8n.feedItems(feed, { limit: 2 }), [{ title: '3' }, { title: '2' }]);
  assert.equal(n8n.feedItems(feed).length, 3);
});

test('blocks begin a line', () => {
  assert.equal(described('a</p><p>b<br>c<i>d</i>'), 'a\nb\ncd');
  assert.equal(described('a<p>\nb<i>c'), 'a\nc');
  assert.equal(described('1 < 2\rand 3 > 2'), '1 < 2\rand 3 > 2');
});

// With a search that begins anew for each sign, each of these takes minutes.
test('a feed of signs is read once', () => {
  for (const hostile of ['<', 'a<p', 'a<p>\n', 'a<p>\r', '<a\r']) {
    const text = hostile.repeat(1_000_000 / hostile.length);
    assert.ok(described(text).length <= text.length);
  }
});
