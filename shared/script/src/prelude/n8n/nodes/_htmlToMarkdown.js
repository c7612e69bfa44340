// Markdown from HTML. The rules are those of the packages node-html-markdown 1.2 and node-html-parser 5, which n8n uses.
(function (n8n) {
  'use strict';

  const words = (text) => new Set(text.split(' '));
  const MAX_DEPTH = 256;
  const MAX_QUOTES = 200;

  // --- The tree. It is as the tags say: nothing is implied, unlike in `n8n.parseHtml` ---

  const VOID = words('area base br col hr img input link meta source embed param track wbr');
  const SKIPPED = words('script noscript style');
  // The elements that the start, or the end, of another element ends.
  const STARTS_END = { __proto__: null, li: words('li'), p: words('p div'), b: words('div'), td: words('td th'), th: words('td th') };
  for (const name of words('h1 h2 h3 h4 h5 h6')) STARTS_END[name] = words(name);
  const ENDS_END = {
    __proto__: null, li: words('ul ol'), a: words('div'), b: words('div'), i: words('div'), p: words('div'),
    td: words('tr table'), th: words('tr table'),
  };

  const readAttributes = (text) => {
    const attributes = { __proto__: null };
    for (const [, name, value = ''] of text.matchAll(/([a-zA-Z()[\]#@][a-zA-Z0-9-_:()[\]#]*)(?:\s*=\s*('[^']*'|"[^"]*"|\S+))?/g)) {
      const isQuoted = /^(['"])[^]*\1$/.test(value) && value.length > 1;
      attributes[name.toLowerCase()] = n8n.decodeHtml(isQuoted ? value.slice(1, -1) : value);
    }
    return attributes;
  };
  const parse = (html) => {
    const root = { name: '', children: [], parent: null };
    const stack = [root];
    const current = () => stack.at(-1);
    const addText = (from, to) => {
      if (from < to) current().children.push({ text: html.slice(from, to), parent: current() });
    };
    const find = (pattern, from) => {
      pattern.lastIndex = from;
      return pattern.exec(html);
    };
    // The next ">". It is remembered, so that many tags without one do not search for it again.
    let angle = -1;
    const nextAngle = (from) => {
      if (angle < from && angle !== Infinity) angle = find(/>/g, from)?.index ?? Infinity;
      return angle === Infinity ? undefined : angle;
    };
    // The end of a tag. A ">" in quotes does not count.
    const tagEnd = (from) => {
      if (!/[\s/>]/.test(html[from] ?? '')) return undefined;
      if (html[from] === '>' || html.slice(from, from + 2) === '/>') return nextAngle(from);
      if (html[from] === '/') return undefined;
      const mark = /[>"']/g;
      const first = nextAngle(from);
      if (first === undefined) return undefined;
      let count = 0;
      for (let found = find(mark, from); found !== null && count < MAX_QUOTES; found = find(mark, mark.lastIndex), count++) {
        if (found[0] === '>') return found.index;
        const quote = find(found[0] === '"' ? /"/g : /'/g, found.index + 1);
        const next = quote === null ? '' : html.slice(quote.index + 1, quote.index + 3);
        if (/[\s>]|\/>/.test(next.replace(/^\/(?!>)/, ''))) mark.lastIndex = quote.index + 1;
      }
      return first;
    };
    // The number of the elements that were open when the last link began.
    let openLink;
    const openTag = (written, attributes, isClosed) => {
      const name = written.toLowerCase();
      if (!isClosed && STARTS_END[current().name]?.has(name)) stack.pop();
      if (name === 'a') {
        // Links are not nested.
        if (openLink !== undefined) stack.splice(openLink);
        openLink = stack.length;
      }
      const node = { name, written, attributes: readAttributes(attributes), children: [], parent: current() };
      current().children.push(node);
      if (stack.length < MAX_DEPTH) stack.push(node);
    };
    const closeTag = (written) => {
      const name = written.toLowerCase();
      for (;;) {
        if (name === 'a') openLink = undefined;
        if (current().written === written) {
          stack.pop();
          return;
        }
        if (!ENDS_END[current().name]?.has(name)) return;
        stack.pop();
      }
    };
    let done = 0;
    let hasComments = true;
    const pattern = /<(?:!--|(\/?)([a-zA-Z][-.:0-9_a-zA-Z]*))/g;
    for (let found = find(pattern, 0); found !== null; found = find(pattern, pattern.lastIndex)) {
      const { index } = found;
      const [opening, slash, written] = found;
      let end;
      if (written === undefined) {
        const closed = hasComments ? find(/-->/g, index + 4) : null;
        hasComments = closed !== null;
        end = closed === null ? undefined : closed.index + 2;
      } else {
        end = tagEnd(index + opening.length);
      }
      if (end === undefined) continue;
      addText(done, index);
      done = end + 1;
      pattern.lastIndex = done;
      if (written === undefined) continue;
      const isClosed = html[end - 1] === '/' && end - 1 >= index + opening.length;
      if (slash === '') {
        openTag(written, html.slice(index + opening.length, isClosed ? end - 1 : end), isClosed);
        if (SKIPPED.has(written.toLowerCase())) {
          const close = find(new RegExp(`</${written.replace(/[.]/g, '\\.')}>`, 'g'), done);
          if (close === null) {
            done = html.length;
            break;
          }
          done = close.index + close[0].length;
          pattern.lastIndex = done;
          closeTag(written);
        }
      }
      if (slash !== '' || isClosed || VOID.has(written.toLowerCase())) closeTag(written);
    }
    addText(done, html.length);
    unwrapUnclosed(stack);
    return root;
  };
  // The contents of elements without an end, unless they are on the top level, move to the elements around them.
  const unwrapUnclosed = (stack) => {
    while (stack.length > 1) {
      const last = stack.pop();
      const before = stack.at(-1);
      if (last.parent === null || last.parent.parent === null) continue;
      before.children = before.children.filter((child) => child !== last);
      const isPair = last.parent === before && last.name === before.name;
      const target = isPair ? before.parent : before;
      for (const child of last.children) {
        child.parent = target;
        target.children.push(child);
      }
      if (isPair) stack.pop();
    }
  };

  // --- Texts ---

  const isBlank = (text) => !/\S/.test(text);
  const trimBreaks = (text) => {
    let end = text.length;
    while (end > 0 && text[end - 1] === '\n') end--;
    return text.slice(0, end).replace(/^\n+/, '');
  };
  const joinLines = (text) => text.replace(/(?:\r?\n)+/g, ' ');
  // Without blanks at the ends, except one if the text had one there.
  const trimText = (text) => {
    if (isBlank(text)) return text;
    const start = text.length - text.trimStart().length;
    const end = text.trimEnd().length;
    const before = start > 0 && /[^\S\r\n]/.test(text[start - 1]) ? ' ' : '';
    const after = end < text.length && /[^\S\r\n]/.test(text[end]) ? ' ' : '';
    return before + text.slice(start, end) + after;
  };
  const textContent = (node) => {
    let text = '';
    const pending = [node];
    while (pending.length > 0) {
      const next = pending.pop();
      if (next.text !== undefined) text += n8n.decodeHtml(next.text);
      else for (let i = next.children.length - 1; i >= 0; i--) pending.push(next.children[i]);
    }
    return text;
  };
  const splitLines = (text) => text.split(/(\r\n|\r|\n)/);
  // Puts the marks around the words of each line, and not around the blanks.
  const surround = (given, mark) => {
    const escaped = mark.replace(/[^\w\s]/g, '\\$&');
    const content = given.includes(mark) ? given.replace(new RegExp(`([^\\\\])${escaped}`, 'gm'), '$1') : given;
    return splitLines(content).map((line, i) => {
      if (i % 2 === 1 || isBlank(line)) return line;
      const start = line.length - line.trimStart().length;
      const end = line.trimEnd().length;
      return (start > 0 ? line[start - 1] : '') + mark + line.slice(start, end) + mark + (end < line.length ? line[end] : '');
    }).join('');
  };
  const trimLineEnds = (text) =>
    splitLines(text).map((line, i) => {
      const trimmed = line.trimEnd();
      return i % 2 === 1 || trimmed === line || trimmed === '' ? line : trimmed + '  ';
    }).join('');

  // --- How each element is written ---

  const BLOCKS = words('address article aside audio blockquote body canvas center dd dir div dl dt fieldset figcaption figure ' +
    'footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html isindex li main menu nav noframes noscript ol output p pre ' +
    'section table tbody td tfoot th thead tr ul');
  const IGNORED = words('area base col command embed head input keygen link meta param script source style track wbr');
  const KEPT_EMPTY = words('h1 h2 h3 h4 h5 h6 ol ul li code table a img');
  const REMOVE = Symbol('remove');

  const surrounded = (readMark) => ({ options }) => ({
    spacesRepeated: true,
    finish: (content) => (isBlank(content) ? REMOVE : surround(content, readMark(options))),
  });
  const strong = surrounded((options) => options.strongDelimiter);
  const emphasis = surrounded((options) => options.emDelimiter);
  const deleted = surrounded(() => '~~');
  const heading = ({ node }) => ({ before: '#'.repeat(Number(node.name[1])) + ' ' });
  const list = () => ({ breaks: 1 });
  const listItem = ({ options, state }) => {
    const indent = '   '.repeat(state.indent ?? 0);
    const isNumbered = state.list?.kind === 'ol';
    return {
      breaks: 1,
      before: indent + (isNumbered ? `${state.list.number}. ` : `${options.bulletMarker} `),
      finish: (content) =>
        isBlank(content) ? REMOVE : trimLineEnds(content.trim().replace(/([^\r\n])(?:\r?\n)+/g, `$1  \n${indent}`)),
      removed: () => {
        if (state.list?.number) state.list.number--;
      },
    };
  };
  const code = ({ node, options }) => {
    if (node.parent.name !== 'pre' || node.parent.children.length > 1) {
      return {
        spacesRepeated: true,
        isLiteral: true,
        finish: (content) => {
          const longest = (content.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
          const padding = longest > 0 ? ' ' : '';
          const mark = '`'.repeat(longest + 1);
          return mark + padding + content + padding + mark;
        },
      };
    }
    if (options.codeBlockStyle !== 'fenced') {
      return { isLiteral: true, within: 'code', finish: (content) => content.replace(/^/gm, '    ') };
    }
    const language = /language-(\S+)/.exec(node.attributes.class ?? '')?.[1] ?? '';
    return { isLiteral: true, within: 'code', before: `${options.codeFence}${language}\n`, after: `\n${options.codeFence}` };
  };
  const ESCAPED = { '(': '%28', ')': '%29', _: '%5F', '*': '%2A' };
  const link = ({ node, options, writer }) => {
    const { href, title } = node.attributes;
    if (!href) return {};
    const address = href.replace(/[()_*]/g, (char) => ESCAPED[char]);
    if (textContent(node) === href) return { content: `<${address}>` };
    const target = options.useLinkReferenceDefinitions
      ? `[${writer.define(address)}]`
      : `(${address}${title ? ` "${title}"` : ''})`;
    return { within: 'link', before: '[', after: `]${target}`, finish: joinLines };
  };
  const image = ({ node, options }) => {
    const { src, alt = '', title } = node.attributes;
    if (!src || (!options.keepDataImages && /^data:/i.test(src))) return { isIgnored: true };
    return { content: `![${alt}](${src}${title ? ` "${title}"` : ''})` };
  };
  const table = ({ state }) => ({ breaks: 2, within: 'table', finish: (content) => writeTable(content, state.table) });
  const writeTable = (content, { caption }) => {
    const rows = [];
    const widths = [];
    for (const line of splitLines(content).filter((_, i) => i % 2 === 0)) {
      const row = line.replace(/^(?:\|\s+)?(.+)\s*\|\s*$/, '$1');
      if (row === '') continue;
      rows.push(row.split(' |').map((cell, i) => {
        const text = cell.trim();
        widths[i] = Math.max(widths[i] ?? 0, text.length);
        return text;
      }));
    }
    if (rows.length === 0) return REMOVE;
    const lines = rows.map((cells) => `| ${widths.map((width, i) => (cells[i] ?? '').padEnd(width)).join(' | ')} |\n`);
    lines.splice(1, 0, `|${widths.map((width) => ` ${'-'.repeat(width)} |`).join('')}\n`);
    return (caption ? caption + '\n' : '') + lines.join('');
  };
  const caption = ({ state }) => ({
    within: 'cell',
    finish: (content) => {
      const text = joinLines(content).trim();
      if (text !== '') state.table.caption = `__${text}__`;
      return REMOVE;
    },
  });
  const endsWithPipe = (text) => text.trimEnd().endsWith(' |');
  const row = () => ({ within: 'row', before: '| ', after: '\n', finish: (content) => (endsWithPipe(content) ? content : REMOVE) });
  const cell = () => ({
    within: 'cell', before: ' ', after: ' |', finish: (content) => joinLines(trimBreaks(content).replace('|', '\\|')).trim(),
  });
  const quote = { finish: (content) => trimBreaks(content).replace(/^(>*)[^\S\r\n]?/gm, '>$1 ') };

  const named = (entries) => {
    const rules = { __proto__: null };
    for (const [names, rule] of entries) for (const name of names.split(' ')) rules[name] = rule;
    return rules;
  };
  const INLINE = [['strong b', strong], ['del s strike', deleted], ['em i', emphasis], ['img', image]];
  const HEADINGS = 'h1 h2 h3 h4 h5 h6';
  // The rules by the element in which the contents are. A rule is a value, or a function of the element.
  const createRules = (options) => {
    const ignored = options.ignore ?? [];
    const base = { __proto__: null };
    for (const name of [...ignored, ...IGNORED]) base[name] = { isIgnored: true };
    for (const name of [...(options.blockElements ?? []), ...BLOCKS]) base[name] = { breaks: 2 };
    const extend = (own) => {
      const rules = { __proto__: null, ...base };
      for (const name of Object.keys(own)) {
        const rule = own[name];
        rules[name] = typeof rule === 'function' ? (context) => ({ ...base[name], ...rule(context) }) : { ...base[name], ...rule };
      }
      return rules;
    };
    const pre = { isLiteral: true };
    const cells = named([['th td', cell]]);
    return {
      body: extend(named([
        ['pre', pre], ['br', { content: '  \n' }], ['hr', { content: '---' }], [HEADINGS, heading], ...INLINE, ['ol ul', list],
        ['li', listItem], ['blockquote', quote], ['code', code], ['table', table], ['a', link],
      ])),
      code: extend(named([
        ['br', { content: '\n' }], ['hr', { content: '---' }], [HEADINGS, { before: '[', after: ']' }], ['ol ul', list],
        ['li', listItem], ['tr', { breaks: 1 }], ['img', { isTextOnly: true }],
      ])),
      link: named([['br hr', { content: '\n' }], ['pre', pre], ...INLINE]),
      table: { __proto__: null, caption, tr: row, ...cells },
      row: cells,
      cell: named([['a', link], ...INLINE]),
    };
  };

  // --- Writing ---

  // The numbers of a list go on apart within elements that change how their contents are written.
  const copyState = (state) => ({ ...state, ...(state.list && { list: { ...state.list } }) });

  class Writer {
    constructor(options) {
      this.options = options;
      this.rules = createRules(options);
      this.addresses = [];
      // The text so far: of the document, and of each open element.
      this.texts = [{ text: '', before: '' }];
      // The last characters of all of it.
      this.tail = '';
    }
    define(address) {
      const index = this.addresses.indexOf(address);
      return index < 0 ? this.addresses.push(address) : index + 1;
    }
    push() {
      this.texts.push({ text: '', before: this.tail });
    }
    pop() {
      const { text, before } = this.texts.pop();
      this.tail = before;
      return text;
    }
    add(text) {
      this.texts.at(-1).text += text;
      this.tail = (this.tail + text.slice(-10)).slice(-10);
    }
    addBreaks(count) {
      const blank = /\s*$/.exec(this.tail)[0];
      const breaks = blank.replace(/[^\r\n]/g, '').length;
      if (breaks < count) this.add('\n'.repeat(count - breaks));
    }
    addWithSpace(text, isSpaced) {
      this.add((isSpaced && text !== '' && this.tail.at(-1) === text[0] ? ' ' : '') + text);
    }
    addText(node, state) {
      if (!state.isPre && /^(?:\s|&nbsp;)*$/.test(node.text)) {
        const { tail } = this;
        if (tail !== '' && !/\s$/.test(tail)) this.add(' ');
        return;
      }
      const decoded = n8n.decodeHtml(node.text);
      const text = state.isPre ? decoded : trimText(decoded).replace(/\s+/g, ' ');
      this.add(state.isLiteral ? text : this.escape(text));
    }
    escape(text) {
      const { globalEscape, lineStartEscape, textReplace = [] } = this.options;
      let escaped = globalEscape === undefined ? text.replace(/[\\`*_~[\]]/g, '\\$&') : text.replace(globalEscape[0], globalEscape[1]);
      if (lineStartEscape !== undefined) {
        escaped = escaped.replace(lineStartEscape[0], lineStartEscape[1]);
      } else {
        escaped = escaped.replace(/^(\s*?)((?:\+\s)|[=>-]|#{1,6}\s)|(\d+)(\.\s)?/gm, (all, blanks, mark, digits, dot) => {
          if (digits === undefined) return `${blanks}\\${mark}`;
          return dot === undefined ? all : `${digits}\\${dot}`;
        });
      }
      for (const [pattern, replacement] of textReplace) escaped = escaped.replace(pattern, replacement);
      return escaped.replace(/^<!DOCTYPE.*>/gim, '');
    }

    // What the contents of an element inherit.
    stateOf(node, outer) {
      switch (node.name) {
        case 'ul':
        case 'ol': return { ...outer, list: { kind: node.name, number: 0 }, indent: (outer.indent ?? -1) + 1 };
        case 'pre': return { ...copyState(outer), isPre: true };
        case 'table': return { ...copyState(outer), table: {} };
        default: return outer;
      }
    }
    enter(node, outer) {
      const rule = this.rules[outer.within][node.name];
      const state = this.stateOf(node, outer);
      if (node.name === 'li' && state.list?.kind === 'ol') state.list.number++;
      if (rule === undefined) return { node, state };
      const given = typeof rule === 'function' ? rule({ node, state, options: this.options, writer: this }) : rule;
      if (given.isIgnored) return undefined;
      const { breaks, before, content, within, isLiteral, finish } = given;
      this.push();
      if (breaks) this.addBreaks(breaks);
      if (before) this.add(before);
      if (content !== undefined) {
        this.addWithSpace(content, given.spacesRepeated);
        return this.leave({ node, given });
      }
      // The contents are a text of their own.
      if (finish !== undefined) this.push();
      const isChanged = (isLiteral && !state.isLiteral) || (within !== undefined && within !== state.within);
      const inner = isChanged ? { ...copyState(state), within: within ?? state.within, isLiteral: state.isLiteral || isLiteral } : state;
      return { node, given, state: inner };
    }
    leave({ given }) {
      if (given === undefined) return undefined;
      const { breaks, after, content, finish } = given;
      if (content === undefined && finish !== undefined) {
        const finished = finish(this.pop());
        if (finished === REMOVE) {
          this.pop();
          given.removed?.();
          return undefined;
        }
        this.addWithSpace(finished, given.spacesRepeated);
      }
      if (after) this.add(after);
      if (breaks) this.addBreaks(breaks);
      this.add(this.pop());
      return undefined;
    }

    write(root) {
      const frames = [{ node: root, at: 0, state: { within: 'body' } }];
      while (frames.length > 0) {
        const frame = frames.at(-1);
        const child = frame.node.children[frame.at++];
        if (child === undefined || (frame.given?.isTextOnly && child.text === undefined)) {
          if (child !== undefined) continue;
          frames.pop();
          this.leave(frame);
        } else if (child.text !== undefined) {
          this.addText(child, frame.state);
        } else if (child.isKept) {
          const inner = this.enter(child, frame.state);
          if (inner !== undefined) frames.push({ ...inner, at: 0 });
        }
      }
      return this.texts[0].text;
    }
    // Elements without contents are left out, unless they are written without any.
    markKept(root) {
      const order = [];
      const pending = [root];
      while (pending.length > 0) {
        const node = pending.pop();
        order.push(node);
        for (const child of node.children) if (child.text === undefined) pending.push(child);
      }
      for (const node of order.reverse()) {
        const { name, children } = node;
        const hasContent = () => children.some((child) => child.text !== undefined || child.isKept);
        node.isKept = ['br', 'hr', 'img'].includes(name) || (children.length === 0 ? KEPT_EMPTY.has(name) : hasContent());
      }
    }
  }

  // Of a row of empty lines the last ones remain.
  const limitBreaks = (text, most) =>
    text.replace(/\r?\n\s*/g, (run) => {
      const breaks = [...run.matchAll(/\n/g)];
      return breaks.length > most ? run.slice(breaks[breaks.length - most].index) : run;
    });

  const DEFAULTS = {
    codeFence: '```', bulletMarker: '*', codeBlockStyle: 'fenced', emDelimiter: '_', strongDelimiter: '**', maxConsecutiveNewlines: 3,
  };
  /** The Markdown of an HTML text. The options are those of node-html-markdown. */
  n8n.htmlToMarkdown = (html, given = {}) => {
    const options = { ...DEFAULTS, ...given };
    const writer = new Writer(options);
    const root = parse(html);
    writer.markKept(root);
    let text = writer.write(root);
    if (options.useLinkReferenceDefinitions) {
      if (/[^\r\n]$/.test(text)) text += '\n';
      text += writer.addresses.map((address, i) => `\n[${i + 1}]: ${address}`).join('');
    }
    return trimBreaks(options.maxConsecutiveNewlines ? limitBreaks(text, Number(options.maxConsecutiveNewlines)) : text);
  };
})
