// Tables as CSV.
(function (n8n) {
  'use strict';

  // --- Reading ---

  class RecordError extends Error {}

  // Splits a text into records. A record whose quotes are wrong is given to `onError`.
  const scan = (text, { delimiter, relaxQuotes, onRecord, onError }) => {
    let lineBreak;
    let field = '';
    let record = [];
    let isQuoted = false;
    let wasQuoted = false;
    let isBroken = false;
    let line = 1;
    let at = 0;
    // `startsWith` would count the whole text at each place.
    const isAt = (part, place) =>
      text[place] === part[0] && (part.length === 1 || text.slice(place, place + part.length) === part);
    // The first line break of the text is that of all records.
    const isBreak = (place) => {
      if (lineBreak !== undefined) return isAt(lineBreak, place);
      const char = text[place];
      if (char === '\n') lineBreak = '\n';
      else if (char === '\r') lineBreak = text[place + 1] === '\n' ? '\r\n' : '\r';
      return lineBreak !== undefined;
    };
    const fail = (message) => {
      onError(new RecordError(message));
      isBroken = true;
    };
    const endField = () => {
      record.push(field);
      field = '';
      wasQuoted = false;
    };
    const endRecord = () => {
      endField();
      line++;
      const isLast = isBroken ? false : onRecord(record, line) === false;
      record = [];
      isBroken = false;
      return isLast;
    };
    while (at < text.length) {
      const char = text[at];
      if (char === '"') {
        if (isQuoted) {
          if (text[at + 1] === '"') {
            field += '"';
            at += 2;
            continue;
          }
          const next = at + 1;
          isQuoted = false;
          if (next >= text.length || isAt(delimiter, next) || isBreak(next)) {
            wasQuoted = true;
            at = next;
            continue;
          }
          if (!relaxQuotes) fail('Invalid Closing Quote');
          field = '"' + field;
        } else if (field === '' && !wasQuoted) {
          isQuoted = true;
          at++;
          continue;
        } else if (!relaxQuotes) {
          fail('Invalid Opening Quote');
        }
      }
      if (!isQuoted) {
        if (isBreak(at)) {
          if (endRecord()) return;
          at += lineBreak.length;
          continue;
        }
        if (isAt(delimiter, at)) {
          endField();
          at += delimiter.length;
          continue;
        }
      }
      if (char === '\n' || char === '\r') line++;
      field += char;
      at++;
    }
    if (isQuoted) fail('Quote Not Closed');
    else if (wasQuoted || field !== '' || record.length > 0) endRecord();
  };

  /**
   * The rows of a text as objects by column, or as lists without a header. n8n stops at the first record that is wrong, and
   * does not report it. With `skip` it leaves out such records, up to `maxSkipped` of them.
   */
  n8n.readCsv = (text, options) => {
    const {
      delimiter = ',', relaxQuotes = false, hasHeader = true, maxRows = -1, fromLine = 0, skip = false, maxSkipped = -1,
    } = options;
    const rows = [];
    let columns;
    let length;
    let isStarted = fromLine <= 1;
    let skipped = 0;
    const onError = (error) => {
      if (!skip) throw error;
      skipped++;
      if (maxSkipped >= 0 && skipped > maxSkipped) throw new Error('Max number of skipped records exceeded');
    };
    const onRecord = (record, nextLine) => {
      if (!isStarted) {
        isStarted = nextLine >= fromLine;
        return true;
      }
      if (hasHeader && columns === undefined) {
        columns = record;
        return true;
      }
      length ??= columns?.length ?? record.length;
      if (record.length !== length) {
        onError(new RecordError(`Invalid Record Length: expect ${length}, got ${record.length} on line ${nextLine - 1}`));
        return true;
      }
      rows.push(hasHeader ? Object.fromEntries(columns.map((name, i) => [name, record[i]])) : record);
      return maxRows < 0 || rows.length < maxRows;
    };
    try {
      scan(text, { delimiter, relaxQuotes, onRecord, onError });
    } catch (error) {
      if (!(error instanceof RecordError)) throw error;
    }
    return rows;
  };

  // --- Writing, as a spreadsheet shows the cells ---

  const dropZeros = (text) => text.replace(/(\.\d*?)0+(?=E|$)/, '$1').replace(/\.(?=E|$)/, '');
  const padExponent = (text) => text.toUpperCase().replace(/(E[+-])(\d)$/, '$10$2');
  // The number format "General": at most eleven characters.
  const showNumber = (number) => {
    if (Number.isInteger(number) && Math.abs(number) < 2 ** 31) return String(number);
    if (!Number.isFinite(number)) return Number.isNaN(number) ? '#NUM!' : '#DIV/0!';
    const room = number < 0 ? 12 : 11;
    const size = Math.floor(Math.log(Math.abs(number)) * Math.LOG10E);
    if (size >= -4 && size <= -1) return dropZeros(padExponent(number.toPrecision(10 + size)));
    if (size === 10) return dropZeros(number.toFixed(10).slice(0, 12));
    const isSmall = Math.abs(size) <= 9;
    const plain = dropZeros(padExponent(number.toFixed(isSmall ? 12 : 11)));
    if (plain.length <= room && (isSmall || Number(plain) !== 0)) return plain;
    if (!isSmall) return dropZeros(padExponent(number.toPrecision(6)));
    const precise = number.toPrecision(10);
    return dropZeros(padExponent(precise.length <= room ? precise : number.toExponential(5)));
  };

  /** The text of a cell. */
  n8n.showCell = (value) => {
    if (value === null || value === undefined) return '';
    if (typeof value === 'number') return showNumber(value);
    if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
    return String(value);
  };

  // Nested values get columns of their own, as `a.b` and `list.0`.
  const flatten = (value, prefix, row) => {
    for (const key of Object.keys(value)) {
      const each = value[key];
      const name = prefix + key;
      if (typeof each === 'object' && each !== null) flatten(each, name + '.', row);
      else row[name] = each;
    }
    return row;
  };

  /** A table of items: the columns in the order in which they first occur, and the rows. */
  n8n.toTable = (items, hasHeader) => {
    const rows = items.map((item) => flatten(item.json, '', {}));
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    const cells = rows.map((row) => columns.map((column) => row[column]));
    if (hasHeader) cells.unshift(columns);
    return cells.map((row) => (row.length === 0 ? [undefined] : row));
  };

  n8n.writeCsv = (table, delimiter = ',') => {
    const quote = (text) => {
      const isUnsafe = text.includes(delimiter[0]) || text.includes('\n') || text.includes('"');
      return isUnsafe || text === 'ID' ? '"' + text.replaceAll('"', '""') + '"' : text;
    };
    return table.map((row) => row.map((cell) => quote(n8n.showCell(cell))).join(delimiter)).join('\n');
  };
})
