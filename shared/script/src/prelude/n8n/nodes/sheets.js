// Google Sheets: rows are objects by the names of their columns. The first argument is the body of an answer.
(function (n8n) {
  'use strict';

  const { isGiven, items, forEach } = n8n.helpers;

  n8n.sheetNumber = (value) => Number(/(?:gid=)?(\d+)$/.exec(String(value))?.[1] ?? 0);
  n8n.sheetRange = (title, cells) => `'${String(title).replaceAll("'", "''")}'${cells ? `!${cells}` : ''}`;

  const columnNumber = (letters) => [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;

  /** The rows of an answer, with the title of the sheet, and where its first cell is. */
  const readTable = (body) => {
    const { range = '', values = [] } = body.valueRanges?.[0]?.valueRange ?? body;
    const at = range.lastIndexOf('!');
    const [, letters = 'A', row = '1'] = /^\$?([A-Z]*)\$?(\d*)/.exec(range.slice(at + 1)) ?? [];
    return { sheet: at < 0 ? range : range.slice(0, at), column: columnNumber(letters || 'A'), row: Number(row || 1), values };
  };

  const nameColumns = (cells) => cells.map((name, index) => (isGiven(name) ? String(name) : `col_${index + 1}`));

  /** The rows as items. `header` and `first` are numbers of rows in the sheet. */
  n8n.sheetRows = (body, options = {}) => {
    const { row, values } = readTable(body);
    const header = (options.header ?? row) - row;
    const first = Math.max((options.first ?? header + row + 1) - row, 0);
    if (options.raw) return { data: values };
    const names = nameColumns(values[header] ?? []);
    let rows = values.slice(first).map((cells, index) => {
      const number = options.numbers === false ? [] : [['row_number', row + first + index]];
      return Object.fromEntries([...number, ...names.map((name, column) => [name, cells[column] ?? ''])]);
    });
    rows = rows.filter((fields) => names.some((name) => fields[name] !== ''));
    const { filters } = options;
    if (!filters) return rows;
    const matches =
      (fields) =>
      ([name, value]) =>
        String(fields[name] ?? '') === String(value ?? '');
    const found = rows.filter((fields) => (options.any ? filters.some(matches(fields)) : filters.every(matches(fields))));
    return options.one ? found.slice(0, 1) : found;
  };

  const writeCell = (value) => (typeof value === 'object' && value !== null ? JSON.stringify(value) : (value ?? ''));

  /** The rows to append, one for each item. An empty sheet gets the names of the columns, too. */
  n8n.sheetAppend = (body, columns, options = {}) => {
    const { sheet, values } = readTable(body);
    let names = values[0]?.map(String);
    return forEach((item, index) => {
      const row = n8n.without(columns(), ['row_number']);
      const lines = [];
      if (!names?.some(isGiven)) {
        names = Object.keys(row);
        lines.push(names);
      }
      const missing = options.isStrict && Object.keys(row).find((name) => !names.includes(name));
      if (missing) throw new Error(`The sheet has no column "${missing}": add it to the first row, or remove it from the node`);
      const cells = names.map((name) => writeCell(row[name]));
      lines.push(options.texts ? cells.map(String) : cells);
      return { json: { sheet, lines, row, document: options.document }, pairedItem: index };
    });
  };

  /** The cells to change, for each item with a row that matches. With `appends`, an item without one is a new row. */
  n8n.sheetUpdate = (body, columns, matching, options = {}) => {
    const { sheet, column, row: start, values } = readTable(body);
    const names = nameColumns(values[0] ?? []);
    const places = new Map(names.map((name, index) => [name, index]));
    const keyOf = (cell) => JSON.stringify(cell.map((value) => String(value ?? '')));
    const numbers = new Map();
    const isNumber = matching.includes('row_number');
    if (!isNumber) {
      const keys = matching.map((name) => places.get(name));
      const unknown = matching.find((name) => !places.has(name));
      if (unknown !== undefined && values.length > 0) throw new Error(`The sheet has no column "${unknown}"`);
      values.slice(1).forEach((cells, index) => {
        const key = keyOf(keys.map((place) => cells[place]));
        if (!numbers.has(key)) numbers.set(key, start + 1 + index);
      });
    }
    return forEach((item, index) => {
      // A value that is missing empties its cell if the columns were chosen.
      const given = columns();
      const row = options.fills ? Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value ?? ''])) : given;
      const key = keyOf(matching.map((name) => row[name]));
      const number = isNumber ? Number(row.row_number) : numbers.get(key);
      const { document } = options;
      const place = options.appends ? { index } : {};
      if (!Number.isInteger(number)) {
        if (!options.appends) return undefined;
        const written = n8n.without(row, ['row_number']);
        const header = names.length > 0 ? names : Object.keys(written);
        const lines = names.length > 0 || index > 0 ? [] : [header];
        return {
          json: { sheet, document, ...place, row: written, lines: [...lines, header.map((name) => writeCell(written[name]))] },
          pairedItem: index,
        };
      }
      const data = Object.entries(row).filter(
        ([name, value]) => places.has(name) && !matching.includes(name) && value !== undefined && value !== null,
      );
      const cells = data.map(([name, value]) => {
        const at = `${n8n.letters(column + places.get(name) + 1)}${number}`;
        return { range: `${sheet}!${at}`, values: [[writeCell(value)]] };
      });
      return { json: { sheet, document, ...place, row, data: cells }, pairedItem: index };
    }).filter((item) => item !== undefined);
  };

  /** The rows that were written, with their places if other rows are written elsewhere. */
  n8n.sheetWritten = () => items().map(({ json: { row, index } }) => (index === undefined ? row : { row, index }));
  /** The rows of both lists in the order of the items. */
  n8n.sheetGathered = () =>
    items()
      .map((item, at) => ({ ...item, at }))
      .sort((one, other) => one.json.index - other.json.index)
      .map(({ json, at }) => ({ json: json.row, pairedItem: at }));

  /** The items of `n8n.sheetUpdate` in two lists: those that update a row, and those that append one. */
  n8n.sheetChanges = () => {
    const all = items().map((item, index) => ({ ...item, pairedItem: index }));
    return { update: all.filter(({ json }) => json.data), append: all.filter(({ json }) => json.lines) };
  };
});
