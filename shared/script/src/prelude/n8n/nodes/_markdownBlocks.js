// Markdown as blocks: quotes, headers, code and paragraphs, and what the other files have.
(function (n8n) {
  'use strict';

  const markdown = n8n.markdownParts;
  const { MAX_DEPTH, encodeCode, encodeAmpsAndAngles, unescape, unhashSpans, hashBlock, trimBreaks, nextOf, find, replaceAt } = markdown;

  const hashTrimmed = (state, html) => hashBlock(state, trimBreaks(html));
  const detab = (text) => {
    if (!text.includes('\t')) return text;
    return text.replace(/\t(?=\t)/g, '    ').replace(/\t/g, '¨A¨B')
      .replace(/¨B(.+?)¨A/g, (_, leading) => leading + ' '.repeat(4 - (leading.length % 4)))
      .replace(/¨A/g, '    ').replace(/¨B/g, '');
  };
  const outdent = (text) => text.replace(/^(?:\t| {1,4})/gm, '');

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
    return replaceAt(text, /<pre>/g, (start) => {
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
    const steps = state.depth > MAX_DEPTH ? [] : [quotes, headers, rules, markdown.lists];
    const parts = [...steps, indentedCode, markdown.tables, markdown.hashHtml, paragraphs];
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
      return replaceAt(source, /^ {0,3}\[/gm, (start, [opening]) => {
        const from = start + opening.length;
        const end = close[from];
        const found = end === Infinity || end === from ? null : find(pattern, source, end);
        if (found === null) return undefined;
        const after = end + found[0].length;
        const id = source.slice(from, end).toLowerCase();
        // A reference without a use is a text.
        if (lower.indexOf(id, lower.indexOf(id) + id.length) < 0) return [source.slice(start, after), after];
        const [, url, width, height, emptyLines, title] = found;
        state.urls.set(id, /^data:.+?\/.+?;base64,/.test(url) ? url.replace(/\s/g, '') : encodeAmpsAndAngles(url));
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
    const steps = [markdown.hashPreCode, fencedCode, markdown.hashHtml, markdown.hashCode, stripDefinitions, blocks];
    text = steps.reduce((current, step) => step(current, state, options), text);
    text = unescape(unhashSpans(text, state));
    text = text.replace(/¨D/g, '$').replace(/¨T/g, '¨');
    if (!options.completeHTMLDocument) return text;
    return `<!DOCTYPE HTML>\n<html>\n<head>\n<meta charset="utf-8">\n</head>\n<body>\n${text.trim()}\n</body>\n</html>`;
  };

  Object.assign(markdown, { blocks, fencedCode, outdent, paragraphs, convert });

  const DEFAULTS = { ghCodeBlocks: true, ghMentionsLink: 'https://github.com/{u}', encodeEmails: true };
  /** The HTML of a Markdown text. The options are those of Showdown. */
  n8n.markdownToHtml = (text, options = {}) => convert(text, { ...DEFAULTS, ...options }, 0);
})
