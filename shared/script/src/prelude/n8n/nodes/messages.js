// Messages of people in the form of their service, and files of Telegram.
(function (n8n) {
  'use strict';

  // --- Telegram ---

  const telegramFile = ({ id, name, mediaType }) => {
    const file = { file_id: id, file_name: name, mime_type: mediaType };
    // Telegram lists a photo in several sizes, of which the largest is known.
    if (name === 'photo.jpg') return { photo: Array.from({ length: 4 }, () => ({ file_id: id })) };
    if (name === 'voice.ogg') return { voice: { file_id: id, mime_type: mediaType } };
    if (mediaType.startsWith('audio/')) return { audio: file };
    if (mediaType.startsWith('video/')) return { video: file };
    return { document: file };
  };

  // A private chat has the id of the person, which is positive.
  const telegram = ({ text, participant, attachments = [], messageId, threadId, address }) => {
    const chat = /^-?\d+$/.test(address ?? '') ? Number(address) : threadId;
    const isPrivate = !(chat < 0);
    return {
      message: {
        message_id: messageId,
        from: { id: isPrivate && address ? chat : participant.id, first_name: participant.name },
        chat: { id: chat, type: isPrivate ? 'private' : 'group' },
        ...Object.assign({}, ...attachments.map(telegramFile)),
        ...(attachments.length === 0 ? { text } : text ? { caption: text } : {}),
      },
    };
  };

  /** An item for the request of a file's content. */
  n8n.telegramFile = (answer) => ({
    json: { url: `https://api.telegram.org/file/bot{credential}/${encodeURI(answer.result.file_path)}`, answer },
  });

  /** The item with the file. Telegram sends all files with the same type. */
  n8n.telegramContent = ({ body }, contentType) => {
    const { answer } = $json;
    const name = answer.result.file_path.split('/').at(-1);
    return { json: answer, binary: { data: n8n.bodyFile(body, name, contentType || n8n.typeOfName(name) || body?.contentType) } };
  };

  // --- WhatsApp, Slack and chats ---

  const whatsApp = ({ text, participant, attachments = [], messageId, address }) => {
    const from = address ?? participant.id;
    const [file] = attachments;
    const type = file === undefined ? 'text' : (/^(?:image|audio|video)(?=\/)/.exec(file.mediaType)?.[0] ?? 'document');
    const media = file && { id: file.id, mime_type: file.mediaType, filename: file.name, ...(text ? { caption: text } : {}) };
    return {
      contacts: [{ profile: { name: participant.name }, wa_id: from }],
      messages: [{ id: messageId, from, type, [type]: media ?? { body: text } }],
    };
  };
  /** A template with the texts and images of its parts. */
  n8n.whatsAppTemplate = (template, components) => {
    const [name, code] = String(template).split('|');
    const parameter = ({ type = 'text', text, imageLink }) =>
      type === 'image' ? { type, image: { link: imageLink } } : { type: 'text', text: String(text ?? '') };
    const part = ({ type = 'body', bodyParameters, headerParameters }) => ({
      type,
      parameters: ((type === 'header' ? headerParameters : bodyParameters)?.parameter ?? []).map(parameter),
    });
    return { name, language: { code }, components: components.map(part) };
  };

  const slack = ({ text, participant, attachments = [], messageId, threadId, address }) => {
    const files = attachments.map(({ id, name, mediaType }) => ({ url_private: id, name, mimetype: mediaType }));
    const message = { type: 'message', user: participant.id, channel: address ?? threadId, ts: messageId, text };
    return files.length > 0 ? { ...message, files } : message;
  };
  const FORMS = { telegram, whatsApp, slack };

  /** The data of the message that started the run, as the trigger of a service gives it. */
  n8n.messageOf = (service, message) =>
    FORMS[service]?.(message) ?? { sessionId: message.threadId, action: 'sendMessage', chatInput: message.text };
});
