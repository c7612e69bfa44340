// Messages of Gmail.
(function (n8n) {
  'use strict';

  const { isGiven, list, items, encodeBase64 } = n8n.helpers;

  const forUrl = (base64) => base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  const fromUrl = (text) => String(text ?? '').replaceAll('-', '+').replaceAll('_', '/');
  const decode = (text) => Buffer.from(fromUrl(text), 'base64').toString('utf8');
  const lines = (base64) => base64.replace(/(.{76})/g, '$1\r\n');
  const oneLine = (text) =>
    String(text)
      .replace(/[\r\n]+/g, ' ')
      .trim();
  const isAscii = (text) => /^[\x20-\x7e]*$/.test(text);

  /** The value of a header. If it has characters outside ASCII, it is encoded in words of at most 75 characters. */
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
  const addresses = (value) =>
    list(value)
      .map(oneLine)
      .filter((address) => address !== '')
      .join(', ');

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
        return (
          `Content-Type: ${contentType}; name="${named}"\r\nContent-Disposition: attachment; filename="${named}"\r\n` +
          `Content-Transfer-Encoding: base64\r\n\r\n${lines(base64)}`
        );
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
  n8n.gmailReply = (body, message, { own = '', onlySender = false, onlyRecipients = false, readsReplyTo = false } = {}) => {
    const original = body.messages?.at(-1) ?? body;
    const headers = headersOf(original);
    const sender = (readsReplyTo ? headers['reply-to'] : undefined) ?? headers.from;
    const recipients = onlySender ? [] : (headers.to ?? '').split(',').filter((one) => own === '' || !one.includes(own));
    const to = [onlyRecipients ? undefined : sender, ...recipients].filter(isGiven).map((one) => one.trim());
    return {
      raw: n8n.mime({
        ...message,
        to: [...new Set(to)],
        subject: headers.subject ?? '',
        inReplyTo: headers['message-id'],
        references: headers['message-id'],
      }),
      threadId: original.threadId ?? body.id,
    };
  };

  const SHOWN = ['From', 'To', 'Cc', 'Bcc', 'Subject'];
  /** A message in the simple form of n8n. Without its content, it has some headers only. */
  const simple = (message, labels) => {
    const { payload, labelIds, ...fields } = message;
    if (labelIds) fields.labels = labels.filter(({ id }) => labelIds.includes(id));
    const { headers = [], ...content } = payload ?? {};
    const isWhole = content.body !== undefined || content.parts !== undefined;
    if (payload) fields.payload = content;
    for (const { name, value } of headers) if (isWhole || SHOWN.includes(name)) fields[name] = value;
    return fields;
  };
  /** The messages of the items in the simple form, with the names of the labels. An item may be a conversation. */
  n8n.gmailLabeled = ({ labels = [] }) => {
    const named = labels.map(({ id, name }) => ({ id, name }));
    return items().map(({ json }) =>
      json.messages ? { ...json, messages: json.messages.map((message) => simple(message, named)) } : simple(json, named),
    );
  };

  const partsOf = (payload) => [payload, ...(payload?.parts ?? []).flatMap(partsOf)].filter(Boolean);
  const parseAddresses = (text) => {
    if (!isGiven(text)) return undefined;
    const value = text.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/).map((one) => {
      const [, name = '', address] = /^\s*"?(.*?)"?\s*<([^>]*)>\s*$/.exec(one) ?? [undefined, '', one.trim()];
      return { address, name };
    });
    const escape = (part) => part.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
    const link = ({ address }) => `<a href="mailto:${escape(address)}" class="mp_address_email">${escape(address)}</a>`;
    const html = value.map((one) =>
      one.name ? `<span class="mp_address_name">${escape(one.name)}</span> &lt;${link(one)}&gt;` : link(one),
    );
    const written = value.map(({ address, name }) => (name ? `"${name}" <${address}>` : address));
    return { value, html: `<span class="mp_address_group">${html.join(', ')}</span>`, text: written.join(', ') };
  };

  /** A message with its texts. */
  n8n.gmailMessage = (message) => {
    const headers = headersOf(message);
    const parts = partsOf(message.payload);
    const textOf = (type) => {
      const found = parts.filter((part) => part.mimeType === type && part.body?.data && !part.filename);
      return found.length > 0 ? found.map((part) => decode(part.body.data).replaceAll('\r\n', '\n')).join('\n') : undefined;
    };
    const text = textOf('text/plain');
    const html = textOf('text/html');
    const files = parts.filter((part) => part.filename && part.body?.attachmentId);
    const date = headers.date === undefined ? undefined : new Date(headers.date);
    const fields = {
      id: message.id,
      threadId: message.threadId,
      labelIds: message.labelIds,
      sizeEstimate: message.sizeEstimate,
      headers: Object.fromEntries(
        (message.payload?.headers ?? []).map(({ name, value }) => [name.toLowerCase(), `${name}: ${value}`]),
      ),
      html,
      text: text ?? (html === undefined ? undefined : html.replace(/<[^>]*>/g, '')),
      textAsHtml:
        text === undefined
          ? undefined
          : `<p>${text.trimEnd().replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\n', '<br/>')}</p>`,
      subject: headers.subject,
      date: date && !Number.isNaN(date.getTime()) ? date.toISOString() : undefined,
      to: parseAddresses(headers.to),
      cc: parseAddresses(headers.cc),
      from: parseAddresses(headers.from),
      messageId: headers['message-id'],
      inReplyTo: headers['in-reply-to'],
      attachments:
        files.length > 0
          ? files.map((part) => ({
              attachmentId: part.body.attachmentId,
              name: part.filename,
              contentType: part.mimeType,
              messageId: message.id,
            }))
          : undefined,
    };
    return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  };

  /** The files of the messages, each as an item, and the messages. */
  n8n.gmailFiles = (prefix) => {
    const all = items();
    const files = all.flatMap((item, index) =>
      (item.json.attachments ?? []).map((file, place) => ({
        json: { ...file, key: `${prefix}${place}`, index },
        pairedItem: index,
      })),
    );
    return { files, messages: all.map((item, index) => ({ ...item, pairedItem: index })) };
  };

  /** The messages with their files, which `n8n.gmailFiles` named. */
  n8n.gmailWithFiles = () => {
    const [messages, files] = [[], []];
    for (const item of items()) (item.json.key === undefined ? messages : files).push(item);
    return messages.map((item, index) => {
      const own = files.filter(({ json }) => json.index === index);
      const binary = own.map(({ json }) => [
        json.key,
        { base64: fromUrl(json.data), contentType: json.contentType, name: json.name },
      ]);
      return { json: n8n.without(item.json, ['attachments']), binary: Object.fromEntries(binary), pairedItem: index };
    });
  };

  n8n.gmailQuery = ({ q, readStatus, receivedAfter, receivedBefore, sender, more }) => {
    const seconds = (time) => {
      const number = Number(time);
      // A text without a zone is in the zone of the workflow.
      const written = typeof time === 'string' ? DateTime.fromISO(time) : time;
      if (written?.toSeconds && written.isValid) return Math.round(written.toSeconds());
      const date = Number.isNaN(number) ? new Date(time?.toISO?.() ?? time) : new Date(number < 1e11 ? number * 1000 : number);
      return Math.floor(date.getTime() / 1000);
    };
    const parts = [q];
    if (isGiven(sender)) parts.push(`from:${sender}`);
    if (readStatus === 'read' || readStatus === 'unread') parts.push(`is:${readStatus}`);
    if (isGiven(receivedAfter)) parts.push(`after:${seconds(receivedAfter)}`);
    if (isGiven(receivedBefore)) parts.push(`before:${seconds(receivedBefore)}`);
    return [...parts, more].filter(isGiven).join(' ') || undefined;
  };
});
