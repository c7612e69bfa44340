// What the parts of the Markdown converter share. The rules are those of Showdown 2.1, which n8n uses.
//
// Showdown finds most things with patterns that search for an end up to the end of the text, once for each beginning. Here the
// ends are known beforehand, so that the time grows with the length of the text only.
//
// While a text is converted, "¨" begins a mark: ¨E42E is the character 42, ¨C1C is HTML within a line, ¨K1K and ¨G1G are blocks.
(function (n8n) {
  'use strict';

  const escapeChar = (char) => `¨E${char.charCodeAt(0)}E`;
  const encodeCode = (text) =>
    text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/[*_{}[\]\\=~-]/g, escapeChar);
  const encodeAmpsAndAngles = (text) =>
    text.replace(/&(?!#?[xX]?(?:[0-9a-fA-F]+|\w+);)/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
  const unescape = (text) => text.replace(/¨E(\d+)E/g, (_, code) => String.fromCharCode(Number(code)));

  const hashSpan = (state, html) => `¨C${state.spans.push(html) - 1}C`;
  /** Puts the HTML of a line back in. */
  const unhashSpans = (text, state) => {
    const expand = (part, depth) =>
      part.replace(/¨C(\d+)C/g, (mark, index) => (depth > 10 ? mark : expand(state.spans[index], depth + 1)));
    return expand(text, 0);
  };
  const hashBlock = (state, html) => `\n\n¨K${state.blocks.push(html) - 1}K\n\n`;

  const trimBreaks = (text) => {
    let end = text.length;
    while (end > 0 && text[end - 1] === '\n') end--;
    let start = 0;
    while (start < end && text[start] === '\n') start++;
    return text.slice(start, end);
  };

  const NEVER = Infinity;
  /** For each position the next one at or after it that fits. */
  const nextPlaces = (text, fits) => {
    const places = new Float64Array(text.length + 2).fill(NEVER);
    for (let i = text.length - 1; i >= 0; i--) places[i] = fits(i) ? i : places[i + 1];
    return places;
  };
  const nextOf = (text, chars) => nextPlaces(text, (i) => chars.includes(text[i]));
  const find = (pattern, text, from) => {
    pattern.lastIndex = from;
    return pattern.exec(text);
  };
  /** Replaces what `match(at)` finds at the places of a pattern: it returns [text, end], or nothing. */
  const replaceAt = (text, pattern, match) => {
    let result = '';
    let done = 0;
    for (let found = find(pattern, text, 0); found !== null; found = find(pattern, text, pattern.lastIndex)) {
      const start = found.index;
      const replaced = match(start, found);
      if (replaced === undefined) {
        pattern.lastIndex = start + 1;
        continue;
      }
      const [replacement, end, from = start] = replaced;
      result += text.slice(done, from) + replacement;
      done = end;
      pattern.lastIndex = Math.max(end, start + 1);
    }
    return done === 0 ? text : result + text.slice(done);
  };

  n8n.markdownParts = {
    // Blocks within blocks are only converted to this depth, because each level converts its text again.
    MAX_DEPTH: 24,
    NEVER, escapeChar, encodeCode, encodeAmpsAndAngles, unescape, hashSpan, unhashSpans, hashBlock, trimBreaks, nextPlaces, nextOf, find,
    replaceAt,
  };
})
