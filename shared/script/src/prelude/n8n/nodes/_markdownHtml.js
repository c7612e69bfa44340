// HTML in Markdown: elements that begin a line stay as they are.
(function (n8n) {
  'use strict';

  const markdown = n8n.markdownParts;
  const { MAX_DEPTH, encodeCode, hashBlock, trimBreaks, nextOf, find, replaceAt } = markdown;

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
    [...text.matchAll(pattern)].map((found) => {
      const { index } = found;
      return { index, after: index + found[0].length, isStart: found[1] !== undefined };
    });
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

  const BLOCK_TAGS = ('pre div h1 h2 h3 h4 h5 h6 blockquote table dl ol ul script noscript form fieldset iframe math style section ' +
    'header footer nav article aside address audio canvas figure hgroup output video p').split(' ');
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
      const inside = isMarkdown ? markdown.convert(content, options, state.depth + 1) : content;
      result += text.slice(done, start.index) + hashBlock(state, left + inside + text.slice(end.index, end.after));
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
      text = replaceAt(source, /\\<(?=\/?[^>])/g, (start) => {
        const end = angle[start + 3];
        return end === Infinity ? undefined : [`&lt;${source.slice(start + 2, end)}&gt;`, end + 1];
      });
    }
    const present = new Set([...text.matchAll(/<([a-z][a-z\d]*)/gi)].map((found) => found[1].toLowerCase()));
    for (const name of BLOCK_TAGS) if (present.has(name)) text = hashElements(text, name, state, options);
    const hashLine = (block) => hashBlock(state, trimBreaks(block.replace(/\n\n/g, '\n').replace(/^\n/, '')));
    text = text.replace(/\n {0,3}<hr\b[^<>]*?\/?>[ \t]*(?=\n{2,})/g, hashLine);
    if (text.includes('<!--')) {
      text = replacePairs(text, marksOf(text, /^ {0,3}(<!--)|-->/gm), (left, content, right) => hashBlock(state, left + content + right));
    }
    return hashInstructions(text, hashLine);
  };
  // Instructions as `<? ... ?>` and `<% ... %>` between empty lines.
  const hashInstructions = (text, hashLine) => {
    if (!/<[?%]/.test(text)) return text;
    const ends = { '?': /\?>[ \t]*(?=\n\n)/g, '%': /%>[ \t]*(?=\n\n)/g };
    return replaceAt(text, /\n\n {0,3}<([?%])/g, (start, [opening, kind]) => {
      const end = find(ends[kind], text, start + opening.length);
      if (end === null) return undefined;
      const after = end.index + end[0].length;
      return [hashLine(text.slice(start + 2, after)), after];
    });
  };

  Object.assign(markdown, { hashPreCode, hashCode, hashHtml });
})
