// The items of a feed, with the names that n8n's RSS node gives them.
(function (n8n) {
  'use strict';

  // An element, and the field that has its first value.
  const FIELDS = [
    ['author', 'creator'], ['dc:creator', 'creator'], ['dc:date', 'date'], ['dc:language', 'language'], ['dc:rights', 'rights'],
    ['dc:source', 'source'], ['dc:title', 'title'], 'title', 'link', 'pubDate', 'author', 'summary', 'content:encoded', 'enclosure',
    'dc:creator', 'dc:date', 'comments',
  ];
  const PODCAST = ['author', 'subtitle', 'summary', 'explicit', 'duration', 'image', 'episode', 'season', 'keywords', 'episodeType'];

  const textOf = (value) => (typeof value?._ === 'string' ? value._ : value);
  // Finds the next match at or after a place. Callers ask for growing places, so the text is scanned only once.
  const finder = (text, pattern) => {
    let found = -1;
    return (from) => {
      if (found < from) {
        pattern.lastIndex = from;
        found = pattern.exec(text)?.index ?? Infinity;
      }
      return found;
    };
  };
  const BLOCK = /<\/?(?:h|br|p|ul|ol|li|blockquote|section|table|tr|div)/y;
  // A tag cannot contain these line ends.
  const findWall = (html) => finder(html, /[\r\u2028\u2029]/g);
  /** Puts a line break where the tag of a block stands between two characters. */
  const breakBlocks = (html) => {
    const [close, wall] = [finder(html, />(?=[^\n])/g), findWall(html)];
    let [shown, from] = ['', 0];
    for (let at = html.indexOf('<', 1); at > 0; at = html.indexOf('<', at + 1)) {
      BLOCK.lastIndex = at;
      if (at <= from || html[at - 1] === '\n' || !BLOCK.test(html)) continue;
      const [start, end] = [BLOCK.lastIndex, close(BLOCK.lastIndex)];
      if (end >= wall(start)) continue;
      shown += `${html.slice(from, at)}\n${html[end + 1]}`;
      from = end + 2;
      at = end + 2;
    }
    return shown + html.slice(from);
  };
  const withoutTags = (html) => {
    const [close, wall] = [finder(html, />/g), findWall(html)];
    let [shown, from] = ['', 0];
    for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', Math.max(at + 1, from))) {
      const end = close(at + 1);
      if (end >= wall(at + 1)) continue;
      shown += html.slice(from, at);
      from = end + 1;
    }
    return shown + html.slice(from);
  };
  const snippetOf = (html) => n8n.decodeHtml(withoutTags(breakBlocks(html))).trim();
  const contentOf = (element) => {
    const content = textOf(element);
    return typeof content === 'object' ? n8n.writeXml(content, { headless: true, rootName: 'div', isPretty: false }) : content;
  };
  /** The address of the link with this relation, or that of the first link. */
  const linkOf = (links, relation) => (links.find(({ $ }) => $.rel === relation) ?? links[0]).$.href;

  const copy = (element, item, fields) => {
    for (const field of fields) {
      const [from, to] = typeof field === 'string' ? [field, field] : field;
      if (element[from] !== undefined) n8n.setField(item, to, textOf(element[from][0]));
      else if (item[to] !== undefined) item[to] = textOf(item[to]);
      if (field === 'content:encoded' && typeof item[to] === 'string' && item[to] !== '') item[`${to}Snippet`] = snippetOf(item[to]);
    }
  };
  const addContent = (item, element) => {
    item.content = contentOf(element);
    item.contentSnippet = snippetOf(item.content);
  };
  const withIsoDate = (item) => {
    const date = item.pubDate ?? item.date;
    try {
      if (date) item.isoDate = new Date(date.trim()).toISOString();
    } catch {
      // A date that cannot be read has no other form.
    }
    return item;
  };

  const rssItem = (element, custom) => {
    const item = {};
    copy(element, item, [...FIELDS, ...custom]);
    const { enclosure, description, guid, category } = element;
    if (enclosure) item.enclosure = enclosure[0].$;
    if (description) addContent(item, description[0]);
    if (guid) item.guid = guid[0]._ ? guid[0]._ : guid[0];
    if (element.$?.['rdf:about']) item['rdf:about'] = element.$['rdf:about'];
    if (category) item.categories = category;
    return withIsoDate(item);
  };
  const podcastOf = (element) => {
    const podcast = {};
    copy(element, podcast, PODCAST.map((name) => [`itunes:${name}`, name]));
    const address = element['itunes:image']?.[0]?.$?.href;
    if (address) podcast.image = address;
    return podcast;
  };
  const atomItem = (entry, custom) => {
    const item = {};
    copy(entry, item, custom);
    const { title, link, published, updated, author, content, summary, id } = entry;
    const shown = title && (title[0]?._ || title[0]);
    if (shown) item.title = shown;
    if (link) item.link = linkOf(link, 'alternate');
    const date = [published, updated].find((dates) => dates?.[0].length > 0);
    if (date) item.pubDate = new Date(date[0]).toISOString();
    if (author?.[0].name) item.author = author[0].name[0];
    if (content) addContent(item, content[0]);
    if (summary) item.summary = contentOf(summary[0]);
    if (id) item.id = id[0];
    return withIsoDate(item);
  };

  /** The items of the answer with a feed, at most as many as the limit. `custom` names further elements. */
  n8n.feedItems = ({ status, body }, { limit, custom = '' } = {}) => {
    if (status >= 300) throw new Error(`Status code ${status}`);
    if (!String(body ?? '').trim()) throw new Error('Unable to parse XML.');
    const names = custom === '' ? [] : String(custom).split(',').map((name) => name.trim());
    const { feed, rss, 'rdf:RDF': rdf } = n8n.readXml(body, { explicitArray: true, mergeAttrs: false });
    if (feed) return (feed.entry ?? []).slice(0, limit).map((entry) => atomItem(entry, names));
    const version = rss?.$?.version ?? '';
    if (!rdf && !/^2|0\.9/.test(version)) throw new Error('Feed not recognized as RSS 1 or 2.');
    const elements = (rdf ? rdf.item : rss.channel[0].item) ?? [];
    const hasPodcasts = version.startsWith('2') && rss.$['xmlns:itunes'];
    return elements.slice(0, limit).map((element) => {
      const item = rssItem(element, names);
      return hasPodcasts ? { ...item, itunes: podcastOf(element) } : item;
    });
  };
})
