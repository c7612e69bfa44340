// What imported nodes of services need: the rows of Google Sheets, messages of Gmail, files of Google Drive, pages of Notion, and
// others. The first argument is usually the body of an answer.
(function (n8n) {
  'use strict';

  const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
  const isGiven = (value) => value !== undefined && value !== null && value !== '';
  const list = (value) => (value === undefined || value === null ? [] : [].concat(value));
  const items = () => $input.all();
  /** Calls a function for each item of the input, with `$json` as this item. */
  const forEach = (make) => items().map((item, index) => n8n.withItem(index, () => make(item, index)));

  /** A value that may be JSON in a text. */
  n8n.parsed = (value) => (typeof value === 'string' ? (value.trim() ? JSON.parse(value) : undefined) : value);
  n8n.without = (object, names) => Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
  n8n.only = (object, names) => Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)));
  /** The id in the URL of a file or folder of Google. */
  n8n.idInUrl = (text) => /(?:\/d\/|\/folders\/|[?&]id=)([\w-]+)/.exec(String(text))?.[1] ?? text;

  // --- Google Sheets ---

  n8n.sheetNumber = (value) => Number(/(?:gid=)?(\d+)$/.exec(String(value))?.[1] ?? 0);
  n8n.sheetRange = (title, cells) => `'${String(title).replaceAll("'", "''")}'${cells ? `!${cells}` : ''}`;

  const columnNumber = (letters) => [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
  const columnLetters = (column) => {
    let letters = '';
    for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
      letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
    }
    return letters;
  };

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
    const matches = (fields) => ([name, value]) => String(fields[name] ?? '') === String(value ?? '');
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
      lines.push(names.map((name) => writeCell(row[name])));
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
      const row = columns();
      const key = keyOf(matching.map((name) => row[name]));
      const number = isNumber ? Number(row.row_number) : numbers.get(key);
      const { document } = options;
      if (!Number.isInteger(number)) {
        if (!options.appends) return undefined;
        const written = n8n.without(row, ['row_number']);
        const header = names.length > 0 ? names : Object.keys(written);
        const lines = names.length > 0 || index > 0 ? [] : [header];
        return { json: { sheet, document, row: written, lines: [...lines, header.map((name) => writeCell(written[name]))] }, pairedItem: index };
      }
      const data = Object.entries(row).filter(([name, value]) => places.has(name) && value !== undefined && value !== null);
      const cells = data.map(([name, value]) => {
        const at = `${columnLetters(column + places.get(name))}${number}`;
        return { range: `${sheet}!${at}`, values: [[writeCell(value)]] };
      });
      return { json: { sheet, document, row, data: cells }, pairedItem: index };
    }).filter((item) => item !== undefined);
  };

  /** The items of `n8n.sheetUpdate`, by what is done with them. */
  n8n.sheetChanges = () => {
    const all = items().map((item, index) => ({ ...item, pairedItem: index }));
    return { update: all.filter(({ json }) => json.data), append: all.filter(({ json }) => json.lines) };
  };

  // --- Files ---

  const contentOf = (file) => file?.base64 ?? file?.data ?? '';
  n8n.textFile = (text, contentType = 'text/plain') => ({
    base64: Buffer.from(String(text), 'utf8').toString('base64'), contentType: `${contentType}; charset=utf-8`,
  });

  /** The files of the item, by the names of their properties. */
  n8n.files = (names) => {
    const named = list(typeof names === 'string' ? names.split(',') : names).map((name) => String(name).trim());
    return named.filter((name) => $binary?.[name]).map((name) => {
      const file = $binary[name];
      const base64 = contentOf(file);
      return { name: file.name ?? file.fileName ?? name, contentType: file.contentType ?? file.mimeType, base64 };
    });
  };

  /** A body of the type multipart/related: properties as JSON, and a file. */
  n8n.related = (properties, file, boundary) => {
    if (!file) throw new Error('The item has no such file');
    const contentType = file.contentType ?? file.mimeType ?? 'application/octet-stream';
    const parts = [
      `Content-Type: application/json; charset=utf-8\r\n\r\n${JSON.stringify(properties)}`,
      `Content-Type: ${contentType}\r\nContent-Transfer-Encoding: base64\r\n\r\n${contentOf(file)}`,
    ];
    return `${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')}--${boundary}--`;
  };

  // --- Google Drive ---

  const EXPORTS = {
    document: ['docsToFormat', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    presentation: ['slidesToFormat', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
    spreadsheet: ['sheetsToFormat', 'text/csv'],
    drawing: ['drawingsToFormat', 'image/jpeg'],
  };

  /** Where the content of a file is, with the item that asks for it. */
  n8n.driveFile = (file, { property = 'data', name, formats = {} } = {}) => {
    const base = `https://www.googleapis.com/drive/v3/files/${encodeURIComponent(file.id)}`;
    const kind = /^application\/vnd\.google-apps\.(\w+)$/.exec(file.mimeType)?.[1];
    const [option, standard] = EXPORTS[kind] ?? [undefined, kind && 'application/pdf'];
    const mimeType = kind ? (formats[option] ?? standard) : file.mimeType;
    const url = kind ? `${base}/export?mimeType=${encodeURIComponent(mimeType)}` : `${base}?alt=media&supportsAllDrives=true`;
    return { json: { url, property, name: name ?? file.name, mimeType, item: $json }, binary: $binary };
  };

  n8n.driveContent = ({ body }) => {
    const { item, property, name, mimeType } = $json;
    const isFile = isObject(body) && typeof body.base64 === 'string' && Object.keys(body).length <= 2;
    const text = typeof body === 'string' ? body : JSON.stringify(body ?? '');
    const base64 = isFile ? body.base64 : Buffer.from(text, 'utf8').toString('base64');
    return { json: item, binary: { ...$binary, [property]: { base64, contentType: mimeType, name } } };
  };

  n8n.driveQuery = ({ query, name, folder, what, types, includesTrash }) => {
    const quoted = (text) => `'${String(text).replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
    const parts = [];
    if (isGiven(query)) parts.push(String(query));
    if (isGiven(name)) parts.push(`name contains ${quoted(name)}`);
    if (isGiven(folder)) parts.push(`${quoted(folder)} in parents`);
    if (what === 'folders') parts.push("mimeType = 'application/vnd.google-apps.folder'");
    if (what === 'files') parts.push("mimeType != 'application/vnd.google-apps.folder'");
    const kinds = list(types).filter((type) => type !== '*');
    if (kinds.length > 0) parts.push(`(${kinds.map((type) => `mimeType = ${quoted(type)}`).join(' or ')})`);
    if (!includesTrash && !/\btrashed\b/.test(parts[0] ?? '')) parts.push('trashed = false');
    return parts.length > 0 ? parts.join(' and ') : undefined;
  };

  // --- Gmail ---

  const encodeBase64 = (text) => Buffer.from(text, 'utf8').toString('base64');
  const forUrl = (base64) => base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  const decode = (text) => Buffer.from(String(text ?? '').replaceAll('-', '+').replaceAll('_', '/'), 'base64').toString('utf8');
  const lines = (base64) => base64.replace(/(.{76})/g, '$1\r\n');
  const oneLine = (text) => String(text).replace(/[\r\n]+/g, ' ').trim();
  const isAscii = (text) => /^[\x20-\x7e]*$/.test(text);

  /** A header, whose other characters are encoded in words of at most 75 characters. */
  const headerText = (text) => {
    const line = oneLine(text);
    if (isAscii(line)) return line;
    const words = [];
    const characters = [...line];
    for (let at = 0; at < characters.length; at += 10) {
      words.push(`=?UTF-8?B?${encodeBase64(characters.slice(at, at + 10).join(''))}?=`);
    }
    return words.join('\r\n ');
  };
  const addresses = (value) => list(value).map(oneLine).filter((address) => address !== '').join(', ');

  /** A message as MIME, in Base64 for URLs. */
  n8n.mime = ({ to, cc, bcc, replyTo, subject = '', text, html, inReplyTo, references, files = [] }) => {
    const headers = [];
    const add = (name, value) => {
      if (isGiven(value)) headers.push(`${name}: ${value}`);
    };
    add('To', addresses(to));
    add('Cc', addresses(cc));
    add('Bcc', addresses(bcc));
    add('Reply-To', addresses(replyTo));
    add('Subject', headerText(subject ?? ''));
    add('In-Reply-To', inReplyTo && oneLine(inReplyTo));
    add('References', references && oneLine(references));
    add('MIME-Version', '1.0');
    const part = (kind, content) =>
      `Content-Type: text/${kind}; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${lines(encodeBase64(String(content ?? '')))}`;
    const multipart = (kind, boundary, parts) =>
      `Content-Type: multipart/${kind}; boundary="${boundary}"\r\n\r\n${parts.map((one) => `--${boundary}\r\n${one}\r\n`).join('')}--${boundary}--`;
    const texts = [text !== undefined && part('plain', text), html !== undefined && part('html', html)].filter(Boolean);
    let content = texts.length > 1 ? multipart('alternative', 'atelier-text', texts) : (texts[0] ?? part('plain', ''));
    if (files.length > 0) {
      const attached = files.map(({ name, contentType = 'application/octet-stream', base64 }) => {
        const named = headerText(name).replaceAll('"', "'");
        return `Content-Type: ${contentType}; name="${named}"\r\nContent-Disposition: attachment; filename="${named}"\r\n` +
          `Content-Transfer-Encoding: base64\r\n\r\n${lines(base64)}`;
      });
      content = multipart('mixed', 'atelier-files', [content, ...attached]);
    }
    return forUrl(encodeBase64(`${headers.join('\r\n')}\r\n${content}`));
  };

  const headersOf = (message) => {
    const headers = {};
    for (const { name, value } of message.payload?.headers ?? []) headers[name.toLowerCase()] ??= value;
    return headers;
  };

  /** The answer to a message, or to the last one of a conversation. */
  n8n.gmailReply = (body, message, { onlySender = false } = {}) => {
    const original = body.messages?.at(-1) ?? body;
    const headers = headersOf(original);
    const sender = headers['reply-to'] ?? headers.from;
    const others = onlySender ? [] : [headers.to];
    const subject = headers.subject ?? '';
    return {
      raw: n8n.mime({
        to: message.to ?? [sender, ...others].filter(isGiven),
        ...message,
        subject: /^re:/i.test(subject) ? subject : `Re: ${subject}`,
        inReplyTo: headers['message-id'],
        references: [headers.references, headers['message-id']].filter(isGiven).join(' '),
      }),
      threadId: original.threadId ?? body.id,
    };
  };

  /** A message in the simple form of n8n. */
  n8n.gmailSimple = (message) => {
    const { payload, labelIds = [], ...rest } = message;
    const fields = { ...rest, payload: { mimeType: payload?.mimeType }, labels: labelIds.map((id) => ({ id, name: id })) };
    for (const { name, value } of payload?.headers ?? []) {
      if (['From', 'To', 'Cc', 'Bcc', 'Subject'].includes(name)) fields[name] = value;
    }
    return fields;
  };

  const partsOf = (payload) => [payload, ...(payload?.parts ?? []).flatMap(partsOf)].filter(Boolean);
  const parseAddresses = (text) => {
    if (!isGiven(text)) return undefined;
    const value = text.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/).map((one) => {
      const [, name = '', address] = /^\s*"?(.*?)"?\s*<([^>]*)>\s*$/.exec(one) ?? [undefined, '', one.trim()];
      return { address, name };
    });
    return { value, text };
  };

  /** A message with its texts. */
  n8n.gmailMessage = (message) => {
    const headers = headersOf(message);
    const parts = partsOf(message.payload);
    const textOf = (type) => {
      const found = parts.filter((part) => part.mimeType === type && part.body?.data && !part.filename);
      return found.length > 0 ? found.map((part) => decode(part.body.data)).join('\n') : undefined;
    };
    const text = textOf('text/plain');
    const html = textOf('text/html');
    const files = parts.filter((part) => part.filename && part.body?.attachmentId);
    const date = headers.date === undefined ? undefined : new Date(headers.date);
    const fields = {
      id: message.id, threadId: message.threadId, labelIds: message.labelIds, sizeEstimate: message.sizeEstimate,
      headers: Object.fromEntries((message.payload?.headers ?? []).map(({ name, value }) => [name.toLowerCase(), `${name}: ${value}`])),
      html, text: text ?? (html === undefined ? undefined : html.replace(/<[^>]*>/g, '')),
      textAsHtml: text === undefined ? undefined : `<p>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\n', '<br/>')}</p>`,
      subject: headers.subject, date: date && !Number.isNaN(date.getTime()) ? date.toISOString() : undefined,
      to: parseAddresses(headers.to), cc: parseAddresses(headers.cc), from: parseAddresses(headers.from),
      messageId: headers['message-id'], inReplyTo: headers['in-reply-to'],
      attachments: files.length > 0 ? files.map((part) => ({
        attachmentId: part.body.attachmentId, name: part.filename, contentType: part.mimeType, messageId: message.id,
      })) : undefined,
    };
    return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  };

  /** The files of the messages, each as an item, and the messages. */
  n8n.gmailFiles = (prefix) => {
    const all = items();
    const files = all.flatMap((item, index) =>
      (item.json.attachments ?? []).map((file, place) => ({ json: { ...file, key: `${prefix}${place}`, index }, pairedItem: index })),
    );
    return { files, messages: all.map((item, index) => ({ ...item, pairedItem: index })) };
  };

  /** The messages with their files, which `n8n.gmailFiles` named. */
  n8n.gmailWithFiles = () => {
    const [messages, files] = [[], []];
    for (const item of $inputs.flat()) (item.json.key === undefined ? messages : files).push(item);
    return messages.map((item, index) => {
      const own = files.filter(({ json }) => json.index === index);
      const binary = own.map(({ json }) => [json.key, {
        base64: String(json.data ?? '').replaceAll('-', '+').replaceAll('_', '/'), contentType: json.contentType, name: json.name,
      }]);
      return { json: n8n.without(item.json, ['attachments']), binary: Object.fromEntries(binary), pairedItem: index };
    });
  };

  n8n.gmailQuery = ({ q, readStatus, receivedAfter, receivedBefore, sender }) => {
    const seconds = (time) => {
      const number = Number(time);
      const date = Number.isNaN(number) ? new Date(time?.toISO?.() ?? time) : new Date(number < 1e11 ? number * 1000 : number);
      return Math.floor(date.getTime() / 1000);
    };
    const parts = [q];
    if (readStatus === 'read' || readStatus === 'unread') parts.push(`is:${readStatus}`);
    if (isGiven(receivedAfter)) parts.push(`after:${seconds(receivedAfter)}`);
    if (isGiven(receivedBefore)) parts.push(`before:${seconds(receivedBefore)}`);
    if (isGiven(sender)) parts.push(`from:${sender}`);
    return parts.filter(isGiven).join(' ') || undefined;
  };

  // --- Slack and Discord ---

  /** The answer of Slack, whose errors have status 200. */
  n8n.slackAnswer = (body) => {
    if (body?.ok === false) throw new Error(`Slack answered with the error "${body.error}"`);
    return body;
  };
  n8n.slackBlocks = (value) => {
    const parsed = n8n.parsed(value);
    return Array.isArray(parsed) ? parsed : parsed?.blocks;
  };
  n8n.discordColor = (color) => (typeof color === 'string' ? parseInt(color.replace('#', ''), 16) || 0 : color);

  // --- Airtable ---

  n8n.airtableRecord = ({ id, createdTime, fields }, names) => ({ id, createdTime, ...(Array.isArray(names) ? n8n.only(fields, names) : fields) });
  n8n.airtableMatch = (columns) => {
    const equal = ([name, value]) => {
      const literal = typeof value === 'number' || typeof value === 'boolean' ? Number(value) : `'${String(value ?? '').replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
      return `{${name}} = ${literal}`;
    };
    return `AND(${Object.entries(columns).map(equal).join(', ')})`;
  };

  // --- Notion ---

  n8n.notionId = (value) => {
    const text = String(value);
    return /([0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:[?#].*)?$/i.exec(text.split('?')[0])?.[1] ?? text;
  };
  const richText = (content) => {
    const text = String(content ?? '');
    const pieces = [];
    // A piece of text has at most 2,000 characters.
    for (let at = 0; at < Math.max(text.length, 1); at += 2000) pieces.push({ text: { content: text.slice(at, at + 2000) } });
    return pieces;
  };
  const annotated = (text) => list(text?.text).map((piece) => ({
    type: 'text',
    text: { content: String(piece.text ?? ''), ...(piece.isLink && piece.textLink ? { link: { url: piece.textLink } } : {}) },
    annotations: piece.annotationUi ?? {},
  }));
  const isoDate = (value, hasTime, zone) => {
    const date = value?.toISO ? value : DateTime.fromISO(value instanceof Date ? value.toISOString() : String(value), { setZone: true });
    if (!date.isValid) return String(value);
    return hasTime === false ? date.toFormat('yyyy-MM-dd') : (zone ? date.setZone(zone) : date).toISO();
  };
  const splitNames = (value) => (typeof value === 'string' ? value.split(',').map((name) => name.trim()).filter((name) => name !== '') : list(value));

  const property = (value, type) => {
    const zone = value.timezone && value.timezone !== 'default' ? value.timezone : undefined;
    switch (type) {
      case 'title': return { title: richText(value.title) };
      case 'rich_text': return { rich_text: value.richText === true ? annotated(value.text) : richText(value.textContent ?? value.text) };
      case 'number': return isGiven(value.numberValue) ? { number: Number(value.numberValue) } : undefined;
      case 'checkbox': return { checkbox: value.checkboxValue === true };
      case 'url': return { url: isGiven(value.urlValue) ? value.urlValue : null };
      case 'email': return { email: isGiven(value.emailValue) ? value.emailValue : null };
      case 'phone_number': return { phone_number: isGiven(value.phoneValue) ? String(value.phoneValue) : null };
      case 'select': return isGiven(value.selectValue) ? { select: { name: value.selectValue } } : undefined;
      case 'status': return isGiven(value.statusValue) ? { status: { name: value.statusValue } } : undefined;
      case 'multi_select': return { multi_select: splitNames(value.multiSelectValue).map((name) => ({ name })) };
      case 'relation': return { relation: list(value.relationValue).flatMap(splitNames).map((id) => ({ id: n8n.notionId(id) })) };
      case 'people': return { people: splitNames(value.peopleValue).map((id) => ({ id })) };
      case 'date': {
        const start = value.range === true ? value.dateStart : value.date;
        if (!isGiven(start)) return undefined;
        const end = value.range === true && isGiven(value.dateEnd) ? isoDate(value.dateEnd, value.includeTime, zone) : null;
        return { date: { start: isoDate(start, value.includeTime, zone), end } };
      }
      case 'files': return { files: list(value.fileUrls?.fileUrl).map(({ name, url }) => ({ name, type: 'external', external: { url } })) };
      default: return undefined;
    }
  };

  /** The properties of a page, from the parameters of n8n: `key` is the name and the type of a property. */
  n8n.notionProperties = (values, title) => {
    const properties = {};
    for (const value of values) {
      const key = String(value.key ?? '');
      const at = key.lastIndexOf('|');
      const [name, type] = at < 0 ? [key, value.type] : [key.slice(0, at), key.slice(at + 1)];
      const written = property(value, type);
      if (written !== undefined) properties[name] = written;
    }
    if (isGiven(title) && !Object.values(properties).some((value) => value.title)) properties.title = { title: richText(title) };
    return properties;
  };

  n8n.notionBlocks = (blocks) => blocks.map(({ type = 'paragraph', textContent, text, richText: isRich, checked, url }) => {
    if (type === 'image') return { object: 'block', type, image: { type: 'external', external: { url } } };
    const block = { rich_text: isRich === true && isObject(text) ? annotated(text) : richText(textContent ?? text) };
    if (type === 'to_do') block.checked = checked === true;
    return { object: 'block', type, [type]: block };
  });

  const FILTER_VALUES = {
    title: 'titleValue', rich_text: 'richTextValue', number: 'numberValue', checkbox: 'checkboxValue', select: 'selectValue',
    status: 'statusValue', multi_select: 'multiSelectValue', date: 'date', url: 'urlValue', email: 'emailValue',
    phone_number: 'phoneNumberValue', relation: 'relationValue', people: 'peopleValue', created_time: 'createdTimeValue',
    last_edited_time: 'lastEditedTime',
  };

  n8n.notionFilter = (conditions, join) => {
    const filters = conditions.filter(({ key }) => isGiven(key)).map((condition) => {
      const at = String(condition.key).lastIndexOf('|');
      const [name, type] = [String(condition.key).slice(0, at), String(condition.key).slice(at + 1)];
      const operator = condition.condition ?? 'equals';
      let value = condition[FILTER_VALUES[type]] ?? condition.textValue;
      if (['is_empty', 'is_not_empty'].includes(operator)) value = true;
      else if (/^(past|next|this)_/.test(operator)) value = {};
      else if (['date', 'created_time', 'last_edited_time'].includes(type)) value = isoDate(value);
      else if (type === 'number') value = Number(value);
      else if (type === 'checkbox') value = value === true;
      if (['created_time', 'last_edited_time'].includes(type)) return { timestamp: type, [type]: { [operator]: value } };
      if (type === 'formula') {
        const kind = condition.returnType === 'text' ? 'string' : (condition.returnType ?? 'string');
        return { property: name, formula: { [kind]: { [operator]: value } } };
      }
      return { property: name, [type === 'title' || type === 'rich_text' ? type : type]: { [operator]: value } };
    });
    return filters.length > 0 ? { [join]: filters } : undefined;
  };

  n8n.notionSorts = (sorts) => sorts.map(({ key, timestamp, direction = 'ascending' }) => (
    timestamp === true ? { timestamp: key, direction } : { property: String(key).replace(/\|[^|]*$/, ''), direction }
  ));

  const plainText = (pieces) => list(pieces).map((piece) => piece.plain_text ?? piece.text?.content ?? '').join('');
  const simpleValue = (value) => {
    const { type } = value;
    const content = value[type];
    switch (type) {
      case 'title': case 'rich_text': return plainText(content);
      case 'select': case 'status': return content?.name ?? null;
      case 'multi_select': return content.map(({ name }) => name);
      case 'people': return content.map(({ person, name }) => person?.email ?? name);
      case 'relation': return content.map(({ id }) => id);
      case 'files': return content.map((file) => (file.external ?? file.file)?.url);
      case 'created_by': case 'last_edited_by': return content?.person?.email ?? content?.name;
      case 'formula': return content?.[content.type];
      case 'rollup': return content?.type === 'array' ? content.array.map(simpleValue) : content?.[content?.type];
      case 'unique_id': return content?.prefix ? `${content.prefix}-${content.number}` : content?.number;
      default: return content;
    }
  };
  const snakeCase = (name) => name.trim().replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/[^\p{L}\p{N}]+/gu, '_').replace(/^_+|_+$/g, '').toLowerCase();

  /** A page or database in the simple form of n8n. */
  n8n.notionPage = (page) => {
    const { id, url, icon, cover, object, properties = {} } = page;
    if (object === 'database') return { id, name: plainText(page.title), url, icon, cover };
    const fields = { id };
    const named = Object.entries(properties);
    const title = named.find(([, value]) => value.type === 'title')?.[1];
    fields.name = title ? plainText(title.title) : '';
    fields.url = url;
    for (const [name, value] of named) fields[`property_${snakeCase(name)}`] = simpleValue(value);
    return fields;
  };
  n8n.notionBlock = (block) => {
    const { id, type, parent, has_children: hasChildren } = block;
    const content = block[type] ?? {};
    return { object: 'block', id, type, root_id: parent?.page_id ?? parent?.block_id, has_children: hasChildren, content: plainText(content.rich_text ?? content.caption) || content.url };
  };

  // --- Feeds and SQL ---

  /** The entries of a feed, by the names of n8n. */
  n8n.feedItems = ({ items: entries }) => entries.map((entry) => {
    const plain = String(entry.content ?? entry.summary ?? '').replace(/<[^>]*>/g, '').trim();
    const fields = {
      creator: entry.author, title: entry.title, link: entry.link, pubDate: entry.published ?? entry.updated,
      author: entry.author, content: entry.content ?? entry.summary, contentSnippet: plain, guid: entry.id,
      categories: entry.categories.length > 0 ? entry.categories : undefined, isoDate: entry.published ?? entry.updated,
      enclosure: entry.attachments[0] && { url: entry.attachments[0].url, type: entry.attachments[0].contentType, length: entry.attachments[0].bytes },
    };
    return Object.fromEntries(Object.entries(fields).filter(([, value]) => isGiven(value)));
  });

  /** The values of placeholders: a list, or a text with commas. */
  n8n.sqlValues = (value) => (Array.isArray(value) ? value : typeof value === 'string' ? value.split(',').map((part) => part.trim()) : isGiven(value) ? [value] : []);

  // --- Google Calendar and Docs ---

  const toDate = (value) => {
    if (value?.toISO) return value;
    const text = value instanceof Date ? value.toISOString() : String(value);
    const date = DateTime.fromISO(text.trim().replace(/^(\d{4}-\d\d-\d\d) (\d\d:)/, '$1T$2'), { setZone: true });
    return date.isValid ? date : DateTime.fromJSDate(new Date(text));
  };
  /** A time as the services write it. */
  n8n.calendarTime = (value) => {
    if (!isGiven(value)) return undefined;
    const date = toDate(value);
    return date.isValid ? date.toISO() : String(value);
  };
  n8n.milliseconds = (value) => (isGiven(value) ? toDate(value).toMillis() : undefined);
  n8n.slackTime = (value) => (isGiven(value) ? (/^\d+(\.\d+)?$/.test(String(value)) ? String(value) : String(toDate(value).toMillis() / 1000)) : undefined);

  /** An event from the parameters of n8n. */
  n8n.calendarEvent = ({ start, end, fields = {}, reminders, useDefaultReminders }) => {
    const [from, to] = [fields.start ?? start, fields.end ?? end];
    const isDay = fields.allday === 'yes';
    const timeZone = isObject(fields.timezone) ? fields.timezone.value : fields.timezone;
    const at = (value) => {
      if (!isGiven(value)) return undefined;
      if (isObject(value) && !value.toISO) return value;
      return isDay ? { date: toDate(value).toFormat('yyyy-MM-dd') } : { dateTime: n8n.calendarTime(value), timeZone };
    };
    const guests = [...list(fields.attendees), ...list(fields.attendeesUi?.values?.attendees)];
    const conference = fields.conferenceDataUi?.conferenceDataValues?.conferenceSolution;
    const overrides = list(reminders?.remindersValues).map(({ method = 'email', minutes = 0 }) => ({ method, minutes }));
    const rule = [
      isGiven(fields.repeatFrecuency) && `FREQ=${String(fields.repeatFrecuency).toUpperCase()}`,
      isGiven(fields.repeatHowManyTimes) && `COUNT=${fields.repeatHowManyTimes}`,
      isGiven(fields.repeatUntil) && `UNTIL=${toDate(fields.repeatUntil).toUTC().toFormat("yyyyMMdd'T'HHmmss'Z'")}`,
    ].filter(Boolean).join(';');
    return {
      summary: fields.summary, description: fields.description, location: fields.location, start: at(from), end: at(to),
      attendees: guests.length > 0 ? guests.flatMap((guest) => String(guest).split(',')).map((email) => ({ email: email.trim() })) : undefined,
      colorId: fields.color, visibility: fields.visibility, transparency: fields.showMeAs, id: fields.id,
      guestsCanInviteOthers: fields.guestsCanInviteOthers, guestsCanModify: fields.guestsCanModify,
      guestsCanSeeOtherGuests: fields.guestsCanSeeOtherGuests, maxAttendees: fields.maxAttendees,
      recurrence: isGiven(fields.rrule) ? [`RRULE:${fields.rrule}`] : (rule ? [`RRULE:${rule}`] : undefined),
      reminders: useDefaultReminders === false ? { useDefault: false, overrides } : undefined,
      conferenceData: isGiven(conference)
        ? { createRequest: { requestId: crypto.randomUUID(), conferenceSolutionKey: { type: conference } } } : undefined,
    };
  };

  n8n.docsRequests = (actions) => actions.map((action) => {
    const { object = 'text', text = '', replaceText = '', matchCase = false, index, locationChoice } = action;
    const place = locationChoice === 'location' && isGiven(index) ? { location: { index: Number(index) } } : { endOfSegmentLocation: {} };
    if (action.action === 'replaceAll') return { replaceAllText: { containsText: { text, matchCase }, replaceText: String(replaceText ?? '') } };
    if (object === 'pageBreak') return { insertPageBreak: place };
    if (object === 'table') return { insertTable: { rows: Number(action.rows ?? 1), columns: Number(action.columns ?? 1), ...place } };
    if (action.action === 'insert' || action.action === undefined) return { insertText: { text: String(text ?? ''), ...place } };
    throw new Error(`The change "${action.action}" of "${object}" is not supported`);
  });

  /** A document with its text. */
  n8n.docsText = (document) => {
    const read = (content) => list(content).map((element) => {
      if (element.paragraph) return list(element.paragraph.elements).map((piece) => piece.textRun?.content ?? '').join('');
      if (element.table) return element.table.tableRows.flatMap((row) => row.tableCells.map((cell) => read(cell.content))).join('');
      return '';
    }).join('');
    return { documentId: document.documentId, content: read(document.body?.content) };
  };

  // --- HubSpot ---

  const HUBSPOT_NAMES = {
    companyName: 'company', companyDomainName: 'domain', websiteUrl: 'website', phoneNumber: 'phone', mobilePhoneNumber: 'mobilephone',
    streetAddress: 'address', postalCode: 'zip', countryRegion: 'country', stateRegion: 'state', jobTitle: 'jobtitle', contactOwner: 'hubspot_owner_id',
    companyOwner: 'hubspot_owner_id', dealOwner: 'hubspot_owner_id', ticketOwnerId: 'hubspot_owner_id', dealName: 'dealname', dealType: 'dealtype',
    closeDate: 'closedate', stage: 'dealstage', dealStage: 'dealstage', ticketName: 'subject', description: 'description', lifeCycleStage: 'lifecyclestage',
    lifecycleStatus: 'hs_lead_status', leadStatus: 'hs_lead_status', numberOfEmployees: 'numberofemployees', annualRevenue: 'annualrevenue', yearFounded: 'founded_year',
    linkedInCompanyPage: 'linkedin_company_page', linkedinUrl: 'hs_linkedin_url', twitterHandle: 'twitterhandle', twitterBio: 'twitterbio',
    twitterFollowers: 'twitterfollowers', totalMoneyRaised: 'total_money_raised', companySize: 'company_size', priority: 'hs_ticket_priority',
    stageId: 'hs_pipeline_stage', pipelineId: 'hs_pipeline', category: 'hs_ticket_category', membershipNote: 'membership_note',
    originalSource: 'hs_analytics_source', timezone: 'timezone', targetAccount: 'hs_target_account', aboutUs: 'about_us',
  };
  const NO_PROPERTIES = ['customPropertiesUi', 'properties', 'propertiesCollection', 'associations', 'associatedVids', 'associatedCompany', 'associatedCompanyIds', 'associatedContactIds', 'customFields', 'resolveData'];

  /** The properties of a record, from the fields of n8n. */
  n8n.hubspotFields = (kind, { fields = {}, ...more }) => {
    const properties = { ...more };
    for (const [name, value] of Object.entries(fields)) {
      const content = isObject(value) && 'value' in value ? value.value : value;
      if (NO_PROPERTIES.includes(name) || !isGiven(content)) continue;
      const known = kind === 'ticket' && name === 'description' ? 'content' : (HUBSPOT_NAMES[name] ?? name.toLowerCase());
      properties[known] = name === 'closeDate' ? n8n.milliseconds(content) : content;
    }
    for (const { property: name, value } of list(fields.customPropertiesUi?.customPropertiesValues)) {
      if (isGiven(name)) properties[String(isObject(name) ? name.value : name).split('|')[0]] = value;
    }
    return { ...properties, ...(fields.customFields ?? {}) };
  };

  /** A record with the form of HubSpot's older answers, which n8n gives. */
  n8n.hubspotRecord = ({ id, properties = {}, createdAt, updatedAt, archived }, name) => ({
    [name]: Number(id), isDeleted: archived === true,
    properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, { value }])),
    addedAt: createdAt && Date.parse(createdAt), updatedAt: updatedAt && Date.parse(updatedAt),
  });
  n8n.hubspotFilters = (groups) => list(groups).map(({ filtersUi }) => ({
    filters: list(filtersUi?.filterValues).filter(({ propertyName }) => isGiven(propertyName)).map(({ propertyName, operator = 'EQ', value, values, highValue }) => ({
      propertyName: String(isObject(propertyName) ? propertyName.value : propertyName).split('|')[0], operator,
      ...(['HAS_PROPERTY', 'NOT_HAS_PROPERTY'].includes(operator) ? {} : { value: isGiven(value) ? String(value) : value, values, highValue }),
    })),
  }));
  n8n.hubspotSince = (since, propertyName) => [{ filters: [{ propertyName, operator: 'GTE', value: String(n8n.milliseconds(since)) }] }];
  n8n.hubspotEngagement = ({ type = 'note', timestamp, ownerId }) => ({ type: String(type).toUpperCase(), ownerId, timestamp: n8n.milliseconds(timestamp) });
  n8n.hubspotAssociations = (associations) => {
    const named = Object.entries(associations ?? {}).filter(([name]) => name.endsWith('Ids'));
    return Object.fromEntries(named.map(([name, value]) => [name, list(value).flatMap((ids) => String(ids).split(',')).map((id) => Number(id.trim()))]));
  };

  // --- Supabase ---

  /** Conditions of PostgREST. */
  n8n.supabaseFilter = ({ conditions, match, text, type }) => {
    if (isGiven(text) && (type === 'string' || !conditions)) {
      const parts = String(text).split('&').filter((part) => part.includes('='));
      const written = parts.map((part) => {
        const at = part.indexOf('=');
        const [name, value] = [part.slice(0, at).trim(), part.slice(at + 1).trim()];
        return ['and', 'or'].includes(name) ? `${name}${value}` : `${name}.${value}`;
      });
      return written.length > 0 ? `(${written.join(',')})` : undefined;
    }
    const quoted = (value) => (/[,.:()"\\\s]/.test(String(value)) ? `"${String(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"` : String(value));
    const written = list(conditions).filter(({ keyName }) => isGiven(keyName)).map(({ keyName, condition = 'eq', keyValue, searchFunction }) => {
      const operator = condition === 'fullText' ? (searchFunction ?? 'fts') : condition;
      return `${quoted(keyName)}.${operator}.${operator === 'is' ? keyValue : quoted(keyValue ?? '')}`;
    });
    if (written.length === 0) return undefined;
    return match === 'allFilters' || written.length === 1 ? `(${written.join(',')})` : `(or(${written.join(',')}))`;
  };

  // --- GitHub and GitLab ---

  /** The name of an owner or a repository, which may be in its URL. */
  n8n.githubName = (value) => String(value).replace(/\/+$/, '').replace(/\.git$/, '').split('/').at(-1);
  n8n.githubContent = ({ text = '', binary, property = 'data' }) => {
    if (binary === true) return contentOf($binary[property]);
    return encodeBase64(isObject(text) || Array.isArray(text) ? JSON.stringify(text) : String(text));
  };
  /** A file of a repository as a file of the item. */
  n8n.githubFile = ({ name, file_name: fileName = name, content = '' }, property = 'data') => ({
    json: $json, binary: { ...$binary, [property]: { base64: String(content).replaceAll('\n', ''), contentType: 'application/octet-stream', name: fileName } },
  });
  n8n.gitlabProject = ({ owner, repo }) => [owner, repo].filter(isGiven).join('/');

  // --- Jira, Linear and Zendesk ---

  const idOf = (value) => (isObject(value) ? value.value : value);
  const jiraText = (text) => ({
    type: 'doc', version: 1, content: String(text).split('\n').map((line) => ({ type: 'paragraph', content: line ? [{ type: 'text', text: line }] : [] })),
  });
  const named = (value, field) => (/^\d+$/.test(String(value)) ? { id: String(value) } : { [field]: String(value) });
  n8n.jiraFields = ({ project, issueType, summary, description, fields = {} }) => {
    const text = description ?? fields.description;
    const [assignee, reporter, priority] = [idOf(fields.assignee), idOf(fields.reporter), idOf(fields.priority)];
    const custom = list(fields.customFieldsUi?.customFieldsValues).map(({ fieldId, fieldValue }) => [idOf(fieldId), fieldValue]);
    return {
      summary: fields.summary ?? summary, project: isGiven(project) ? named(idOf(project), 'key') : undefined,
      issuetype: isGiven(fields.issueType ?? issueType) ? named(idOf(fields.issueType ?? issueType), 'name') : undefined,
      description: isGiven(text) ? jiraText(text) : undefined, labels: list(fields.labels).length > 0 ? list(fields.labels).flatMap(splitNames) : undefined,
      assignee: isGiven(assignee) ? { accountId: assignee } : undefined, reporter: isGiven(reporter) ? { accountId: reporter } : undefined,
      priority: isGiven(priority) ? named(priority, 'name') : undefined,
      parent: isGiven(fields.parentIssueKey) ? { key: fields.parentIssueKey } : undefined,
      duedate: isGiven(fields.dueDate) ? toDate(fields.dueDate).toFormat('yyyy-MM-dd') : undefined,
      ...Object.fromEntries(custom.filter(([id]) => isGiven(id))),
    };
  };
  n8n.linearFields = ({ priorityId, ...fields }) => ({ ...fields, ...(isGiven(priorityId) ? { priority: Number(priorityId) } : {}) });
  n8n.zendeskTicket = (fields) => {
    const { customFieldsUi, internalNote, publicReply, externalId, assigneeEmail, group, recipient, ...more } = fields;
    const custom = list(customFieldsUi?.customFieldsValues);
    const comment = isGiven(internalNote) ? { html_body: internalNote, public: false } : isGiven(publicReply) ? { body: publicReply, public: true } : undefined;
    return {
      ...more, comment, external_id: externalId, assignee_email: assigneeEmail, group_id: group, recipient, custom_fields: custom.length > 0 ? custom : undefined,
    };
  };
  n8n.zendeskQuery = ({ query, status, group }) => ['type:ticket', query, isGiven(status) && `status:${status}`, isGiven(group) && `group:${group}`].filter(Boolean).join(' ');

  // --- Outlook ---

  const recipients = (value) => (isGiven(value)
    ? list(value).flatMap((one) => String(one).split(/[,;]/)).map((address) => ({ emailAddress: { address: address.trim() } })) : undefined);
  n8n.outlookMessage = ({ to, subject, content, fields = {} }) => {
    const body = content ?? fields.bodyContent;
    const type = String(fields.bodyContentType ?? fields.contentType ?? 'html').toLowerCase();
    const files = n8n.files(list(fields.attachments?.attachments).map(({ binaryPropertyName }) => binaryPropertyName).filter(isGiven));
    const categories = typeof fields.categories === 'string' ? [fields.categories] : fields.categories;
    return {
      subject: fields.subject ?? subject, body: body === undefined ? undefined : { contentType: type === 'text' ? 'Text' : 'HTML', content: String(body) },
      toRecipients: recipients(to ?? fields.toRecipients), ccRecipients: recipients(fields.ccRecipients), bccRecipients: recipients(fields.bccRecipients),
      replyTo: recipients(fields.replyTo), from: recipients(fields.from)?.[0], importance: fields.importance, categories, isRead: fields.isRead,
      attachments: files.length > 0 ? files.map(({ name, contentType, base64 }) => ({
        '@odata.type': '#microsoft.graph.fileAttachment', name, contentType, contentBytes: base64,
      })) : undefined,
    };
  };
  n8n.outlookFilter = ({ custom, receivedAfter, receivedBefore, readStatus, hasAttachments, sender }) => {
    const parts = [custom];
    if (isGiven(receivedAfter)) parts.push(`receivedDateTime ge ${toDate(receivedAfter).toUTC().toISO()}`);
    if (isGiven(receivedBefore)) parts.push(`receivedDateTime le ${toDate(receivedBefore).toUTC().toISO()}`);
    if (readStatus === 'read' || readStatus === 'unread') parts.push(`isRead eq ${readStatus === 'read'}`);
    if (typeof hasAttachments === 'boolean') parts.push(`hasAttachments eq ${hasAttachments}`);
    if (isGiven(sender)) parts.push(`from/emailAddress/address eq '${String(sender).replaceAll("'", "''")}'`);
    return parts.filter(isGiven).join(' and ') || undefined;
  };

  // --- Others ---

  n8n.youtubeParts = (parts, all) => {
    const named = list(parts);
    return named.length === 0 || named.includes('*') ? all : named.join(',');
  };
  n8n.youtubeSnippet = ({ tags, ...fields }) => ({ ...fields, tags: isGiven(tags) ? splitNames(tags) : undefined });
  n8n.lastSegment = (value) => String(idOf(value)).split('?')[0].replace(/\/+$/, '').split('/').at(-1);
  n8n.trelloId = (value) => /trello\.com\/[bc]\/(\w+)/.exec(String(value))?.[1] ?? value;
  n8n.redditName = (id, prefix) => (/^t\d_/.test(String(id)) ? String(id) : `${prefix}${id}`);
  n8n.mondayAnswer = (body) => {
    if (body?.errors?.length > 0 || body?.error_message) throw new Error(body.error_message ?? body.errors[0].message);
    return body.data;
  };
  n8n.twilioNumber = ({ number, isWhatsApp }) => (isWhatsApp === true && !String(number).startsWith('whatsapp:') ? `whatsapp:${number}` : String(number ?? ''));
  n8n.twilioTwiml = ({ message = '', twiml }) => {
    if (twiml === true) return String(message);
    return `<Response><Say>${String(message).replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</Say></Response>`;
  };
  n8n.wordpressFields = ({ title, more = {} }) => {
    const { authorId, commentStatus, pingStatus, postId, ...fields } = more;
    const ids = (value) => (value === undefined ? undefined : list(value).map(Number));
    return { title, ...fields, author: authorId, comment_status: commentStatus, ping_status: pingStatus, categories: ids(fields.categories), tags: ids(fields.tags) };
  };
  n8n.wooFields = ({ name, email, more = {}, images, metadata }) => {
    const snake = (text) => text.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const fields = Object.fromEntries(Object.entries(more).map(([key, value]) => [snake(key), value]));
    if (fields.categories !== undefined) fields.categories = list(fields.categories).map((id) => ({ id }));
    if (fields.tags !== undefined) fields.tags = list(fields.tags).map((id) => ({ id }));
    return { name, email, ...fields, images, meta_data: metadata };
  };
  const SALESFORCE_NAMES = { acconuntId: 'AccountId', mobilePhone: 'MobilePhone', owner: 'OwnerId', firstname: 'FirstName', lastname: 'LastName', emailBouncedReason: 'EmailBouncedReason' };
  n8n.salesforceFields = ({ fields = {}, more = {} }) => {
    const written = { ...fields };
    for (const [name, value] of Object.entries(more)) {
      if (name === 'customFieldsUi') for (const { fieldId, value: content } of list(value?.customFieldsValues)) written[fieldId] = content;
      else if (isGiven(value)) written[SALESFORCE_NAMES[name] ?? name[0].toUpperCase() + name.slice(1)] = value;
    }
    return written;
  };
  n8n.salesforceQuery = ({ object, fields, conditions, limit, all }) => {
    const chosen = typeof fields === 'string' ? splitNames(fields) : list(fields);
    const literal = (value) => (typeof value === 'number' || typeof value === 'boolean' ? value : `'${String(value).replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`);
    const OPERATORS = { equal: '=', '>': '>', '<': '<', '>=': '>=', '<=': '<=' };
    const where = list(conditions).map(({ field, operation = 'equal', value }) => `${field} ${OPERATORS[operation] ?? operation} ${literal(value)}`);
    const names = chosen.length > 0 ? ['Id', ...chosen.filter((name) => name.toLowerCase() !== 'id')].join(',') : 'FIELDS(STANDARD)';
    const most = all === true ? 200 : (limit ?? 50);
    return `SELECT ${names} FROM ${object}${where.length > 0 ? ` WHERE ${where.join(' AND ')}` : ''} LIMIT ${most}`;
  };
})
