// The body of a form with files: `multipart/form-data`, as a file.
(function (n8n) {
  'use strict';

  const quote = (name) => String(name).replace(/["\r\n]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

  /** Each part has a name, and a value or a file. Objects are sent as JSON. */
  n8n.multipart = (parts) => {
    const boundary = `----${crypto.randomUUID()}`;
    const chunks = [];
    for (const part of parts) {
      const { name, value, file } = part;
      if ('file' in part && !file) throw new Error(`The item has no file for "${name}"`);
      const fileName = file === undefined ? '' : `; filename="${quote(file.name ?? name)}"`;
      const type = fileName === '' ? '' : `\r\nContent-Type: ${file.contentType ?? 'application/octet-stream'}`;
      chunks.push(Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${quote(name)}"${fileName}${type}\r\n\r\n`));
      if (fileName !== '') chunks.push(Buffer.from(file.base64 ?? '', 'base64'));
      else if (typeof value === 'object' && value !== null) chunks.push(Buffer.from(JSON.stringify(value)));
      else chunks.push(Buffer.from(String(value ?? '')));
      chunks.push(Buffer.from('\r\n'));
    }
    chunks.push(Buffer.from(`--${boundary}--\r\n`));
    return { base64: Buffer.concat(chunks).toString('base64'), contentType: `multipart/form-data; boundary=${boundary}` };
  };
})
