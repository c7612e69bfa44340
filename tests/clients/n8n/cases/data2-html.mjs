// The HTML, HTML Extract and Markdown nodes.

import { node, start, workflow } from './build.mjs';

const alone = (name, type, version, parameters, input) => ({
  name, workflow: workflow([start(), node('Node', type, version, parameters)], [['Start', 'Node']]), ...(input && { input }),
});

const PAGE = `<!DOCTYPE html><html><head><title>News &amp; more</title><style>p { color: red }</style></head>
<body class="page dark">
  <div id="top"><h1>Today</h1><p>Hello <b>World</b>,  how
   are you?<p>Second, without an end
  <ul><li>One<li class="two x">Two <a href="/q?a=1&amp;b=2" title="The link">more</a><li>Three</ul></div>
  <table><tr><th>Name<th>Age<tr><td>Ada<td>36<tr><td>Bob<td></table>
  <form><input name=user value="ada"><input type=checkbox checked><textarea>Some
text</textarea><select><option value=1>one<option selected>two</select></form>
  <img src="/a.png" alt="A picture"><br>caf&eacute; &copy;2024 &unknown; 5 &lt; 6
  <script>var x = '<p>no</p>';</script><!-- a comment -->
</body></html>`;
const extract = (name, values, { version = 1.2, options, html = PAGE, input = [{ data: html }] } = {}) =>
  alone(`html: ${name}`, 'html', version, {
    operation: 'extractHtmlContent',
    extractionValues: { values: values.map((value, i) => ({ key: `v${i}`, ...value })) },
    ...(options && { options }),
  }, input);
const select = (name, ...selectors) => extract(`select ${name}`, selectors.flatMap((cssSelector) => [
  { key: cssSelector, cssSelector, returnValue: 'html', returnArray: true },
]));
const text = (cssSelector, more) => ({ cssSelector, ...more });
const htmlOf = (cssSelector, more) => ({ cssSelector, returnValue: 'html', ...more });
const attribute = (cssSelector, name, more) => ({ cssSelector, returnValue: 'attribute', attribute: name, ...more });
const value = (cssSelector, more) => ({ cssSelector, returnValue: 'value', ...more });
const list = { returnArray: true };

const table = (name, options, input) => alone(`html: a table ${name}`, 'html', 1.2, { operation: 'convertToHtmlTable', options }, input);
const toMarkdown = (name, html, options) => alone(`markdown: ${name}`, 'markdown', 1, { html, ...(options && { options }) });
const toHtml = (name, markdown, options) =>
  alone(`markdown to HTML: ${name}`, 'markdown', 1, { mode: 'markdownToHtml', markdown, options: { encodeEmails: false, ...options } });

const DOCUMENT = `# Title

A *short* text with **bold**, \`code\`, a [link](https://a.example "title") and https://b.example/c_d.
It has a line  
break.

## A list

- one
- two
    - nested
- three

1. first
2. second

> A quote
> of two lines

\`\`\`js
const a = 1 < 2;
\`\`\`

a | b
--- | :-:
1 | \`2\`

---

![image](x.png) ~~gone~~ <b>html</b> & [ref][id] me@example.com

- [ ] open
- [x] done

[id]: https://c.example 'Reference'
`;

