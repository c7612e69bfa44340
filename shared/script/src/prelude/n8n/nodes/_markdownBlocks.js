// Markdown as blocks: quotes, headers, lists, code, tables and paragraphs. The rules are those of Showdown 2.1.
//
// `_inlineMarkdown.js` says what the marks with "¨" mean.
(function (n8n) {
  'use strict';

  const markdown = n8n.markdownParts;
  const { find, nextOf, encodeCode } = markdown;

  // Blocks within blocks are only converted to this depth, because each level converts its text again.
  const MAX_DEPTH = 24;

  const trimBreaks = (text) => {
    let end = text.length;
    while (end > 0 && text[end - 1] === '\n') end--;
    let start = 0;
    while (start < end && text[start] === '\n') start++;
    return text.slice(start, end);
  };
  const hashTrimmed = (state, html) => keepBlock(state, trimBreaks(html));
  const keepBlock = (state, html) => `\n\n¨K${state.blocks.push(html) - 1}K\n\n`;

  const detab = (text) => {
    if (!text.includes('\t')) return text;
    return text.replace(/\t(?=\t)/g, '    ').replace(/\t/g, '¨A¨B')
      .replace(/¨B(.+?)¨A/g, (_, leading) => leading + ' '.repeat(4 - (leading.length % 4)))
      .replace(/¨A/g, '    ').replace(/¨B/g, '');
  };
  const outdent = (text) => text.replace(/^(?:\t| {1,4})/gm, '');

  // --- HTML in the Markdown ---

  // The outermost pairs of start and end marks. A start without an end does not count.
  const findPairs = (marks) => {
    const open = [];
    const pairs = [];
    for (const mark of marks) {
      if (mark.isStart) open.push(mark);
      else if (open.length > 0) {
        const start = open.pop();
        while (pairs.length > 0 && pairs.at(-1).start.index > start.index) pairs.pop();
        pairs.push({ start, end: mark });
      }
    }
    return pairs;
  };
  const replacePairs = (text, marks, replacement) => {
    const pairs = findPairs(marks);
    if (pairs.length === 0) return text;
    let result = '';
    let done = 0;
    for (const { start, end } of pairs) {
      const left = text.slice(start.index, start.after);
      result += text.slice(done, start.index) + replacement(left, text.slice(start.after, end.index), text.slice(end.index, end.after));
      done = end.after;
    }
    return result + text.slice(done);
  };
  const marksOf = (text, pattern) =>
    [...text.matchAll(pattern)].map((found) => ({ index: found.index, after: found.index + found[0].length, isStart: found[1] !== undefined }));
  // The start and end tags of an element. `angle` has the next ">" of each place.
  const tagsOf = (text, name, angle) => {
    const marks = [];
    const pattern = new RegExp(`<${name}\\b|(</${name}>)`, 'gi');
    for (let found = find(pattern, text, 0); found !== null; found = find(pattern, text, pattern.lastIndex)) {
      const { index } = found;
      if (found[1] !== undefined) {
        marks.push({ index, after: index + found[0].length, isStart: false });
        continue;
      }
      const end = angle[index + found[0].length];
      if (end === Infinity) continue;
      marks.push({ index, after: end + 1, isStart: true });
      pattern.lastIndex = end + 1;
    }
    return marks;
  };

  const hashPreCode = (text, state) => {
    if (!/<pre/i.test(text)) return text;
    const marks = marksOf(text, /^ {0,3}(<pre\b)[^>]*>\s*<code\b[^>]*>|^ {0,3}<\/code>\s*<\/pre>/gim);
    return replacePairs(text, marks, (left, content, right) => {
      const code = left + encodeCode(content) + right;
      return `\n\n¨G${state.codes.push({ text: left + content + right, html: code }) - 1}G\n\n`;
    });
  };
  const hashCode = (text, state) => {
    if (!/<code/i.test(text)) return text;
    return replacePairs(text, tagsOf(text, 'code', nextOf(text, '>')), (left, content, right) =>
      `¨C${state.spans.push(left + encodeCode(content) + right) - 1}C`);
  };

  const BLOCK_TAGS = ['pre', 'div', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'table', 'dl', 'ol', 'ul', 'script', 'noscript', 'form',
    'fieldset', 'iframe', 'math', 'style', 'section', 'header', 'footer', 'nav', 'article', 'aside', 'address', 'audio', 'canvas', 'figure',
    'hgroup', 'output', 'video', 'p'];
  // An element counts as a block if it begins a line.
  const hashElements = (text, name, state, options) => {
    const marks = tagsOf(text, name, nextOf(text, '>'));
    const pairs = new Map(findAllPairs(marks).map((pair) => [pair.start, pair.end]));
    let result = '';
    let done = 0;
    const replace = (start, end) => {
      const left = text.slice(start.index, start.after);
      const content = text.slice(start.after, end.index);
      const isMarkdown = /\bmarkdown\b/.test(left) && state.depth < MAX_DEPTH;
      const html = isMarkdown ? left + convert(content, options, state.depth + 1) + text.slice(end.index, end.after) : text.slice(start.index, end.after);
      result += text.slice(done, start.index) + keepBlock(state, html);
      done = end.after;
    };
    const beginsLine = (index) => {
      let before = index;
      while (before > done && index - before < 4 && text[before - 1] === ' ') before--;
      return index - before <= 3 && (before === 0 || before === done || text[before - 1] === '\n');
    };
    for (let i = 0; i < marks.length; i++) {
      const start = marks[i];
      if (!start.isStart || start.index < done || !beginsLine(start.index)) continue;
      const end = pairs.get(start);
      if (end !== undefined) {
        replace(start, end);
        continue;
      }
      // Behind an element without an end, all elements of this name are blocks.
      for (const pair of findPairs(marks.slice(i + 1))) replace(pair.start, pair.end);
      break;
    }
    return result + text.slice(done);
  };
  // All pairs, also those within others.
  const findAllPairs = (marks) => {
    const open = [];
    const pairs = [];
    for (const mark of marks) {
      if (mark.isStart) open.push(mark);
      else if (open.length > 0) pairs.push({ start: open.pop(), end: mark });
    }
    return pairs;
  };
  const hashHtml = (given, state, options) => {
    let text = given;
    if (!text.includes('<')) return text;
    if (options.backslashEscapesHTMLTags) {
      const angle = nextOf(text, '>');
      const source = text;
      text = markdown.replaceAt(source, /\\<(?=\/?[^>])/g, (start) => {
        const end = angle[start + 3];
        return end === Infinity ? undefined : [`&lt;${source.slice(start + 2, end)}&gt;`, end + 1];
      });
    }
    const present = new Set([...text.matchAll(/<([a-z][a-z\d]*)/gi)].map((found) => found[1].toLowerCase()));
    for (const name of BLOCK_TAGS) if (present.has(name)) text = hashElements(text, name, state, options);
    const hashLine = (block) => keepBlock(state, trimBreaks(block.replace(/\n\n/g, '\n').replace(/^\n/, '')));
    text = text.replace(/\n {0,3}<hr\b[^<>]*?\/?>[ \t]*(?=\n{2,})/g, hashLine);
    if (text.includes('<!--')) {
      text = replacePairs(text, marksOf(text, /^ {0,3}(<!--)|-->/gm), (left, content, right) => keepBlock(state, left + content + right));
    }
    return hashInstructions(text, hashLine);
  };
  // Instructions as `<? ... ?>` and `<% ... %>` between empty lines.
  const hashInstructions = (text, hashLine) => {
    if (!/<[?%]/.test(text)) return text;
    const ends = { '?': /\?>[ \t]*(?=\n\n)/g, '%': /%>[ \t]*(?=\n\n)/g };
    return markdown.replaceAt(text, /\n\n {0,3}<([?%])/g, (start, [opening, kind]) => {
      const end = find(ends[kind], text, start + opening.length);
      if (end === null) return undefined;
      const after = end.index + end[0].length;
      return [hashLine(text.slice(start + 2, after)), after];
    });
  };

  // --- Code ---

  const fencedCode = (text, state, options) => {
    if (!options.ghCodeBlocks || !/^ {0,3}(?:```|~~~)/m.test(text)) return text;
    const lines = text.split('\n');
    const fences = lines.map((line) => /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]);
    // From here on no line ends a fence of this length.
    const unclosed = { '`': Infinity, '~': Infinity };
    const findEnd = (fence, from) => {
      if (fence.length >= unclosed[fence[0]]) return -1;
      for (let i = from; i < lines.length; i++) if (fences[i]?.startsWith(fence)) return i;
      unclosed[fence[0]] = fence.length;
      return -1;
    };
    const result = [];
    for (let i = 0; i < lines.length; i++) {
      const opening = fences[i] === undefined ? null : /^ {0,3}(`{3,}|~{3,}) *([^\s`~]*)$/.exec(lines[i]);
      const end = opening === null ? -1 : findEnd(opening[1], i + 2);
      if (end < 0) {
        result.push(lines[i]);
        continue;
      }
      const [, fence, language] = opening;
      const code = trimBreaks(detab(encodeCode(lines.slice(i + 1, end).join('\n'))));
      const kind = language ? ` class="${language} language-${language}"` : '';
      const html = `<pre><code${kind}>${code}\n</code></pre>`;
      const closing = lines[end].indexOf(fence[0]) + fence.length;
      const whole = [...(i > 0 ? [''] : []), ...lines.slice(i, end), lines[end].slice(0, closing)].join('\n');
      const block = hashTrimmed(state, html);
      const mark = `\n\n¨G${state.codes.push({ text: whole, html: block }) - 1}G\n\n`;
      // The line break before the fence belongs to it.
      const before = result.length > 0 ? result.pop() : '';
      result.push(before + mark + lines[end].slice(closing));
      i = end;
    }
    return result.join('\n');
  };

  const indentedCode = (given, state) => {
    if (!/^(?: {4}|\t)/m.test(given)) return given;
    const text = given + '¨0';
    let result = '';
    let done = 0;
    // Takes the lines from here that are indented, with the empty lines behind them.
    const takeLines = (from) => {
      let at = from;
      for (;;) {
        if (text.slice(at, at + 4) !== '    ' && text[at] !== '\t') return at;
        const line = find(/[^\n]*\n+/y, text, at);
        if (line === null) return at;
        at += line[0].length;
      }
    };
    const pattern = /\n\n(?=(?: {4}|\t))/g;
    const take = (start, from) => {
      const end = takeLines(from);
      if (end === from || find(/ {0,3}[^ \t\n]/y, text, end) === null) return false;
      const code = trimBreaks(detab(encodeCode(outdent(text.slice(from, end)))));
      result += text.slice(done, start) + hashTrimmed(state, `<pre><code>${code}\n</code></pre>`);
      done = end;
      return true;
    };
    if (/^(?: {4}|\t)/.test(text)) take(0, 0);
    for (let found = find(pattern, text, done); found !== null; found = find(pattern, text, pattern.lastIndex)) {
      if (take(found.index, found.index + 2)) pattern.lastIndex = done;
      else pattern.lastIndex = found.index + 1;
    }
    return (result + text.slice(done)).replace('¨0', '');
  };

  // --- Quotes ---

  const isQuoteStart = (line) => /^ {0,3}>[^\n]+$/.test(line);
  const quotes = (given, state, options) => {
    if (!/^ {0,3}>/m.test(given)) return given + '\n\n';
    const lines = (given + '\n\n').split('\n');
    const result = [];
    let i = 0;
    // The last part is what follows the last line break.
    const last = lines.length - 1;
    while (i < last) {
      const start = i;
      if (options.splitAdjacentBlockquotes) {
        if (/^ {0,3}>/.test(lines[i])) {
          while (i < last && lines[i] !== '') i++;
          i++;
        }
      } else {
        while (i < last && isQuoteStart(lines[i])) {
          while (i < last && lines[i] !== '') i++;
          while (i < last && lines[i] === '') i++;
        }
      }
      if (i === start) result.push(lines[i++] + '\n');
      else result.push(quote(lines.slice(start, i).map((line) => line + '\n').join(''), state, options));
    }
    return result.join('') + lines[last];
  };
  const quote = (text, state, options) => {
    const inner = text.replace(/^[ \t]*>[ \t]?/gm, '').replace(/^[ \t]+$/gm, '');
    const html = blocks(fencedCode(inner, state, options), state, options);
    const indented = html.replace(/(^|\n)/g, '$1  ');
    return hashTrimmed(state, `<blockquote>\n${withoutIndent(indented)}\n</blockquote>`);
  };
  // The blanks at the start of the lines would be a part of preformatted text.
  const withoutIndent = (text) => {
    if (!text.includes('<pre>')) return text;
    return markdown.replaceAt(text, /<pre>/g, (start) => {
      const end = find(/<\/pre>/g, text, start + 6);
      if (end === null) return undefined;
      let from = start;
      while (from > 0 && /\s/.test(text[from - 1])) from--;
      return [text.slice(from, end.index + 6).replace(/^ {2}/gm, ''), end.index + 6, from];
    });
  };

  // --- Headers and rules ---

  const headerId = (given, state, options) => {
    const custom = options.customizedHeaderId ? /\{([^{]+?)}\s*$/.exec(given) : null;
    const prefix = typeof options.prefixHeaderId === 'string' ? options.prefixHeaderId : options.prefixHeaderId === true ? 'section-' : '';
    let title = (options.rawPrefixHeaderId ? '' : prefix) + (custom === null ? given : custom[1]);
    if (options.ghCompatibleHeaderId) {
      title = title.replace(/ /g, '-').replace(/&amp;/g, '').replace(/¨T/g, '').replace(/¨D/g, '')
        .replace(/[&+$,/:;=?@"#{}|^¨~[\]`\\*)(%.!'<>]/g, '');
    } else if (options.rawHeaderId) {
      title = title.replace(/ /g, '-').replace(/&amp;/g, '&').replace(/¨T/g, '¨').replace(/¨D/g, '$').replace(/["']/g, '-');
    } else {
      title = title.replace(/\W/g, '');
    }
    title = (options.rawPrefixHeaderId ? prefix : '') + title.toLowerCase();
    const count = state.ids.get(title);
    state.ids.set(title, (count ?? 0) + 1);
    return count === undefined ? title : `${title}-${count}`;
  };
  const header = (text, source, level, state, options) => {
    const content = markdown.spans(text, state, options);
    const id = options.noHeaderId ? '' : ` id="${headerId(source, state, options)}"`;
    return hashTrimmed(state, `<h${level}${id}>${content}</h${level}>`);
  };
  // The parts of a line such as "## Text ##".
  const parseHeader = (line, needsBlank) => {
    const marks = /^#{0,6}/.exec(line)[0].length;
    for (let level = marks; level > 0; level--) {
      const rest = line.slice(level);
      const blanks = /^[ \t]*/.exec(rest)[0].length;
      const taken = Math.min(blanks, rest.length - 1);
      if (rest === '' || (needsBlank && taken < 1)) continue;
      const body = rest.slice(taken);
      let end = body.length;
      while (end > 1 && body[end - 1] === '#') end--;
      while (end > 1 && (body[end - 1] === ' ' || body[end - 1] === '\t')) end--;
      return { level, text: body.slice(0, end) };
    }
    return undefined;
  };
  // Replaces lines. `match(i, lines)` returns [text, number of lines].
  const replaceLines = (text, match) => {
    const lines = text.split('\n');
    const last = lines.length - 1;
    let result = '';
    for (let i = 0; i < last;) {
      const found = match(i, lines, last);
      if (found === undefined) {
        result += lines[i++] + '\n';
        continue;
      }
      result += found[0];
      i += found[1];
      while (i < last && lines[i] === '') i++;
    }
    return result + lines[last];
  };
  const headers = (given, state, options) => {
    const start = Number.isNaN(Number.parseInt(options.headerLevelStart, 10)) ? 1 : Number.parseInt(options.headerLevelStart, 10);
    let text = given;
    for (const [pattern, level] of [[/^=+[ \t]*$/, start], [/^-+[ \t]*$/, start + 1]]) {
      text = replaceLines(text, (i, lines, last) =>
        lines[i] !== '' && i + 1 < last && pattern.test(lines[i + 1]) ? [header(lines[i], lines[i], level, state, options), 2] : undefined);
    }
    if (!/^#/m.test(text)) return text;
    return replaceLines(text, (i, lines) => {
      const parsed = lines[i][0] === '#' ? parseHeader(lines[i], options.requireSpaceBeforeHeadingText) : undefined;
      if (parsed === undefined) return undefined;
      const shown = options.customizedHeaderId ? parsed.text.replace(/\s?\{([^{]+?)}\s*$/, '') : parsed.text;
      return [header(shown, parsed.text, start - 1 + parsed.level, state, options), 1];
    });
  };
  const rules = (text, state) => {
    if (!/^ {0,3}[-*_]/m.test(text)) return text;
    const mark = hashTrimmed(state, '<hr />');
    return text.replace(/^ {0,2}(?: ?-){3,}[ \t]*$/gm, mark).replace(/^ {0,2}(?: ?\*){3,}[ \t]*$/gm, mark)
      .replace(/^ {0,2}(?: ?_){3,}[ \t]*$/gm, mark);
  };

  // --- Lists ---

  const MARKER = /( {0,3})([*+-]|\d+[.])[ \t]+/y;
  const lists = (given, state, options) => {
    if (!/^ {0,3}(?:[*+-]|\d+[.])[ \t]/m.test(given) || state.listLevel >= MAX_DEPTH) return given;
    const text = given + '¨0';
    let result = '';
    let done = 0;
    // A list goes on until an empty line before a line that is neither indented nor an item.
    const endOf = (from) => {
      const pattern = /¨0|\n{2,}/g;
      for (let found = find(pattern, text, from); found !== null; found = find(pattern, text, pattern.lastIndex)) {
        const after = found.index + found[0].length;
        if (found[0] === '¨0') return after;
        if (after < text.length && /\S/.test(text[after]) && find(/(?:[*+-]|\d+[.])[ \t]+/y, text, after) === null) return after;
      }
      return text.length;
    };
    const take = (start, from) => {
      const marker = find(MARKER, text, from);
      if (marker === null) return false;
      const end = endOf(from + marker[0].length + 1);
      const type = /[*+-]/.test(marker[2]) ? 'ul' : 'ol';
      result += text.slice(done, start) + consecutive(text.slice(from, end), type, state.listLevel > 0, state, options);
      done = end;
      return true;
    };
    const pattern = /^(?= {0,3}(?:[*+-]|\d+[.])[ \t])/gm;
    for (let found = find(pattern, text, 0); found !== null; found = find(pattern, text, pattern.lastIndex)) {
      const from = found.index;
      // Outside of a list, up to two line breaks before it belong to it.
      let start = from;
      while (state.listLevel === 0 && start > done && from - start < 2 && text[start - 1] === '\n') start--;
      if (from - start === 1 && start > 0 && text[start - 1] !== '\n') start = from;
      pattern.lastIndex = take(start, from) ? done : from + 1;
    }
    return (result + text.slice(done)).replace('¨0', '');
  };
  // Items of the other kind begin a list of their own.
  const consecutive = (given, firstType, trims, state, options) => {
    const indent = options.disableForced4SpacesIndentedSublists ? '{0,1}' : '{0,3}';
    const starts = { ol: new RegExp(`^ ${indent}\\d+\\.[ \\t]`, 'gm'), ul: new RegExp(`^ ${indent}[*+-][ \\t]`, 'gm') };
    const number = /^ *(\d+)\./.exec(given)?.[1];
    let result = '';
    let type = firstType;
    let at = 0;
    while (at <= given.length) {
      const found = find(starts[type === 'ul' ? 'ol' : 'ul'], given, at);
      const end = found === null ? given.length : found.index;
      const start = type === 'ol' && number !== undefined && number !== '1' ? ` start="${number}"` : '';
      result += `\n\n<${type}${start}>\n${items(given.slice(at, end), trims, state, options)}</${type}>\n`;
      if (found === null) break;
      at = end;
      type = type === 'ul' ? 'ol' : 'ul';
    }
    return result;
  };
  const items = (given, trims, state, options) => {
    state.listLevel++;
    const text = given.replace(/\n\n+$/, '\n') + '¨0';
    const hasParagraphs = /\n[ \t]*\n(?!¨0)/.test(text);
    let result = '';
    let done = 0;
    const pattern = /^(?= {0,3}(?:[*+-]|\d+[.])[ \t])/gm;
    for (let found = find(pattern, text, 0); found !== null; found = find(pattern, text, pattern.lastIndex)) {
      const from = found.index;
      const item = parseItem(text, from, options);
      if (item === undefined) {
        pattern.lastIndex = from + 1;
        continue;
      }
      const hasBreak = from > done && text[from - 1] === '\n';
      result += text.slice(done, hasBreak ? from - 1 : from) + writeItem(item, hasBreak, hasParagraphs, state, options);
      done = item.end;
      pattern.lastIndex = done;
    }
    state.listLevel--;
    const html = (result + text.slice(done)).replaceAll('¨0', '');
    return trims ? html.trimEnd() : html;
  };
  // An item ends before the next one, or at the end of the list.
  const parseItem = (text, from, options) => {
    const marker = find(MARKER, text, from);
    if (marker === null) return undefined;
    const indent = options.disableForced4SpacesIndentedSublists ? marker[1] : ' {0,3}';
    const next = new RegExp(`¨0|${indent}(?:[*+-]|\\d+[.])[ \\t]+`, 'y');
    const start = from + marker[0].length;
    const isEnd = (at) => {
      const after = at + find(/\n*/y, text, at)[0].length;
      return find(next, text, after) !== null ? Math.min(after, at + 2) : undefined;
    };
    const findEnd = (at) => {
      const pattern = /\n+/g;
      for (let found = find(pattern, text, at); found !== null; found = find(pattern, text, pattern.lastIndex)) {
        const end = isEnd(found.index);
        if (end !== undefined) return end;
      }
      return undefined;
    };
    const task = find(/\[(x|X| )?\]/y, text, start);
    const content = start + (task?.[0].length ?? 0);
    const solid = content + find(/[ \t]*/y, text, content)[0].length;
    const isChecked = task?.[1] !== undefined && task[1].trim() !== '';
    const end = findEnd(solid + 1);
    if (end !== undefined) return { text: text.slice(start, end), end, isTask: task !== null, isChecked };
    // An item without a text.
    const early = text[solid] === '\n' ? isEnd(solid) : undefined;
    if (early === undefined) return undefined;
    if (solid > content) return { text: text.slice(start, early), end: early, isTask: task !== null, isChecked };
    if (task !== null) return { text: text.slice(start, early), end: early, isTask: false, isChecked: false };
    return /[ \t]{2}$/.test(marker[0]) ? { text: text.slice(start - 1, early), end: early, isTask: false, isChecked: false } : undefined;
  };
  const CHECKBOX = '<input type="checkbox" disabled style="margin: 0px 0.35em 0.25em -1.6em; vertical-align: middle;"';
  const writeItem = (parsed, hasBreak, hasParagraphs, state, options) => {
    let item = outdent(parsed.text);
    let style = '';
    if (parsed.isTask && options.tasklists) {
      style = ' class="task-list-item" style="list-style-type: none;"';
      item = item.replace(/^[ \t]*\[(?:x|X| )?\]/m, () => `${CHECKBOX}${parsed.isChecked ? ' checked' : ''}>`);
    }
    // A mark hides that the text of an item begins like an item.
    item = item.replace(/^(?:[-*+]|\d\.)[ \t]+[\S\n ]*/g, (text) => '¨A' + text);
    if (hasBreak || item.includes('\n\n')) {
      item = blocks(fencedCode(item, state, options), state, options);
    } else {
      item = hashHtml(lists(item, state, options).replace(/\n$/, ''), state, options).replace(/\n\n+/g, '\n\n');
      item = hasParagraphs ? paragraphs(item, state, options) : markdown.spans(item, state, options);
    }
    return `<li${style}>${item.replace('¨A', '')}</li>\n`;
  };

  // --- Tables ---

  const alignment = (line) => {
    if (/^:[ \t]*--*$/.test(line)) return ' style="text-align:left;"';
    if (/^--*[ \t]*:[ \t]*$/.test(line)) return ' style="text-align:right;"';
    return /^:[ \t]*--*[ \t]*:$/.test(line) ? ' style="text-align:center;"' : '';
  };
  const writeTable = (raw, state, options) => {
    const lines = raw.split('\n').map((line) =>
      markdown.codeSpans(line.replace(/^ {0,3}\|/, '').replace(/\|[ \t]*$/, ''), state).split('|').map((cell) => cell.trim()));
    const [names, styles, ...rows] = lines;
    if (names.length < styles.length) return raw;
    const aligned = names.map((_, i) => (i < styles.length ? alignment(styles[i]) : ''));
    const head = names.map((name, i) => {
      const id = options.tablesHeaderId ? ` id="${name.replace(/ /g, '_').toLowerCase()}"` : '';
      return `<th${id}${aligned[i]}>${markdown.spans(name, state, options)}</th>\n`;
    });
    const body = rows.filter((row) => row.length > 1 || row[0] !== '').map((row) =>
      `<tr>\n${names.map((_, i) => `<td${aligned[i]}>${markdown.spans(row[i], state, options)}</td>\n`).join('')}</tr>\n`);
    return `<table>\n<thead>\n<tr>\n${head.join('')}</tr>\n</thead>\n<tbody>\n${body.join('')}</tbody>\n</table>\n`;
  };
  const squeeze = (line) => line.replace(/[ \t]+/g, (blanks) => (blanks.length > 3 ? '    ' : blanks));
  const DELIMITERS = /^ {0,3}\|?[ \t]*:?[ \t]*[-=]{2,}[ \t]*:?[ \t]*\|[ \t]*:?[ \t]*[-=]{2,}/;
  const ONE_DELIMITER = /^ {0,3}\|[ \t]*:?[ \t]*[-=]{2,}[ \t]*:?[ \t]*\|[ \t]*$/;
  const hasColumns = (line) => {
    const pipe = line.indexOf('|', 1);
    return pipe > 0 && pipe < line.length - 1;
  };
  const tables = (given, state, options) => {
    if (!options.tables || !given.includes('|')) return given;
    const text = given.replace(/\\\|/g, markdown.escapeChar('|'));
    const lines = text.split('\n');
    const isWide = lines.map((line, i) => i + 1 < lines.length && hasColumns(line) && DELIMITERS.test(squeeze(lines[i + 1])));
    const empty = markdown.nextPlaces(lines, (i) => lines[i] === '');
    const result = [];
    for (let i = 0; i < lines.length; i++) {
      // The table ends with the next empty line.
      const end = isWide[i] ? tableEnd(lines, i, empty) : undefined;
      if (end === undefined) {
        result.push(lines[i]);
        continue;
      }
      // The table ends with a line break, as each line does.
      result.push(writeTable([...lines.slice(i, end), '', ''].join('\n'), state, options).slice(0, -1));
      i = end;
    }
    return narrowTables(result.join('\n'), state, options);
  };
  const tableEnd = (lines, start, empty) => {
    // Something must follow the delimiters, if only one more of them.
    const rest = squeeze(lines[start + 1]).replace(DELIMITERS, '');
    const hasMore = rest !== '' || (lines[start + 2] !== '' && start + 2 < lines.length);
    const first = empty[Math.min(start + 2, lines.length)];
    if (hasMore) return first + 1 < lines.length ? first : undefined;
    const later = empty[Math.min(start + 3, lines.length)];
    if (later + 1 < lines.length) return later;
    return /[-=]{3,}$/.test(lines[start + 1]) && first + 1 < lines.length ? first : undefined;
  };
  const narrowTables = (text, state, options) => {
    if (!/^ {0,3}\|/m.test(text)) return text;
    const isRow = (line) => /^ {0,3}\|.+\|[ \t]*$/.test(line);
    const lines = text.split('\n');
    const last = lines.length - 1;
    let result = '';
    for (let i = 0; i < last;) {
      let end = i;
      if (i + 1 < last && isRow(lines[i]) && ONE_DELIMITER.test(squeeze(lines[i + 1]))) {
        end = i + 2;
        while (end < last && isRow(lines[end])) end++;
        if (end >= last || lines[end] !== '') end = i;
      }
      if (end === i) {
        result += lines[i++] + '\n';
      } else {
        result += writeTable(lines.slice(i, end + 1).map((line) => line + '\n').join(''), state, options);
        i = end + 1;
      }
    }
    return result + lines[last];
  };

  // --- Paragraphs ---

  const IS_CODE = /^<pre\b[^>]*>\s*<code\b[^>]*>/;
  // Puts the blocks back in, and the blocks in them. A mark takes the empty lines around it with it.
  const unhashBlocks = (text, state) => {
    if (!/¨[KG]\d/.test(text)) return text;
    let result = '';
    let isCode = false;
    const frames = [{ text, at: 0 }];
    const mark = /¨(K|G)(\d+)\1/g;
    // Removes an empty line behind a mark, which may be in an outer text.
    const skipEmptyLine = () => {
      const places = [];
      for (let i = frames.length - 1, at = frames[i].at; i >= 0 && places.length < 2;) {
        if (at < frames[i].text.length) {
          if (frames[i].text[at] !== '\n') return;
          places.push(i);
          at++;
        } else if (--i >= 0) {
          at = frames[i].at;
        }
      }
      if (places.length === 2) for (const i of places) frames[i].at++;
    };
    while (frames.length > 0) {
      const frame = frames.at(-1);
      const found = find(mark, frame.text, frame.at);
      if (found === null) {
        result += frame.text.slice(frame.at);
        frames.pop();
        continue;
      }
      result += frame.text.slice(frame.at, found.index);
      frame.at = found.index + found[0].length;
      if (result.endsWith('\n\n')) result = result.slice(0, -2);
      skipEmptyLine();
      const [, kind, index] = found;
      const block = kind === 'K' ? state.blocks[index] : isCode ? encodeCode(state.codes[index].text) : state.codes[index].html;
      frames.push({ text: block, at: 0 });
      if (!isCode && result.length < 1000) isCode = IS_CODE.test(result + block.slice(0, 1000));
    }
    return result;
  };
  const paragraphs = (text, state, options) => {
    const parts = trimBreaks(text).split(/\n{2,}/).flatMap((part) => {
      if (/¨(?:K\d+K|G\d+G)/.test(part)) return [part];
      return /\S/.test(part) ? [`<p>${markdown.spans(part, state, options).replace(/^[ \t]*/, '')}</p>`] : [];
    });
    return trimBreaks(parts.map((part) => unhashBlocks(part, state)).join('\n'));
  };

  const blocks = (text, state, options) => {
    state.depth++;
    const steps = state.depth > MAX_DEPTH ? [] : [quotes, headers, rules, lists];
    const parts = [...steps, indentedCode, tables, hashHtml, paragraphs];
    const html = parts.reduce((current, step) => step(current, state, options), text);
    state.depth--;
    return html;
  };

  // --- The document ---

  const SIZE = '(?: =([*\\d]+[A-Za-z%]{0,4})x([*\\d]+[A-Za-z%]{0,4}))?';
  const TITLE = '[ \\t]*\\n?[ \\t]*(?:(\\n*)["|\'(](.+?)["|\')][ \\t]*)?';
  const DEFINITION = new RegExp(`\\]:[ \\t]*\\n?[ \\t]*<?([^>\\s]+)>?${SIZE}${TITLE}(?:\\n+|(?=¨0))`, 'y');
  const DATA_DEFINITION = new RegExp(
    `\\]:[ \\t]*\\n?[ \\t]*<?(data:[^\\n/]+/[^\\n;]+;base64,[A-Za-z0-9+/=\\n]+?)>?${SIZE}${TITLE}(?:\\n\\n|(?=¨0)|(?=\\n\\[))`, 'y');
  const stripDefinitions = (given, state, options) => {
    if (!/^ {0,3}\[[^\]]+\]:/m.test(given)) return given;
    const step = (source, pattern) => {
      const close = nextOf(source, ']');
      const lower = source.toLowerCase();
      return markdown.replaceAt(source, /^ {0,3}\[/gm, (start, [opening]) => {
        const from = start + opening.length;
        const end = close[from];
        const found = end === Infinity || end === from ? null : find(pattern, source, end);
        if (found === null) return undefined;
        const after = end + found[0].length;
        const id = source.slice(from, end).toLowerCase();
        // A reference without a use is a text.
        if (lower.indexOf(id, lower.indexOf(id) + id.length) < 0) return [source.slice(start, after), after];
        const [, url, width, height, emptyLines, title] = found;
        state.urls.set(id, /^data:.+?\/.+?;base64,/.test(url) ? url.replace(/\s/g, '') : markdown.encodeAmpsAndAngles(url));
        if (emptyLines) return [emptyLines + title, after];
        if (title) state.titles.set(id, title.replace(/"|'/g, '&quot;'));
        if (options.parseImgDimensions && width && height) state.sizes.set(id, { width, height });
        return ['', after];
      });
    };
    return step(step(given + '¨0', DATA_DEFINITION), DEFINITION).replace('¨0', '');
  };

  const convert = (given, options, depth) => {
    if (!given) return given;
    const state = {
      blocks: [], codes: [], spans: [], urls: new Map(), titles: new Map(), sizes: new Map(), ids: new Map(), listLevel: 0, depth,
    };
    let text = given.replace(/¨/g, '¨T').replace(/\$/g, '¨D').replace(/\r\n?/g, '\n').replace(/\u00a0/g, '&nbsp;');
    if (options.smartIndentationFix) text = text.replace(new RegExp(`^\\s{0,${/^\s*/.exec(text)[0].length}}`, 'gm'), '');
    text = detab(`\n\n${text}\n\n`).replace(/^[ \t]+$/gm, '');
    const steps = [hashPreCode, fencedCode, hashHtml, hashCode, stripDefinitions, blocks];
    text = steps.reduce((current, step) => step(current, state, options), text);
    text = markdown.unescape(markdown.unhashSpans(text, state));
    text = text.replace(/¨D/g, '$').replace(/¨T/g, '¨');
    if (!options.completeHTMLDocument) return text;
    return `<!DOCTYPE HTML>\n<html>\n<head>\n<meta charset="utf-8">\n</head>\n<body>\n${text.trim()}\n</body>\n</html>`;
  };

  const DEFAULTS = { ghCodeBlocks: true, ghMentionsLink: 'https://github.com/{u}', encodeEmails: true };
  /** The HTML of a Markdown text. The options are those of Showdown. */
  n8n.markdownToHtml = (text, options = {}) => convert(text, { ...DEFAULTS, ...options }, 0);
})
