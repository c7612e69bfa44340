// Files of items in requests, and Google Drive.
(function (n8n) {
  'use strict';

  const { isObject, isGiven, list, forEach, contentOf, encodeBase64 } = n8n.helpers;

  // --- Files ---

  n8n.textFile = (text, contentType = 'text/plain') => ({
    base64: encodeBase64(String(text)),
    contentType: `${contentType}; charset=utf-8`,
  });

  /** The body of an answer as a file: the answer has text and JSON as values. */
  n8n.bodyFile = (body, name, contentType) => {
    const isFile = isObject(body) && typeof body.base64 === 'string';
    const text = typeof body === 'string' ? body : JSON.stringify(body ?? '');
    return n8n.makeFile(isFile ? Buffer.from(body.base64, 'base64') : Buffer.from(text), name, contentType);
  };

  /** The files of the item, by the names of their properties. */
  n8n.files = (names) => {
    const named = list(typeof names === 'string' ? names.split(',') : names).map((name) => String(name).trim());
    return named
      .filter((name) => $binary?.[name])
      .map((name) => {
        const file = $binary[name];
        const base64 = contentOf(file);
        return { name: file.name ?? file.fileName ?? name, contentType: file.contentType ?? file.mimeType, base64 };
      });
  };

  /** Files of the item, each of which must exist. */
  n8n.filesNamed = (names) =>
    n8n.names(names).map((name) => {
      if (!$binary?.[name]) throw new Error(`The item has no file "${name}"`);
      return $binary[name];
    });
  /** The items with the path to which n8n wrote their files. */
  n8n.keptFiles = (property, path) =>
    forEach((item, index) => {
      n8n.filesNamed([property()]);
      return { ...item, json: { ...item.json, fileName: path() }, pairedItem: index };
    });
  n8n.dataUrl = (file) => `data:${file.contentType ?? 'application/octet-stream'};base64,${contentOf(file)}`;

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

  /** An item for the request of a file's content, with the current item in it. */
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
    const base64 = isFile ? body.base64 : encodeBase64(text);
    return { json: item, binary: { ...$binary, [property]: { base64, contentType: mimeType, name } } };
  };

  n8n.driveQuery = ({ query, name, folder, what, types, includesTrash, trashed }) => {
    const quoted = (text) => n8n.texts.quote(String(text), "'");
    const parts = [];
    if (isGiven(query)) parts.push(String(query));
    if (isGiven(name)) parts.push(`name contains ${quoted(name)}`);
    if (isGiven(folder)) parts.push(`${quoted(folder)} in parents`);
    if (what === 'folders') parts.push("mimeType = 'application/vnd.google-apps.folder'");
    if (what === 'files') parts.push("mimeType != 'application/vnd.google-apps.folder'");
    if (trashed === false) parts.push('trashed = false');
    const kinds = list(types).filter((type) => type !== '*');
    if (kinds.length > 0) parts.push(`(${kinds.map((type) => `mimeType = ${quoted(type)}`).join(' or ')})`);
    if (trashed === undefined && !includesTrash && !/\btrashed\b/.test(parts[0] ?? '')) parts.push('trashed = false');
    return parts.length > 0 ? parts.join(' and ') : undefined;
  };
});