export const cases = [
  extract('the text of the first element', [text('p'), text('h1'), text('nothing')]),
  extract('the texts of all elements', [text('p', list), text('li', list), text('nothing', list)]),
  extract('the text of the page', [text('body')]),
  extract('the text without some elements', [text('body', { skipSelectors: 'ul, table, form, .x' })]),
  extract('the text of a table', [text('table'), text('td', list)]),
  extract('the text of a title and a script', [text('title'), text('script')]),
  extract('the text in version 1', [text('p'), text('p', list), text('body'), text('script'), text('nothing')], { version: 1 }),
  extract('the text in version 1.1, tidy', [text('p', list), text('#top')], { version: 1.1, options: { cleanUpText: true } }),
  extract('the text, trimmed', [text('p', list), text('#top')], { version: 1, options: { trimValues: true } }),
  extract('HTML', [htmlOf('p'), htmlOf('ul'), htmlOf('nothing'), htmlOf('table')]),
  extract('HTML, tidy', [htmlOf('#top'), htmlOf('p', list)], { options: { cleanUpText: true } }),
  extract('the whole page as HTML', [htmlOf('html')]),
  extract('attributes', [attribute('a', 'href'), attribute('a, img', 'title', list), attribute('input', 'checked', list), attribute('p', 'x')]),
  extract('values', [value('input'), value('input', list), value('textarea'), value('select'), value('option', list), value('p')]),
  extract('headings, quotes and preformatted text', [text('body')],
    { html: '<h1>One <a href="x">two</a></h1><h4>three</h4><blockquote><p>a</p><p>b</p></blockquote><pre> c\n   d </pre><hr><p>e<br>f</p>' }),
  extract('lists in lists', [text('body')], { html: '<ol start=9 type=a><li>a<ul><li>b</li><li>c<p>d</p></li></ul></li><li>e</li></ol>' }),
  extract('long lines', [text('body')], { html: `<p>${'The quick brown fox jumps over the lazy dog. '.repeat(6)}</p><p>${'x'.repeat(100)} y</p>` }),
  extract('formatting that is not nested', [htmlOf('body')], { html: '<p>1<b>2<i>3</b>4</i>5<p>6<a>7<div>8</a>9' }),
  extract('a table with misplaced contents', [htmlOf('body')], { html: '<table>x<tr><td>1<p>2<table><tr><td>3</table>4<caption>5' }),
  extract('a vector image', [htmlOf('body')], { html: '<svg viewbox="0 0 1 1"><lineargradient id=a /><foreignobject><p>x</svg>' }),
  extract('several texts of an item', [text('b')], { html: ['<b>1</b>', '<b>2</b>'] }),
  extract('a field that the item does not have', [], { input: [{}] }),
  select('by name, id, class and all', 'h1', '#top', '.two', '.page .two.x', 'td, th', 'select > *'),
  select('by attributes', '[href]', '[title="The link"]', '[class~=x]', '[href^="/q"]', '[href$="b=2"]', '[href*="a=1"]', '[type=CHECKBOX]', 'input:not([type])'),
  select('by relation', 'h1 + p', 'h1 ~ p', '#top > ul > li', 'body li a', 'tr:first-child > th', 'h1 ~ *'),
  select('by position among siblings', 'li:first-child', 'li:last-child', 'li:nth-child(2)', 'li:nth-child(2n+1)', 'li:nth-last-child(1)', 'p:first-of-type', 'p:last-of-type', 'p:nth-of-type(2)'),
  select('by position in the page', 'li:first', 'li:last', 'li:eq(1)', 'li:eq(-1)', 'li:gt(0)', 'li:lt(2)', 'td:even', 'td:odd', 'li:not(:first)'),
  select('by contents', 'li:contains("Two")', 'li:has(a)', 'td:empty', 'p:not(:has(b))', 'tr:has(> th)', ':header', ':input', ':checked', 'option:selected'),
  select('with a mistake', 'p['),

  alone('html extract: texts', 'htmlExtract', 1, { extractionValues: { values: [{ key: 'a', cssSelector: 'p' }, { key: 'b', cssSelector: 'li', returnArray: true }] } },
    [{ data: PAGE }]),
  alone('html extract: not trimmed', 'htmlExtract', 1, { extractionValues: { values: [{ key: 'a', cssSelector: 'p', returnArray: true }] }, options: { trimValues: false } },
    [{ data: '<p> a </p><p></p>' }]),

  alone('html: a template', 'html', 1.2, { html: '<p>{{ $json.name }} is {{ $json.age ?? "old" }}</p>' }, [{ name: 'Ada', age: 36 }, { name: 'Bob' }]),
  alone('html: a template with objects and mistakes', 'html', 1.2, { html: '{{ $json.a }} {{ $json.b.c }} {{ $json.l }} {{ null }}' }, [{ a: { x: 1 }, l: [1, 2] }]),
  table('of items', {}, [{ a: 1, b: 'x' }, { b: '<y>', c: [1, 2] }]),
  table('with options', { capitalize: true, customStyling: true, caption: 'Cap', tableAttributes: "class='t'", headerAttributes: 'x', rowAttributes: 'y', cellAttributes: 'z' },
    [{ first_name: 1, 'b c': true }, { 'd-e': false }]),

  toMarkdown('headings, emphasis and links', '<h1>A</h1><h3>B</h3><p>x <b>bold</b> <i>em</i> <del>no</del> <a href="a_b(c)" title="t">link</a> <a href="http://x.y">http://x.y</a></p>'),
  toMarkdown('lists', '<ol><li>a<ul><li>b</li><li>c<p>d</p></li></ul></li><li>e</li></ol><ul><li></li><li>f</li></ul>'),
  toMarkdown('code', '<p><code>a `b`</code></p><pre><code class="language-js">x\ny</code></pre><pre>z  z</pre>'),
  toMarkdown('tables', '<table><caption>T</caption><tr><th>A</th><th>B</th></tr><tr><td>1</td><td><b>2</b>|3</td></tr></table>'),
  toMarkdown('quotes, rules and images', '<blockquote><p>a</p><p>b</p></blockquote><hr><img src="i.png" alt="I"><img src="data:x"><br>c'),
  toMarkdown('characters with a meaning', '<p>1. a*b_c [d] # e</p><p># f</p><p>- g &amp; &lt;h&gt;</p>'),
  toMarkdown('a page', PAGE),
  toMarkdown('other marks', '<ul><li><i>a</i> <b>b</b></li></ul><pre><code>x</code></pre>', { bulletMarker: '-', emDelimiter: '*', strongDelimiter: '__', codeFence: '~~~' }),
  toMarkdown('indented code', '<pre><code>x\ny</code></pre>', { codeBlockStyle: 'indented' }),
  toMarkdown('links at the end', '<a href=x>a</a> <a href=y>b</a> <a href=x>c</a>', { useLinkReferenceDefinitions: true }),
  toMarkdown('ignored elements and other blocks', 'a<i>b</i><x-y>c</x-y><span>d</span>', { ignore: 'i', blockElements: 'x-y, span' }),
  toMarkdown('replacements', 'abc abc a*b', { textReplace: { values: [{ pattern: 'b', replacement: 'X' }] }, globalEscape: { value: { pattern: 'c', replacement: 'Y' } } }),
  toMarkdown('empty lines', 'a<br><br><br><br><br>b', { maxConsecutiveNewlines: 2 }),

  toHtml('a document', DOCUMENT),
  toHtml('a document as on GitHub', DOCUMENT, { tables: true, strikethrough: true, tasklists: true, simplifiedAutoLink: true, ghCompatibleHeaderId: true }),
  toHtml('line breaks', 'a\nb\n\nc', { simpleLineBreaks: true }),
  toHtml('headers', '# A\n## A\n#B\nC {#own}\n---', { headerLevelStart: 2, prefixHeaderId: 'p', requireSpaceBeforeHeadingText: true, customizedHeaderId: true }),
  toHtml('no ids of headers, links in a new window', '# A\n[a](https://b.example) [c](#d)', { noHeaderId: true, openLinksInNewWindow: true }),
  toHtml('marks within words', 'a_b_c a*b*c __x__', { literalMidWordUnderscores: true, literalMidWordAsterisks: true }),
  toHtml('HTML', '<div>\n*a*\n</div>\n\n*b* <span class="x y">*c*</span> <!-- d -->\n\n<code>*e*</code> \\<b>'),
  toHtml('lists of several kinds', '- a\n\n    b\n\n- c\n1. d\n3. e\n\ntext\n* f\n\n\n+ g'),
  toHtml('code of several kinds', '    indented <b>\n\n~~~\nfenced\n\n~~~\n\n```\nunclosed'),
  toHtml('links of several kinds', '<https://a.example> [a]() [b](<c d>) [e](f(g)h) [h](i "j \'k\'") [l] ![m](n =10x20)\n\n[l]: <o>\n  (p)'),
  toHtml('a whole page', 'a', { completeHTMLDocument: true }),
  toHtml('an emoji and a mention', ':rocket: @user', { emoji: true, ghMentions: true }),
  alone('markdown: a path, and no text', 'markdown', 1, { mode: 'markdownToHtml', markdown: '={{ $json.text }}', destinationKey: 'a.b' }, [{ text: '*x*' }, { a: 1 }]),
];
