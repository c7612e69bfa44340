// Markdown within a paragraph: code, emphasis, HTML and what `_markdownLinks.js` has.
(function (n8n) {
  'use strict';

  const markdown = n8n.markdownParts;
  const { NEVER, escapeChar, encodeCode, encodeAmpsAndAngles, hashSpan, nextPlaces, nextOf, find, replaceAt } = markdown;

  // --- Code: text between runs of the same number of backticks ---

  const codeSpans = (text, state) => {
    if (!text.includes('`')) return text;
    const runs = [...text.matchAll(/`+/g)].map((found) => ({ start: found.index, length: found[0].length }));
    const byLength = new Map();
    runs.forEach((run, i) => {
      if (!byLength.has(run.length)) byLength.set(run.length, []);
      byLength.get(run.length).push(i);
    });
    const nextRun = (after, length) => {
      const list = byLength.get(length) ?? [];
      let low = 0;
      let high = list.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (list[middle] <= after) low = middle + 1;
        else high = middle;
      }
      return list[low];
    };
    let result = '';
    let done = 0;
    for (let i = 0; i < runs.length; i++) {
      const { start, length } = runs[i];
      const isEscaped = text[start - 1] === '\\';
      const first = isEscaped ? start + 1 : start;
      // A run may also begin with fewer backticks. The rest is code.
      for (let count = isEscaped ? length - 1 : length; count > 0; count--) {
        const close = nextRun(i, count);
        if (close === undefined) continue;
        const code = text.slice(first + count, runs[close].start).replace(/^[ \t]+/, '');
        const trimmed = code.slice(0, trimmedLength(code));
        result += text.slice(done, first) + hashSpan(state, `<code>${encodeCode(trimmed)}</code>`);
        done = runs[close].start + count;
        i = close;
        break;
      }
    }
    return result + text.slice(done);
  };
  const trimmedLength = (text) => {
    let length = text.length;
    while (length > 0 && (text[length - 1] === ' ' || text[length - 1] === '\t')) length--;
    return length;
  };

  // --- Characters with a meaning, in tags and after backslashes ---

  const escapeTags = (text) => {
    if (!text.includes('<')) return text;
    const next = nextOf(text, '>');
    const endOfTag = (at) => {
      if (text[at] === '>') return at;
      const space = find(/\s+/y, text, at);
      if (space === null) return NEVER;
      const after = at + space[0].length;
      const end = next[Math.min(after + 1, text.length)];
      if (end !== NEVER) return end;
      return space[0].length > 1 && text[after] === '>' ? after : NEVER;
    };
    const escape = (part) => part.replace(/[\\`*_~=|]/g, escapeChar);
    const tags = replaceAt(text, /<\/?[a-z\d_:-]+/gi, (start, [tag]) => {
      const end = endOfTag(start + tag.length);
      return end === NEVER ? undefined : [escape(text.slice(start, end + 1).replace(/(.)<\/?code>(?=.)/g, '$1`')), end + 1];
    });
    return replaceAt(tags, /<!--(?!>|->)/g, (start) => {
      const end = find(/--/g, tags, start + 5);
      if (end === null || tags[end.index + 2] !== '>') return undefined;
      return [escape(tags.slice(start, end.index + 3)), end.index + 3];
    });
  };
  const escapeBackslashes = (text) =>
    text.replace(/\\\\/g, escapeChar('\\')).replace(/\\([`*_{}[\]()>#+.!~=|:-])/g, (_, char) => escapeChar(char));

  // --- Emphasis ---

  // `isStart(i)` and `isEnd(i)` are tests of the place of a mark and of the place behind it.
  const surround = (text, mark, isFirst, write, { isStart = () => true, isEnd = () => true } = {}) => {
    const marks = nextPlaces(text, (i) => text.slice(i, i + mark.length) === mark);
    const ends = nextPlaces(text, (i) => marks[i] === i && isEnd(i + mark.length));
    let result = '';
    let done = 0;
    for (let start = marks[0]; start !== NEVER; start = marks[start]) {
      const first = start + mark.length;
      if (!isFirst(text[first] ?? ' ') || !isStart(start, done)) {
        start++;
        continue;
      }
      const end = ends[Math.min(first + 1, text.length)];
      if (end === NEVER) break;
      result += text.slice(done, start) + write(text.slice(first, end), text.slice(start, end + mark.length));
      done = end + mark.length;
      start = done;
    }
    return result + text.slice(done);
  };
  const isSolid = (char) => /\S/.test(char);
  const isWord = (char) => char !== undefined && /\w/.test(char);
  const emphasis = (text, options) => {
    const wrap = (start, end) => (content, whole) => (isSolid(content.at(-1)) ? start + content + end : whole);
    const literal = (start, end) => (content) => start + content + end;
    const KINDS = [[3, '<strong><em>', '</em></strong>'], [2, '<strong>', '</strong>'], [1, '<em>', '</em>']];
    let current = text;
    for (const [count, start, end] of current.includes('_') ? KINDS : []) {
      const mark = '_'.repeat(count);
      if (options.literalMidWordUnderscores) {
        const source = current;
        current = surround(source, mark, isSolid, literal(start, end), {
          isStart: (i) => !isWord(source[i - 1]), isEnd: (i) => !isWord(source[i]),
        });
      } else {
        current = surround(current, mark, count === 1 ? (char) => isSolid(char) && char !== '_' : isSolid, wrap(start, end));
      }
    }
    for (const [count, start, end] of current.includes('*') ? KINDS : []) {
      const mark = '*'.repeat(count);
      if (options.literalMidWordAsterisks) {
        const source = current;
        current = surround(source, mark, isSolid, literal(start, end), {
          isStart: (i, done) => i === 0 || (i > done && source[i - 1] !== '*' && !isWord(source[i - 1])) || (i === done && done === 0),
          isEnd: (i) => !isWord(source[i]) && source[i] !== '*',
        });
      } else {
        current = surround(current, mark, count === 1 ? (char) => isSolid(char) && char !== '*' : isSolid, wrap(start, end));
      }
    }
    return current;
  };
  const strikethrough = (text, options) =>
    options.strikethrough && text.includes('~~')
      ? surround(text, '~~', () => true, (content) => `<del>${markdown.simpleLinks(content, options)}</del>`)
      : text;

  // --- HTML within a line is kept as it is ---

  const LONGEST_NAME = 100;
  const hashSpans = (text, state) => {
    if (!text.includes('<')) return text;
    const hash = (html) => hashSpan(state, html);
    const selfClosing = (current) => {
      const angle = nextOf(current, '>');
      return replaceAt(current, /</g, (start) => {
        const end = angle[start + 1];
        return end === NEVER || current[end - 1] !== '/' || end < start + 3 ? undefined : [hash(current.slice(start, end + 1)), end + 1];
      });
    };
    // The places of each end tag.
    const endTags = (current, angle) => {
      const byName = new Map();
      for (const { index } of current.matchAll(/<\//g)) {
        const end = angle[index + 2];
        if (end - index > LONGEST_NAME) continue;
        const name = current.slice(index + 2, end);
        if (!byName.has(name)) byName.set(name, []);
        byName.get(name).push(index);
      }
      return byName;
    };
    const findEnd = (byName, name, from) => {
      const list = byName.get(name) ?? [];
      let low = 0;
      let high = list.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (list[middle] < from) low = middle + 1;
        else high = middle;
      }
      return list[low];
    };
    const pairs = (hasAttributes) => (current) => {
      if (!current.includes('</')) return current;
      const angle = nextOf(current, '>');
      const byName = endTags(current, angle);
      return replaceAt(current, /</g, (start) => {
        const end = angle[start + 1];
        if (end === NEVER || end === start + 1) return undefined;
        const tag = current.slice(start + 1, Math.min(end, start + 1 + LONGEST_NAME));
        const blank = /\s/.exec(tag.slice(1));
        if (hasAttributes && (blank === null || start + 2 + blank.index + 1 >= end)) return undefined;
        const name = hasAttributes ? tag.slice(0, blank.index + 1) : tag;
        if (!hasAttributes && end - start - 1 > LONGEST_NAME) return undefined;
        const close = findEnd(byName, name, end + 1);
        if (close === undefined) return undefined;
        const after = close + name.length + 3;
        return [hash(current.slice(start, after)), after];
      });
    };
    const rest = (current) => {
      const angle = nextOf(current, '>');
      return replaceAt(current, /</g, (start) => {
        const end = angle[start + 1];
        return end === NEVER || end === start + 1 ? undefined : [hash(current.slice(start, end + 1)), end + 1];
      });
    };
    return [selfClosing, pairs(false), pairs(true), rest].reduce((current, step) => step(current), text);
  };
  const spans = (given, state, options) => {
    let text = codeSpans(given ?? '', state);
    text = escapeBackslashes(escapeTags(text));
    text = markdown.anchors(markdown.images(text, state), state, options);
    text = markdown.simpleLinks(markdown.autoLinks(text, options), options);
    if (options.emoji) text = text.replace(/:(\S+?):/g, (whole, name) => n8n.emoji(name) ?? whole);
    text = strikethrough(emphasis(text, options), options).replace(/\.\.\./g, '…');
    text = encodeAmpsAndAngles(hashSpans(text, state));
    if (!options.simpleLineBreaks) return text.replace(/ {2,}\n?/g, (blanks) => (blanks.endsWith('\n') ? '<br />\n' : blanks));
    return text.includes('\n\n¨K') ? text : text.replace(/\n+/g, '<br />\n');
  };

  Object.assign(markdown, { codeSpans, spans });
})
