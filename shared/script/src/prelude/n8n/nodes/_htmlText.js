// The text of HTML as people read it: blocks on lines of their own, lists with marks, links in brackets, lines of 80 characters.
// The rules are those of the package html-to-text.
(function (n8n) {
  'use strict';

  const WIDTH = 80;
  const MIN_WIDTH = 20;
  // Quotes and lists within others are indented up to this depth: each level makes all its lines longer.
  const MAX_INDENT = 20;
  const WORD = /[^ \t\r\n\f\u200b]+/g;
  const STARTS_BLANK = /^[ \t\r\n\f\u200b]/;
  const ENDS_BLANK = /[ \t\r\n\f\u200b]$/;
  const HAS_WORDS = /[^ \t\r\n\f\u200b]/;
  // The line breaks before and after each block.
  const BLOCKS = {
    __proto__: null, article: [1, 1], aside: [1, 1], div: [1, 1], footer: [1, 1], form: [1, 1], header: [1, 1], main: [1, 1],
    nav: [1, 1], section: [1, 1], p: [2, 2], pre: [2, 2], table: [2, 2], blockquote: [2, 2], h1: [3, 2], h2: [3, 2], h3: [3, 2],
    h4: [2, 2], h5: [2, 2], h6: [2, 2], hr: [2, 2],
  };
  const isHeading = (name) => /^h[1-6]$/.test(name);
  const isList = (name) => name === 'ul' || name === 'ol';
  // Browsers show nothing of these, but the package reads them as HTML.
  const UNPARSED = new Set(['noscript', 'iframe', 'xmp', 'noembed', 'noframes', 'plaintext']);

  // The package reads the HTML again with a parser of its own, in which a tag ends these elements if one of them is the last
  // one that is open.
  const words = (text) => new Set(text.split(' '));
  const P = words('p');
  const FIELDS = words('input option optgroup select button datalist textarea');
  const ENDS = {
    __proto__: null, tr: words('tr th td'), th: words('th'), td: words('thead th td'), li: words('li'), option: words('option'),
    optgroup: words('optgroup option'), dd: words('dd dt'), dt: words('dd dt'), rt: words('rt rp'), rp: words('rt rp'),
    tbody: words('thead tbody'), tfoot: words('thead tbody'),
  };
  for (const name of words('select input output button datalist textarea')) ENDS[name] = FIELDS;
  for (const name of words('p h1 h2 h3 h4 h5 h6 address article aside blockquote details div dl fieldset figcaption figure footer form ' +
    'header hr main nav ol pre section table ul')) ENDS[name] = P;

  const trimBreaks = (text) => text.replace(/^\n+/, '').replace(/\n+$/, '');
  const letters = (number, first) => {
    let text = '';
    for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / 26)) {
      text = String.fromCharCode(first.charCodeAt(0) + ((rest - 1) % 26)) + text;
    }
    return text;
  };
  const ROMAN = [
    [1000, 'M'], [900, 'CM'], [500, 'D'], [400, 'CD'], [100, 'C'], [90, 'XC'], [50, 'L'], [40, 'XL'],
    [10, 'X'], [9, 'IX'], [5, 'V'], [4, 'IV'], [1, 'I'],
  ];
  const roman = (number) => {
    let text = '';
    let rest = number;
    for (const [value, digits] of ROMAN) {
      for (; rest >= value && rest < 4000; rest -= value) text += digits;
    }
    return text;
  };
  const COUNT = {
    __proto__: null, a: (number) => letters(number, 'a'), A: (number) => letters(number, 'A'),
    i: (number) => roman(number).toLowerCase(), I: roman,
  };

  // A block that is being written: finished text, and the lines of the text that is going on.
  class Block {
    constructor(parent, width, before) {
      this.parent = parent;
      this.width = width;
      this.before = before;
      this.after = 0;
      this.isPre = parent?.isPre ?? false;
      this.finished = [];
      this.lines = [];
      this.words = [];
      this.room = width;
      this.hasSpace = false;
      this.mayBreak = false;
    }
    get text() {
      this.finishLines();
      return this.finished.join('');
    }
    finishLines() {
      if (this.lines.length === 0 && this.words.length === 0) return;
      this.finished.push([...this.lines, this.words].map((words) => words.join(' ')).join('\n'));
      this.lines = [];
      this.words = [];
      this.room = this.width;
    }
    breakLine(count = 1) {
      this.lines.push(this.words);
      for (let i = 1; i < count; i++) this.lines.push([]);
      this.words = [];
      this.room = this.width;
    }
    pushWord(word) {
      if (this.room <= 0) this.breakLine();
      const cost = word.length + (this.words.length === 0 ? 0 : 1);
      if (cost > this.room && this.words.length > 0) this.breakLine();
      this.room -= word.length + (this.words.length === 0 ? 0 : 1);
      this.words.push(word);
    }
    // Appends to the last word, as in "<b>a</b>b".
    joinWord(word) {
      if (this.mayBreak && word.length > this.room) {
        this.pushWord(word);
        this.mayBreak = false;
        return;
      }
      const last = this.words.pop();
      if (last !== undefined) this.room += last.length + (this.words.length === 0 ? 0 : 1);
      this.pushWord((last ?? '') + word);
    }
    addText(text, transform) {
      if (this.isPre) {
        this.finished.push(text);
        return;
      }
      if (text === '' || (this.after > 0 && !HAS_WORDS.test(text))) return;
      if (this.after > 0) this.breakLine(this.after);
      const words = text.match(WORD) ?? [];
      words.forEach((word, i) => {
        if (i > 0 || this.hasSpace || STARTS_BLANK.test(text)) this.pushWord(transform(word));
        else this.joinWord(transform(word));
      });
      this.hasSpace = (this.hasSpace && words.length === 0) || ENDS_BLANK.test(text);
      this.after = 0;
    }
    addBlock(text, before, after) {
      const breaks = Math.max(this.after, before);
      this.finishLines();
      if (this.finished.every((part) => part === '')) {
        this.finished = [text];
        this.before = breaks;
      } else {
        this.finished.push('\n'.repeat(breaks), text);
      }
      this.after = after;
    }
  }

  class Writer {
    constructor(isSkipped) {
      this.isSkipped = isSkipped;
      this.block = new Block(null, WIDTH, 1);
      // What changes each word: the headings and links around it.
      this.transforms = [];
      this.elements = [];
      this.indent = 0;
    }
    get parent() {
      return this.elements.at(-1);
    }
    open(before, reserved = 0) {
      this.block = new Block(this.block, Math.max(MIN_WIDTH, this.block.width - reserved), before);
      return this.block;
    }
    close(after, change = (text) => text) {
      const { block } = this;
      this.block = block.parent;
      this.block.addBlock(change(block.text), block.before, Math.max(block.after, after));
    }
    transform(word) {
      let changed = word;
      for (let i = this.transforms.length - 1; i >= 0; i--) changed = this.transforms[i](changed);
      return changed;
    }

    // Returns false to skip the contents.
    enter(node) {
      if (node.type === 'element') this.endImplied(node.name);
      const { parent } = this;
      const isItem = parent?.marks !== undefined;
      if (isItem && node.type === 'text' && /^\s*$/.test(node.data)) return false;
      if (isItem) this.openItem(parent);
      if (node.type === 'element' && this.openElement(node)) {
        this.elements.push(node);
        return true;
      }
      if (node.type === 'text') this.block.addText(node.data, (word) => this.transform(word));
      if (isItem) this.closeItem(parent, node);
      return false;
    }
    leave(node) {
      // If the element has ended, its end tag ends another one with its name.
      const index = this.elements.findLastIndex((element) => element.name === node.name);
      if (index < 0) {
        // An end tag without a start is a paragraph without contents.
        if (node.name === 'p') {
          const empty = { type: 'element', name: 'p', attributes: {}, children: [] };
          this.enter(empty);
          this.leave(empty);
        }
        return;
      }
      while (this.elements.length > index) this.end();
    }
    endImplied(name) {
      while (this.parent !== undefined && ENDS[name]?.has(this.parent.name)) this.end();
    }
    end() {
      const node = this.elements.pop();
      const { name } = node;
      if (name === 'a') this.closeLink(node);
      else if (isList(name)) this.closeList(node);
      else if (BLOCKS[name] !== undefined) this.closeBlock(name);
      if (this.parent?.marks !== undefined) this.closeItem(this.parent, node);
    }
    openElement(node) {
      const { name } = node;
      if (name === 'script' || name === 'style' || this.isSkipped(node)) return false;
      if (UNPARSED.has(name) && node.children.length > 0) node.children = parseBody(n8n.innerHtml(node));
      if (name === 'br') this.breakLine();
      else if (name === 'wbr') this.block.mayBreak = true;
      else if (name === 'img') this.addImage(node);
      else if (name === 'a') this.openLink(node);
      else if (isList(name)) this.openList(node);
      else if (BLOCKS[name] !== undefined) this.openBlock(name);
      return true;
    }
    breakLine() {
      if (this.block.isPre) this.block.finished.push('\n');
      else this.block.breakLine();
    }
    addImage({ attributes: { src, alt } }) {
      const text = !src ? alt ?? '' : !alt ? `[${src}]` : `${alt} [${src}]`;
      this.block.addText(text, (word) => word);
    }
    openBlock(name) {
      const block = this.open(BLOCKS[name][0], name === 'blockquote' ? 2 : 0);
      if (name === 'blockquote') this.indent++;
      if (name === 'pre') block.isPre = true;
      if (name === 'hr') block.addText('-'.repeat(WIDTH), (word) => this.transform(word));
      if (isHeading(name)) this.transforms.push((word) => word.toUpperCase());
    }
    closeBlock(name) {
      if (isHeading(name)) this.transforms.pop();
      const isQuote = name === 'blockquote' && --this.indent < MAX_INDENT;
      this.close(BLOCKS[name][1], isQuote ? (text) => trimBreaks(text).replace(/^/gm, '> ') : undefined);
    }

    // Links to a place in the page have no address.
    addressOf(node) {
      const href = (node.attributes.href ?? '').replace(/^mailto:/, '');
      return href[0] === '#' ? '' : href;
    }
    openLink(node) {
      if (this.addressOf(node) === '') return;
      node.hasText = false;
      this.transforms.push((word) => {
        if (word !== '') node.hasText = true;
        return word;
      });
    }
    closeLink(node) {
      const address = this.addressOf(node);
      if (address === '') return;
      this.transforms.pop();
      this.block.addText(node.hasText ? ` [${address}]` : address, (word) => word);
    }

    openList(node) {
      const isNested = this.parent?.name === 'li';
      const isOrdered = node.name === 'ol';
      let number = Number(node.attributes.start || '1');
      const count = COUNT[node.attributes.type] ?? String;
      // The mark of each child. A child that is no item has none.
      node.marks = new Map();
      for (const child of node.children) {
        if (child.type === 'text' && /^\s*$/.test(child.data)) continue;
        const mark = child.name !== 'li' ? '' : isOrdered ? ` ${count(number++)}. ` : ' * ';
        node.marks.set(child, isNested ? mark.trimStart() : mark);
      }
      node.markWidth = [...node.marks.values()].reduce((width, mark) => Math.max(width, mark.length), 0);
      node.isNested = isNested;
      this.open(isNested ? 1 : 2);
    }
    closeList(node) {
      const { block } = this;
      this.block = block.parent;
      if (block.text !== '') this.block.addBlock(block.text, block.before, node.isNested ? 1 : 2);
      node.marks = undefined;
    }
    openItem(list) {
      this.open(1, list.markWidth);
      this.indent++;
    }
    closeItem(list, node) {
      const indent = '\n' + ' '.repeat(--this.indent < MAX_INDENT ? list.markWidth : 0);
      this.close(1, (text) => (list.marks.get(node) ?? '').padEnd(list.markWidth) + text.replaceAll('\n', indent));
    }
  }

  const parseBody = (html) => {
    const root = n8n.parseHtml(html);
    return root.children.find((node) => node.name === 'html').children.find((node) => node.name === 'body').children;
  };

  /** The text in an element. `isSkipped(node)` leaves out elements. */
  n8n.htmlToText = (element, isSkipped = () => false) => {
    const writer = new Writer(isSkipped);
    // Of a document only the body is shown.
    const base = element.name === 'html' ? element.children.find((node) => node.name === 'body') ?? element : element;
    const isRaw = UNPARSED.has(base.name) || base.name === 'script' || base.name === 'style';
    const children = isRaw ? parseBody(n8n.innerHtml(base)) : base.children;
    const holder = { type: 'root', name: '', children };
    n8n.walkHtml(holder, (node) => node === holder || writer.enter(node), (node) => {
      if (node.type === 'element') writer.leave(node);
    });
    return writer.block.text;
  };
})
