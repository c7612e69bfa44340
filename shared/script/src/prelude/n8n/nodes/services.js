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
})
