// Markdown's tables.
(function (n8n) {
  'use strict';

  const markdown = n8n.markdownParts;
  const { escapeChar, nextPlaces } = markdown;

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
    const text = given.replace(/\\\|/g, escapeChar('|'));
    const lines = text.split('\n');
    const isWide = lines.map((line, i) => i + 1 < lines.length && hasColumns(line) && DELIMITERS.test(squeeze(lines[i + 1])));
    const empty = nextPlaces(lines, (i) => lines[i] === '');
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

  Object.assign(markdown, { tables });
})
