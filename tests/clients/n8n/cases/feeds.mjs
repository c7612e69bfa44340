// The RSS Read node, over the kinds of feeds.

import { node, start, workflow } from './build.mjs';

const rss = (items, version = '2.0') =>
  `<?xml version="1.0" encoding="UTF-8"?>
<rss version="${version}" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/" ` +
  `xmlns:media="http://search.yahoo.com/mrss/"><channel><title>News</title><link>https://news.example</link>${items}</channel></rss>`;
const atom = (entries) => `<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><id>feed</id>${entries}</feed>`;

const POST = `<item>
  <title>Bread &amp; butter</title><link>https://news.example/1</link><guid isPermaLink="false">post-1</guid>
  <pubDate>Sat, 14 Mar 2026 10:00:00 +0100</pubDate><dc:creator><![CDATA[Ada]]></dc:creator>
  <description><![CDATA[<p>The <b>first</b> caf&eacute;.</p><p>Open&nbsp;now.</p>]]></description>
  <content:encoded><![CDATA[<h1>Bread</h1>and<br/>butter]]></content:encoded>
  <category>food</category><category domain="https://news.example/tags"><![CDATA[city]]></category>
  <enclosure url="https://news.example/1.mp3" length="1200" type="audio/mpeg"/>
  <media:thumbnail url="https://news.example/1.png"/><comments>https://news.example/1#comments</comments>
</item>`;

const cases = [
  ['RSS with all that is common', 1.2, { url: 'https://news.example/feed', options: {} }, rss(POST)],
  ['RSS with several items', 1.1, {}, rss('<item><title>A</title></item><item><title/><link/></item><item><description/></item>')],
  ['RSS without items', 1.1, {}, rss('')],
  ['RSS with dates that cannot be read', 1.1, {}, rss('<item><title>A</title><pubDate>yesterday</pubDate></item><item><dc:date>2026-03-14</dc:date></item>')],
  ['RSS with a date of another zone', 1.1, {}, rss('<item><pubDate>Sat, 14 Mar 2026 10:00:00 EST</pubDate></item><item><pubDate>14 Mar 2026 10:00 GMT</pubDate></item>')],
  ['RSS with an author and a guid that is a link', 1.1, {}, rss('<item><author>a@example.com (Ada)</author><guid>https://news.example/1</guid></item>')],
  ['RSS with HTML that is escaped', 1.1, {}, rss('<item><description>&lt;ul&gt;&lt;li&gt;One&lt;/li&gt;&lt;li&gt;Two&lt;/li&gt;&lt;/ul&gt;</description></item>')],
  ['RSS with elements in the description', 1.1, {}, rss('<item><description>Some <b>bold</b> text<br/></description></item>')],
  ['RSS 0.91', 1.1, {}, rss('<item><title>A</title><link>https://news.example/1</link></item>', '0.91')],
  ['RSS 1.0', 1.1, {}, `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="https://news.example"><title>News</title></channel>
    <item rdf:about="https://news.example/1"><title>A</title><link>https://news.example/1</link><dc:date>2026-03-14T10:00:00+01:00</dc:date><dc:creator>Ada</dc:creator></item></rdf:RDF>`],
  ['a podcast', 1.1, {}, `<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>Talk</title>
    <item><title>1</title><itunes:author>Ada</itunes:author><itunes:duration>12:30</itunes:duration><itunes:image href="https://talk.example/1.png"/><itunes:explicit>no</itunes:explicit></item><item><title>2</title></item></channel></rss>`],
  ['Atom', 1.1, {}, atom('<entry><title type="html">Bread &amp;amp; butter</title><link rel="self" href="https://news.example/1.xml"/><link rel="alternate" href="https://news.example/1"/><id>tag:1</id><published>2026-03-13T10:00:00Z</published><updated>2026-03-14T10:00:00Z</updated><author><name>Ada</name><email>a@example.com</email></author><summary>Short</summary><content type="html">&lt;p&gt;Long&lt;/p&gt;&lt;p&gt;text&lt;/p&gt;</content></entry>')],
  ['Atom with little', 1.1, {}, atom('<entry><title/><link href="https://news.example/1"/><id>1</id><updated>2026-03-14T10:00:00+01:00</updated></entry><entry><id>2</id></entry>')],
  ['Atom with XHTML', 1.1, {}, atom('<entry><id>1</id><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>One</p><p>Two</p></div></content></entry>')],
  ['Atom with a date that cannot be read', 1.1, {}, atom('<entry><id>1</id><updated>yesterday</updated></entry>')],
  ['fields of its own', 1.2, { url: 'https://news.example/feed', options: { customFields: 'media:thumbnail, source' } }, rss(POST)],
  ['fields of its own in Atom', 1.2, { url: 'https://news.example/feed', options: { customFields: 'rights' } }, atom('<entry><id>1</id><rights>CC0</rights></entry>')],
  ['an address from the item, for each item', 1.1, { url: '=https://news.example/{{ $json.topic }}/feed', options: {} }, rss('<item><title>A</title></item>'), [{ topic: 'a' }, { topic: 'b' }]],
  ['version 1 reads once', 1, { url: '=https://news.example/{{ $json.topic }}/feed' }, rss('<item><title>A</title></item>'), [{ topic: 'a' }, { topic: 'b' }]],
  ['a page of HTML', 1.1, {}, '<html><body>Hello</body></html>'],
  ['no XML', 1.1, {}, 'Not found'],
  ['XML that is not well-formed', 1.1, {}, '<rss version="2.0"><channel><item></channel></rss>'],
  ['an empty answer', 1.1, {}, ''],
  ['a status of an error', 1.1, {}, { status: 404, body: 'Not found' }],
  ['a status of an error continues', 1.1, {}, { status: 500, body: 'down' }, [{ topic: 'a' }], { onError: 'continueRegularOutput' }],
  ['a page of HTML continues', 1.1, {}, '<html/>', [{ topic: 'a' }], { onError: 'continueErrorOutput' }],
];

const named = cases.map(([what, version, parameters, answer, input = [{ n: 1 }], more = {}]) => ({
  name: `feed: ${what}`,
  workflow: workflow([
    start(),
    node('Feed', 'rssFeedRead', version, { url: 'https://news.example/feed', ...parameters }, more),
  ], [['Start', 'Feed']]),
  input,
  http: [answer.body === undefined ? { body: answer, headers: { 'content-type': 'application/rss+xml' } } : answer],
}));

export { named as cases };
