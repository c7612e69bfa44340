// Markdown's lists.
(function (n8n) {
  'use strict';

  const markdown = n8n.markdownParts;
  const { MAX_DEPTH, find } = markdown;

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
    let item = markdown.outdent(parsed.text);
    let style = '';
    if (parsed.isTask && options.tasklists) {
      style = ' class="task-list-item" style="list-style-type: none;"';
      item = item.replace(/^[ \t]*\[(?:x|X| )?\]/m, () => `${CHECKBOX}${parsed.isChecked ? ' checked' : ''}>`);
    }
    // A mark hides that the text of an item begins like an item.
    item = item.replace(/^(?:[-*+]|\d\.)[ \t]+[\S\n ]*/g, (text) => '¨A' + text);
    if (hasBreak || item.includes('\n\n')) {
      item = markdown.blocks(markdown.fencedCode(item, state, options), state, options);
    } else {
      item = markdown.hashHtml(lists(item, state, options).replace(/\n$/, ''), state, options).replace(/\n\n+/g, '\n\n');
      item = hasParagraphs ? markdown.paragraphs(item, state, options) : markdown.spans(item, state, options);
    }
    return `<li${style}>${item.replace('¨A', '')}</li>\n`;
  };

  Object.assign(markdown, { lists });
})
