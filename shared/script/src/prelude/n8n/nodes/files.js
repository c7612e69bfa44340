// n8n's nodes that turn items into files and back: Convert to File, Extract from File, Spreadsheet File and Move Binary Data.
(function (n8n) {
  'use strict';

  const toBytes = (file) => Buffer.from(file.base64, 'base64');
  const refuse = (what) => {
    throw new Error(`${what} is not possible in this node. Use the platform's nodes for documents and spreadsheets.`);
  };
  // n8n ignores the option for a byte order mark unless the options name an encoding.
  const encode = (text, options) => n8n.encodeText(text, options.encoding || 'utf8', Boolean(options.addBOM && options.encoding));
  const decode = (file, options) => {
    const bytes = toBytes(file);
    const { encoding } = options;
    const text = n8n.decodeText(bytes, encoding || n8n.guessEncoding(bytes));
    const keepsMark = encoding && options.stripBOM === false;
    return keepsMark ? text : n8n.withoutMark(text);
  };
  const withFile = (json, binary, name, file) => ({ json, binary: { ...binary, [name]: file } });
  const withoutFile = (binary, name) => {
    const { [name]: _, ...rest } = binary ?? {};
    return rest;
  };
  const put = (json, path, value) => n8n.setPath(n8n.copy(json), path, value);
  const requireValue = (json, path) => {
    const value = n8n.getPath(json, path);
    if (value === undefined) throw new Error(`The value in "${path}" is not set`);
    return value;
  };

  // --- Tables ---

  const escapeCell = (text) => n8n.escapeHtml(text).replace(/"/g, '&quot;').replace(/'/g, '&apos;');
  const htmlCell = (value, row, column) => {
    const id = `id="sjs-${n8n.letters(column + 1)}${row + 1}"`;
    if (value === undefined) return '<td></td>';
    if (value === null) return `<td data-t="z" ${id}></td>`;
    const type = typeof value === 'number' ? 'n' : typeof value === 'boolean' ? 'b' : 's';
    const shown = escapeCell(n8n.showCell(value)).replace(/\n/g, '<br/>');
    return `<td data-t="${type}" data-v="${type === 's' ? value : String(value)}" ${id}>${shown}</td>`;
  };
  const writeHtml = (table) => {
    const rows = table.map((row, i) => `<tr>${row.map((cell, j) => htmlCell(cell, i, j)).join('')}</tr>`);
    const head = '<html><head><meta charset="utf-8"/><title>SheetJS Table Export</title></head><body><table>';
    return head + rows.join('') + '</table></body></html>';
  };
  const writeRtf = (table) => {
    const row = (cells) => {
      const widths = cells.map((_, i) => `\\cellx${i + 1}`).join('');
      const contents = cells.map((cell) => (cell === undefined || cell === null ? '' : ` ${n8n.showCell(cell)}\\cell`)).join('');
      return `\\trowd\\trautofit1${widths}\\pard\\intbl${contents}\\pard\\intbl\\row`;
    };
    return `{\\rtf1\\ansi${table.map(row).join('')}}`;
  };
  const FORMATS = {
    __proto__: null,
    csv: (table, options) => '\ufeff' + n8n.writeCsv(table, options.delimiter || ','),
    html: writeHtml,
    rtf: writeRtf,
  };
  const writeTable = (parameters, format, defaultName) => {
    const items = n8n.received();
    if (FORMATS[format] === undefined) refuse(`Writing the format "${format}"`);
    // All items become one file, so the parameters are those of the first item.
    const options = n8n.read(parameters.options ?? {}, 0);
    const table = n8n.toTable(items, options.headerRow !== false);
    const file = n8n.makeFile(Buffer.from(FORMATS[format](table, options)), options.fileName || `${defaultName}.${format}`);
    const name = n8n.read(parameters.binaryPropertyName ?? 'data', 0);
    return [{ json: {}, binary: { [name]: file }, pairedItem: items.map((_, index) => ({ item: index })) }];
  };

  const readTable = (file, options) => {
    const encoding = options.encoding ?? 'utf8';
    const text = n8n.decodeText(toBytes(file), encoding);
    const hasHeader = options.headerRow !== false;
    const { enabled = false, maxSkippedRecords = -1 } = options.skipRecordsWithErrors?.value ?? {};
    const maxRows = options.maxRowCount ?? -1;
    if (maxRows === 0) throw new Error('Invalid Option: to must be a positive integer greater than 0, got 0');
    const rows = n8n.readCsv(options.enableBOM ? n8n.withoutMark(text) : text, {
      delimiter: options.delimiter || ',', relaxQuotes: Boolean(options.relaxQuotes), hasHeader, maxRows,
      fromLine: options.fromLine ?? 0, skip: enabled, maxSkipped: maxSkippedRecords,
    });
    const isKept = options.includeEmptyCells ? () => true : ([, cell]) => cell !== '';
    return rows.map((row) => {
      if (!hasHeader && options.includeEmptyCells) return { json: { row } };
      const cells = Object.fromEntries(Object.entries(row).filter(isKept));
      return { json: hasHeader ? cells : { row: cells } };
    });
  };

  // --- Convert to File ---

  const writeJson = (json, options) => {
    const bytes = encode(JSON.stringify(json, null, options.format ? 2 : undefined), options);
    return n8n.makeFile(bytes, options.fileName || 'file.json', 'application/json');
  };
  const writeText = (value, options) => {
    const isJson = typeof value === 'object';
    const text = isJson ? JSON.stringify(value) : String(value);
    return n8n.makeFile(encode(text, options), options.fileName || 'file.txt', isJson ? 'application/json' : 'text/plain');
  };
  const writeBinary = (value, options, version) => {
    const isBase64 = version >= 1.1 || options.dataIsBase64 !== false;
    if (isBase64 && typeof value !== 'string' && !Array.isArray(value)) {
      throw new TypeError('The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an ' +
        `Array-like Object. Received ${n8n.describeType(value)}`);
    }
    const isJson = !isBase64 && typeof value === 'object';
    const bytes = isBase64 ? Buffer.from(value, 'base64') : encode(isJson ? JSON.stringify(value) : String(value), options);
    return nameFile(bytes, options.fileName, options.mimeType || (isJson ? 'application/json' : undefined));
  };
  const nameFile = (bytes, name, type) => {
    const file = n8n.makeFile(bytes, name || undefined, type);
    if (name) return file;
    const extension = type ? n8n.extensionOf(type) : undefined;
    return { ...file, name: extension ? `file.${extension}` : 'file' };
  };

  n8n.convertToFile = (parameters, version) => {
    const operation = n8n.read(parameters.operation ?? 'csv', 0);
    if (FORMATS[operation] !== undefined) return writeTable(parameters, operation, 'File');
    if (!['toJson', 'toText', 'toBinary'].includes(operation)) refuse(`Writing the format "${operation}"`);
    const isOnce = operation === 'toJson' && n8n.read(parameters.mode ?? 'once', 0) === 'once';
    if (isOnce) {
      const items = n8n.received();
      const options = n8n.read(parameters.options ?? {}, 0);
      const file = writeJson(items.map((item) => item.json), options);
      const name = n8n.read(parameters.binaryPropertyName ?? 'data', 0);
      return [{ ...withFile({}, {}, name, file), pairedItem: items.map((_, index) => ({ item: index })) }];
    }
    return n8n.eachItem(parameters, (read, item) => {
      const options = read('options', {});
      const name = read('binaryPropertyName', 'data');
      if (operation === 'toJson') return withFile({}, {}, name, writeJson(item.json, options));
      const value = requireValue(item.json, read('sourceProperty', ''));
      return withFile({}, {}, name, operation === 'toText' ? writeText(value, options) : writeBinary(value, options, version));
    });
  };

  // --- Extract from File ---

  const parseFile = (text) => {
    if (text === '') return {};
    try {
      return JSON.parse(text);
    } catch {
      throw new Error("The file selected in 'Input Binary Field' is not in JSON format");
    }
  };
  const CONTENTS = {
    __proto__: null,
    binaryToPropery: (file) => file.base64,
    fromJson: (file, options) => parseFile(decode(file, options)),
    text: decode,
    xml: decode,
  };
  n8n.extractFromFile = (parameters) =>
    n8n.eachItem(parameters, (read, item, index) => {
      const operation = read('operation', 'csv');
      const options = read('options', {});
      const name = read('binaryPropertyName', 'data');
      if (operation === 'csv') return readTable(n8n.findFile(item, name, index), options);
      const readContents = CONTENTS[operation] ?? refuse(`Reading the format "${operation}"`);
      const value = readContents(n8n.findFile(item, name, index), options);
      const { keepSource } = options;
      const json = put(keepSource === 'json' || keepSource === 'both' ? item.json : {}, read('destinationKey', 'data'), value);
      const binary = keepSource === 'binary' || keepSource === 'both' ? item.binary : withoutFile(item.binary, name);
      return Object.keys(binary).length > 0 ? { json, binary } : { json };
    });

  // --- Spreadsheet File ---

  n8n.spreadsheetFile = (parameters, version) => {
    if (n8n.read(parameters.operation ?? 'fromFile', 0) === 'toFile') {
      return writeTable(parameters, n8n.read(parameters.fileFormat ?? 'xls', 0), 'spreadsheet');
    }
    return n8n.eachItem(parameters, (read, item, index) => {
      const file = n8n.findFile(item, read('binaryPropertyName', 'data'), index);
      const given = version < 2 ? 'autodetect' : read('fileFormat', 'autodetect');
      if (given === 'csv') return readTable(file, read('options', {}));
      if (given !== 'autodetect') refuse(`Reading the format "${given}"`);
      return n8n.tableOfText(file, read('options', {}), version) ?? refuse(`Reading a file of the type "${file.contentType}"`);
    });
  };
  /** The rows of a file whose format n8n finds out; undefined if it is no text. The other options belong to the format "csv". */
  n8n.tableOfText = (file, { headerRow, includeEmptyCells }, version) => {
    if (!file.contentType.startsWith('text/')) return undefined;
    const rows = readTable(file, { headerRow, includeEmptyCells });
    // Version 1 reads a text as a spreadsheet, whose cells have types.
    return version < 2 ? rows.map(typeRow) : rows;
  };
  const toCell = (text) => {
    if (text === 'TRUE' || text === 'FALSE') return text === 'TRUE';
    const plain = text.replace(/(\d),(?=\d)/g, '$1').replace(/^(-?)\$/, '$1');
    const isNumber = plain.trim() !== '' && Number.isFinite(Number(plain));
    return isNumber ? Number(plain) : text;
  };
  const typeRow = ({ json }) => {
    if (typeof json.row === 'object') {
      const length = Number(Object.keys(json.row).at(-1) ?? -1) + 1;
      return { json: { row: Array.from({ length }, (_, i) => (Object.hasOwn(json.row, i) ? toCell(json.row[i]) : null)) } };
    }
    return { json: Object.fromEntries(Object.entries(json).map(([name, cell]) => [name, toCell(cell)])) };
  };

  // --- Move Binary Data ---

  const binaryToJson = (read, item) => {
    const options = read('options', {});
    const name = read('sourceKey', 'data');
    const file = item.binary?.[name];
    // n8n leaves out the items without the file.
    if (file === undefined) return [];
    const binary = options.keepSource ? item.binary : withoutFile(item.binary, name);
    const rest = Object.keys(binary).length > 0 ? { binary } : {};
    if (read('setAllData', true)) {
      const value = JSON.parse(decode(file, options));
      return { json: n8n.isPlain(value) ? value : { data: value }, ...rest };
    }
    const value = options.keepAsBase64 ? file.base64 : options.jsonParse ? JSON.parse(decode(file, options)) : decode(file, options);
    return { json: put(item.json, read('destinationKey', 'data'), value), ...rest };
  };
  const jsonToBinary = (read, item, version) => {
    const options = read('options', {});
    const isWhole = read('convertAllData', true);
    const path = read('sourceKey', 'data');
    const value = isWhole ? item.json : n8n.getPath(item.json, path);
    if (value === undefined) return [];
    const isRaw = options.useRawData && !isWhole && typeof value !== 'object';
    const bytes = options.dataIsBase64 && !isWhole
      ? Buffer.from(String(value), 'base64')
      : encode(isRaw ? String(value) : JSON.stringify(value), options);
    const type = options.mimeType || (isRaw || (options.dataIsBase64 && !isWhole) ? undefined : 'application/json');
    const file = version < 1.1 && !options.fileName ? n8n.makeFile(bytes, undefined, type) : nameFile(bytes, options.fileName, type);
    let json = item.json;
    if (!options.keepSource) {
      json = isWhole ? {} : n8n.copy(item.json);
      if (!isWhole) n8n.deletePath(json, path);
    }
    return withFile(json, item.binary, read('destinationKey', 'data'), file);
  };
  n8n.moveBinaryData = (parameters, version) =>
    n8n.eachItem(parameters, (read, item) =>
      read('mode', 'binaryToJson') === 'binaryToJson' ? binaryToJson(read, item) : jsonToBinary(read, item, version));

  // --- Files of the machine ---

  const refuseDisk = () => {
    throw new Error('The platform has no disk of its own. Read the file from a URL or from a storage service.');
  };
  for (const type of ['readBinaryFile', 'readBinaryFiles', 'writeBinaryFile', 'readWriteFile']) n8n[type] = refuseDisk;
})
