// Nodes of services for messages, mail, files and calendars: what they send, and what the answers become.

import { node, noOp, start, workflow } from './build.mjs';

const ada = { id: 7, name: 'Ada', text: 'Hello *Ada* & all', email: 'ada@example.com', when: '2026-03-20T09:00:00.000Z', row_number: 3 };

/** Cases of a type of node: Start → Service → Next. With a `file`, the item has a file in `data`. */
const service = (type, version, credential, answers, base = {}) => (what, parameters, more = {}) => {
  const file = node('File', 'convertToFile', 1.1, { operation: 'toText', sourceProperty: 'text', options: { fileName: 'note.txt' } });
  const credentials = { [more.credential ?? credential]: { id: '1', name: 'Mine' } };
  const call = node('Service', type, more.version ?? version, { ...base, ...parameters }, { credentials });
  const path = ['Start', ...(more.file ? ['File'] : []), 'Service', 'Next'];
  return {
    name: `service: ${type}: ${what}`,
    workflow: workflow([start(), ...(more.file ? [file] : []), call, noOp('Next')], path.slice(1).map((to, index) => [path[index], to])),
    input: more.input ?? [ada],
    http: more.answers ?? answers,
  };
};
const two = { input: [ada, { ...ada, id: 8, name: 'Bob', text: 'two', email: 'bob@example.com' }] };
/** A locator of a resource. */
const by = (mode, value, name) => ({ __rl: true, mode, value, ...(name && { cachedResultName: name }) });

// ---- Slack ----

const posted = { ok: true, channel: 'C1', ts: '1700000000.000100', message: { user: 'U1', type: 'message', ts: '1700000000.000100', text: 'Hello' } };
const slackFile = { id: 'F1', name: 'note.txt', title: 'note.txt', mimetype: 'text/plain' };
const slack = service('slack', 2.3, 'slackApi', [
  { url: '/files.getUploadURLExternal', body: { ok: true, upload_url: 'https://files.slack.com/upload/v1/abc', file_id: 'F1' } },
  { url: 'files.slack.com/upload', body: 'OK - 17' },
  { url: '/files.completeUploadExternal', body: { ok: true, files: [slackFile] } },
  { url: '/files.info', body: { ok: true, file: slackFile, comments: [] } },
  { url: '/files.list', body: { ok: true, files: [slackFile], paging: { count: 100, total: 1, page: 1, pages: 1 } } },
  { url: '/chat.', body: posted },
]);
const toChannel = { select: 'channel', channelId: by('list', 'C1', 'general') };
const toUser = { select: 'user', user: by('list', 'U1', 'ada') };
const plain = { text: '={{ $json.text }}', otherOptions: { includeLinkToWorkflow: false } };
const slackCases = [
  slack('post a text', { ...toChannel, ...plain }),
  slack('post for two items', { ...toChannel, ...plain }, two),
  slack('post with a link to the workflow', { ...toChannel, text: 'Hi', otherOptions: {} }),
  slack('post by the id of a channel', { select: 'channel', channelId: by('id', '=C{{ $json.id }}'), ...plain }),
  slack('post by the name of a channel', { select: 'channel', channelId: by('name', 'general'), ...plain }),
  slack('post by the name of a channel with #', { select: 'channel', channelId: by('name', '#general'), ...plain }),
  slack('post to a user', { ...toUser, ...plain }),
  slack('post to the id of a user', { select: 'user', user: by('id', 'U2'), ...plain }),
  slack('post to the name of a user', { select: 'user', user: by('username', 'ada'), ...plain }),
  slack('post with OAuth', { authentication: 'oAuth2', ...toChannel, ...plain }, { credential: 'slackOAuth2Api' }),
  slack('post with Markdown', { ...toChannel, ...plain, otherOptions: { includeLinkToWorkflow: false, mrkdwn: true } }),
  slack('post without Markdown', { ...toChannel, ...plain, otherOptions: { includeLinkToWorkflow: false, mrkdwn: false } }),
  slack('post without previews', { ...toChannel, ...plain, otherOptions: { includeLinkToWorkflow: false, unfurl_links: false, unfurl_media: false } }),
  slack('post with previews and names', { ...toChannel, ...plain, otherOptions: { includeLinkToWorkflow: false, unfurl_links: true, link_names: true } }),
  slack('post into a thread', { ...toChannel, ...plain, otherOptions: { includeLinkToWorkflow: false, thread_ts: { replyValues: { thread_ts: '={{ "1700000000.0001" }}' } } } }),
  slack('post into a thread with a number', { ...toChannel, ...plain, otherOptions: { includeLinkToWorkflow: false, thread_ts: { replyValues: { thread_ts: 1700000000.000123, reply_broadcast: true } } } }),
  slack('post as somebody', { ...toChannel, ...plain, otherOptions: { includeLinkToWorkflow: false, botProfile: { imageValues: { profilePhotoType: 'emoji', icon_emoji: 'robot_face' } } } }),
  slack('post for one person', { ...toChannel, ...plain, otherOptions: { includeLinkToWorkflow: false, ephemeral: { ephemeralValues: { user: by('list', 'U2', 'bob'), ephemeral: true } } } }),
  slack('post blocks', { ...toChannel, messageType: 'block', blocksUi: '={{ JSON.stringify({ blocks: [{ type: "section", text: { type: "mrkdwn", text: $json.text } }] }) }}', text: 'short', otherOptions: { includeLinkToWorkflow: false } }),
  slack('post blocks of fixed JSON', { ...toChannel, messageType: 'block', blocksUi: '{ "blocks": [{ "type": "divider" }] }', otherOptions: { includeLinkToWorkflow: false } }),
  slack('post attachments', { ...toChannel, messageType: 'attachment', attachments: [{ color: '#ff0000', title: 'A', text: '={{ $json.name }}', fields: { item: [{ title: 'B', value: 'b', short: true }] } }], otherOptions: { includeLinkToWorkflow: false } }),
  slack('an error of the answer', { ...toChannel, ...plain }, { answers: [{ url: '/chat.', body: { ok: false, error: 'channel_not_found' } }] }),
  slack('update', { operation: 'update', channelId: by('id', 'C1'), ts: '={{ "1700000000.0001" }}', text: 'New', otherOptions: { includeLinkToWorkflow: false } }),
  slack('delete', { operation: 'delete', select: 'channel', channelId: by('id', 'C1'), timestamp: '={{ "1700000000.0001" }}' }),
  slack('version 1: post', { channel: '#general', text: '={{ $json.text }}', otherOptions: {}, attachments: [] }, { version: 1 }),
  slack('version 1: post with attachments', { channel: 'C1', text: 'Hi', otherOptions: { mrkdwn: true }, attachments: [{ color: '#00ff00', title: 'T', text: 't' }] }, { version: 1 }),
  slack('version 2: post', { ...toChannel, ...plain }, { version: 2 }),
  slack('upload a file', { resource: 'file', binaryPropertyName: 'data', options: { channelId: 'C1', initialComment: 'See' } }, { file: true }),
  slack('get a file', { resource: 'file', operation: 'get', fileId: 'F1' }),
  slack('list files', { resource: 'file', operation: 'getAll', limit: 5, filters: { channelId: 'C1' } }),
];

// ---- Telegram ----

const telegramMessage = { ok: true, result: { message_id: 5, chat: { id: 99, type: 'private' }, date: 1700000000, text: 'Hello' } };
const telegram = service('telegram', 1.2, 'telegramApi', [
  { url: '/getFile', body: { ok: true, result: { file_id: 'abc', file_unique_id: 'u', file_size: 3, file_path: 'documents/note.txt' } } },
  { url: '/file/bot', body: 'abc' },
  { body: telegramMessage },
]);
const quiet = { additionalFields: { appendAttribution: false } };
const option = (fields) => ({ additionalFields: { appendAttribution: false, ...fields } });
const telegramCases = [
  telegram('send a text', { chatId: '99', text: '={{ $json.text }}', ...quiet }),
  telegram('send to a chat of an expression', { chatId: '={{ $json.id }}', text: 'Hi', ...quiet }),
  telegram('send with the attribution', { chatId: '99', text: 'Hi', additionalFields: {} }),
  telegram('send HTML', { chatId: '99', text: '<b>{{ $json.name }}</b>', ...option({ parse_mode: 'HTML' }) }),
  telegram('send HTML of an expression', { chatId: '={{ $json.id }}', text: '=<b>{{ $json.name }}</b>', ...option({ parse_mode: 'HTML' }) }, two),
  telegram('send Markdown', { chatId: '99', text: '*a*', ...option({ parse_mode: 'Markdown' }) }),
  telegram('send MarkdownV2', { chatId: '99', text: '*a*', ...option({ parse_mode: 'MarkdownV2' }) }),
  telegram('send without a preview', { chatId: '99', text: '<i>a</i>', ...option({ parse_mode: 'HTML', disable_web_page_preview: true, disable_notification: true }) }),
  telegram('reply to a message', { chatId: '99', text: 'Yes', ...option({ reply_to_message_id: '={{ $json.id }}' }) }),
  telegram('reply to a fixed message', { chatId: '99', text: 'Yes', ...option({ reply_to_message_id: 5 }) }),
  telegram('send with buttons', { chatId: '99', text: 'Choose', replyMarkup: 'inlineKeyboard', inlineKeyboard: { rows: [{ row: { buttons: [{ text: 'Yes', additionalFields: { callback_data: '=y{{ $json.id }}' } }, { text: 'Site', additionalFields: { url: 'https://example.com' } }] } }] }, ...quiet }),
  telegram('send with a keyboard', { chatId: '99', text: 'Choose', replyMarkup: 'replyKeyboard', replyKeyboard: { rows: [{ row: { buttons: [{ text: 'Yes', additionalFields: {} }] } }] }, replyKeyboardOptions: { resize_keyboard: true }, ...quiet }),
  telegram('send a photo by its address', { operation: 'sendPhoto', chatId: '99', file: '=https://example.com/{{ $json.id }}.png', additionalFields: { caption: '={{ $json.name }}' } }),
  telegram('send a photo of the item', { operation: 'sendPhoto', chatId: '99', binaryData: true, additionalFields: { caption: '=C {{ 1 + 1 }}' } }, { file: true }),
  telegram('send a document of the item', { operation: 'sendDocument', chatId: '={{ 99 }}', binaryData: true, additionalFields: { fileName: 'other.txt' } }, { file: true }),
  telegram('send audio of the item', { operation: 'sendAudio', chatId: '99', binaryData: true, additionalFields: {} }, { file: true }),
  telegram('send a video by its address', { operation: 'sendVideo', chatId: '99', file: 'https://example.com/a.mp4', additionalFields: {} }),
  telegram('send a sticker', { operation: 'sendSticker', chatId: '99', file: 'abc', additionalFields: {} }),
  telegram('send an animation', { operation: 'sendAnimation', chatId: '99', file: 'abc', additionalFields: { duration: 3 } }),
  telegram('send several photos', { operation: 'sendMediaGroup', chatId: '99', media: { media: [{ media: 'https://example.com/1.png', additionalFields: { caption: 'one' } }, { type: 'video', media: 'abc', additionalFields: {} }] }, additionalFields: {} }),
  telegram('send a location', { operation: 'sendLocation', chatId: '99', latitude: 1.5, longitude: -2, additionalFields: {} }),
  telegram('send an action', { operation: 'sendChatAction', chatId: '99' }),
  telegram('send another action', { operation: 'sendChatAction', chatId: '99', action: 'upload_photo' }),
  telegram('edit a text', { operation: 'editMessageText', chatId: '99', messageId: '5', text: 'New', additionalFields: {} }),
  telegram('delete a message', { operation: 'deleteMessage', chatId: '99', messageId: '={{ $json.id }}' }),
  telegram('pin a message', { operation: 'pinChatMessage', chatId: '99', messageId: '5', additionalFields: { disable_notification: true } }),
  telegram('unpin a message', { operation: 'unpinChatMessage', chatId: '99', messageId: '5' }),
  telegram('get a chat', { resource: 'chat', chatId: '99' }),
  telegram('get a member', { resource: 'chat', operation: 'member', chatId: '99', userId: '3' }),
  telegram('administrators', { resource: 'chat', operation: 'administrators', chatId: '99' }),
  telegram('leave a chat', { resource: 'chat', operation: 'leave', chatId: '99' }),
  telegram('set a title', { resource: 'chat', operation: 'setTitle', chatId: '99', title: 'T' }),
  telegram('set a description', { resource: 'chat', operation: 'setDescription', chatId: '99', description: 'D' }),
  telegram('answer a query', { resource: 'callback', queryId: '={{ $json.id }}', additionalFields: { text: 'Done', show_alert: true } }),
  telegram('download a file', { resource: 'file', fileId: '={{ $json.name }}' }),
  telegram('download a file with its type', { resource: 'file', fileId: 'abc', additionalFields: { mimeType: 'text/csv' } }),
  telegram('the path of a file', { resource: 'file', fileId: 'abc', download: false }),
  telegram('version 1: send HTML', { chatId: '99', text: '<b>a</b>', additionalFields: { parse_mode: 'HTML' } }, { version: 1 }),
];

// ---- Gmail ----

const base64 = (text) => Buffer.from(text).toString('base64').replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
const headers = Object.entries({ From: 'Ada <ada@example.com>', To: 'me@example.com', Subject: 'Hello', 'Message-ID': '<m1@example.com>', Date: 'Fri, 13 Mar 2026 10:00:00 +0000', 'Content-Type': 'text/plain; charset=utf-8' }).map(([name, value]) => ({ name, value }));
const mail = (id) => ({ id, threadId: 't1', labelIds: ['INBOX', 'UNREAD'], snippet: 'Hi', sizeEstimate: 300, historyId: '9', internalDate: '1773396000000', payload: { partId: '', mimeType: 'text/plain', filename: '', headers, body: { size: 5, data: base64('Hi\r\n') } } });
const rawMail = `${headers.map(({ name, value }) => `${name}: ${value}\r\n`).join('')}\r\nHi\r\n`;
const gmailAnswers = (mail) => [
  { method: 'POST', url: '/messages/send', body: { id: 'm9', threadId: 't9', labelIds: ['SENT'] } },
  { method: 'POST', url: '/drafts', body: { id: 'd1', message: { id: 'm9', threadId: 't9', labelIds: ['DRAFT'] } } },
  { method: 'POST', url: '/modify', body: { id: 'm1', threadId: 't1', labelIds: ['INBOX'] } },
  { method: 'DELETE', status: 204 },
  { url: 'format=raw', body: { ...mail('m1'), payload: undefined, raw: base64(rawMail) } },
  { url: '/messages/m1', body: mail('m1') },
  { url: '/messages/m2', body: mail('m2') },
  { url: '/threads/t1', body: { id: 't1', historyId: '9', messages: [mail('m1'), mail('m2')] } },
  { url: '/threads', body: { threads: [{ id: 't1', snippet: 'Hi', historyId: '9' }], resultSizeEstimate: 1 } },
  { url: '/messages', body: { messages: [{ id: 'm1', threadId: 't1' }, { id: 'm2', threadId: 't1' }], resultSizeEstimate: 2 } },
  { method: 'POST', url: '/labels', body: { id: 'L1', name: 'New', labelListVisibility: 'labelShow', messageListVisibility: 'show' } },
  { url: '/labels', body: { labels: [{ id: 'INBOX', name: 'INBOX', type: 'system' }, { id: 'UNREAD', name: 'UNREAD', type: 'system' }, { id: 'L1', name: 'Work', type: 'user' }] } },
  { url: '/users/me/profile', body: { emailAddress: 'me@example.com' } },
];
const gmail = service('gmail', 2.1, 'gmailOAuth2', gmailAnswers(mail));
// The simple form asks for some headers only.
const simple = { answers: gmailAnswers((id) => ({ ...mail(id), payload: { mimeType: 'text/plain', headers: headers.slice(0, 3) } })) };
const letter = { sendTo: '={{ $json.email }}', subject: '=For {{ $json.name }}', message: 'Line 1\nLine 2' };
const unsigned = (more = {}) => ({ options: { appendAttribution: false, ...more } });
const gmailCases = [
  gmail('send a text', { ...letter, emailType: 'text', ...unsigned() }),
  gmail('send HTML', { ...letter, message: '=<b>{{ $json.name }}</b>', ...unsigned() }),
  gmail('send with the attribution', { ...letter, emailType: 'text', options: {} }),
  gmail('send letters beyond ASCII', { sendTo: 'a@example.com, b@example.com', subject: 'Grüße ✓', message: 'Zoë — ñ', emailType: 'text', ...unsigned() }),
  gmail('send with copies', { ...letter, emailType: 'text', ...unsigned({ ccList: 'c@example.com', bccList: 'd@example.com', replyTo: 'r@example.com' }) }),
  gmail('send with the name of the sender', { ...letter, emailType: 'text', ...unsigned({ senderName: 'Atelier' }) }),
  gmail('send a file', { ...letter, sendTo: 'a@example.com', emailType: 'text', ...unsigned({ attachmentsUi: { attachmentsBinary: [{}] } }) }, { file: true }),
  gmail('draft', { resource: 'draft', subject: 'S', message: '={{ $json.name }}', options: {} }),
  gmail('draft of HTML to somebody', { resource: 'draft', subject: 'S', emailType: 'html', message: '<b>a</b>', options: { sendTo: 'a@example.com' } }),
  gmail('reply', { operation: 'reply', messageId: 'm1', message: 'Yes', emailType: 'text', ...unsigned() }),
  gmail('reply to the sender only', { operation: 'reply', messageId: 'm1', message: 'Yes', ...unsigned({ replyToSenderOnly: true }) }),
  gmail('get, simple', { operation: 'get', messageId: 'm1' }, simple),
  gmail('get', { operation: 'get', messageId: '={{ "m1" }}', simple: false, options: {} }),
  gmail('get all, simple', { operation: 'getAll', limit: 2, filters: {} }, simple),
  gmail('get all', { operation: 'getAll', limit: 2, simple: false, filters: {}, options: {} }),
  gmail('get all without a limit', { operation: 'getAll', returnAll: true, filters: { q: 'is:unread' } }, simple),
  gmail('get all with filters', { operation: 'getAll', limit: 10, filters: { q: 'a b', readStatus: 'unread', receivedAfter: '2026-03-01T00:00:00', sender: 'ada@example.com' } }, simple),
  gmail('get all after a time of an expression', { operation: 'getAll', filters: { receivedAfter: '={{ $now.minus({ days: 1 }) }}', receivedBefore: '={{ $json.when }}' } }, simple),
  gmail('get all with a label', { operation: 'getAll', filters: { labelIds: ['INBOX'] } }, simple),
  gmail('get all with labels', { operation: 'getAll', filters: { labelIds: ['INBOX', 'UNREAD'], includeSpamTrash: true } }, simple),
  gmail('get all read', { operation: 'getAll', filters: { readStatus: 'read' } }, simple),
  gmail('add labels', { operation: 'addLabels', messageId: 'm1', labelIds: ['L1', 'STARRED'] }),
  gmail('add labels of an expression', { operation: 'addLabels', messageId: '={{ "m1" }}', labelIds: '={{ ["L1"] }}' }),
  gmail('remove labels', { operation: 'removeLabels', messageId: 'm1', labelIds: ['L1'] }),
  gmail('mark as read', { operation: 'markAsRead', messageId: 'm1' }),
  gmail('mark as unread', { operation: 'markAsUnread', messageId: 'm1' }),
  gmail('delete', { operation: 'delete', messageId: 'm1' }),
  gmail('get a thread', { resource: 'thread', operation: 'get', threadId: 't1' }, simple),
  gmail('get a thread as it is', { resource: 'thread', operation: 'get', threadId: 't1', simple: false }),
  gmail('get all threads', { resource: 'thread', operation: 'getAll', limit: 5, filters: { q: 'x' } }),
  gmail('reply to a thread', { resource: 'thread', operation: 'reply', threadId: 't1', messageId: 'm1', message: 'Yes', emailType: 'text', ...unsigned() }),
  gmail('add labels to a thread', { resource: 'thread', operation: 'addLabels', threadId: 't1', labelIds: ['L1'] }),
  gmail('remove labels of a thread', { resource: 'thread', operation: 'removeLabels', threadId: 't1', labelIds: ['L1'] }),
  gmail('delete a thread', { resource: 'thread', operation: 'delete', threadId: 't1' }),
  gmail('labels', { resource: 'label', operation: 'getAll', returnAll: true }),
  gmail('create a label', { resource: 'label', operation: 'create', name: 'New', options: {} }),
  gmail('version 1: send', { resource: 'message', subject: 'S', message: 'Text', toList: ['a@example.com', 'b@example.com'], additionalFields: {} }, { version: 1 }),
  gmail('version 1: send HTML', { resource: 'message', subject: 'S', includeHtml: true, message: 'Text', htmlMessage: '<b>a</b>', toList: ['a@example.com'], additionalFields: {} }, { version: 1 }),
];

// ---- Google Sheets ----

const book = 'S1-abcdefghijklmnopqrstuvwxyz';
const grid = { rowCount: 1000, columnCount: 26 };
const rows = [['id', 'name', 'email', 'total'], [1, 'Zoe', 'zoe@example.com', 5], [7, 'Ada', 'ada@example.com', 6], [9, 'Ada', '', 2.5]];
const values = (body, range) => ({ range, majorDimension: 'ROWS', values: body });
const sheets = service('googleSheets', 4.5, 'googleSheetsOAuth2Api', [
  { url: ':batchGetByDataFilter', body: { spreadsheetId: book, valueRanges: [{ valueRange: values(rows, 'Sheet1!A1:Z1000') }] } },
  { method: 'POST', url: '/values:batchUpdate', body: { spreadsheetId: book, totalUpdatedRows: 1 } },
  { method: 'POST', url: '/values:batchClear', body: { spreadsheetId: book } },
  { method: 'POST', url: ':clear', body: { spreadsheetId: book, clearedRange: 'Sheet1!A1:Z1000' } },
  { method: 'POST', url: ':append', body: { spreadsheetId: book, updates: { updatedRange: 'Sheet1!A5:D5', updatedRows: 1 } } },
  { method: 'POST', url: ':batchUpdate', body: { spreadsheetId: book, replies: [{ addSheet: { properties: { sheetId: 5, title: 'New', index: 1, sheetType: 'GRID', gridProperties: grid } } }] } },
  { method: 'PUT', body: { spreadsheetId: book, updatedRange: 'Sheet1!A5:D5', updatedRows: 1 } },
  { url: '!1:1', body: values(rows.slice(0, 1), 'Sheet1!A1:Z1') },
  { url: '!1%3A1', body: values(rows.slice(0, 1), 'Sheet1!A1:Z1') },
  { url: '/values/', body: values(rows, 'Sheet1!A1:Z1000') },
  { method: 'POST', url: '/v4/spreadsheets', body: { spreadsheetId: 'S2', properties: { title: 'New' }, spreadsheetUrl: 'https://docs.google.com/spreadsheets/d/S2/edit' } },
  { url: '/v4/spreadsheets/S1', body: { sheets: [{ properties: { sheetId: 0, title: 'Sheet1', index: 0, sheetType: 'GRID', gridProperties: grid } }] } },
  { url: '/drive/v3/files', status: 204 },
], { authentication: 'oAuth2' });
const place = { documentId: by('list', book, 'Book'), sheetName: by('list', 'gid=0', 'Sheet1') };
const columns = (value, matchingColumns = [], mappingMode = 'defineBelow') => ({ columns: { mappingMode, value, matchingColumns, schema: rows[0].map((id) => ({ id, displayName: id, type: 'string', display: true, required: false, defaultMatch: id === 'id', canBeUsedToMatch: true })), attemptToConvertTypes: false, convertFieldsToString: false } });
const cells = { id: '={{ $json.id }}', name: '={{ $json.name }}', total: '=1' };
const filter = (lookupColumn, lookupValue) => ({ filtersUI: { values: [{ lookupColumn, lookupValue }] } });
const where = { documentId: by('url', `https://docs.google.com/spreadsheets/d/${book}/edit#gid=0`) };
const fields = { id: 21, name: 'Eve', email: 'eve@example.com', total: 4 };
const sheetsCases = [
  sheets('append', { operation: 'append', ...place, ...columns(cells), options: {} }),
  sheets('append two rows', { operation: 'append', ...place, ...columns(cells), options: {} }, two),
  sheets('append in version 4.7', { operation: 'append', ...place, ...columns(cells), options: {} }, { version: 4.7 }),
  sheets('append by the append of the API', { operation: 'append', ...place, ...columns(cells), options: { useAppend: true } }, two),
  sheets('append raw values', { operation: 'append', ...place, ...columns(cells), options: { cellFormat: 'RAW', useAppend: true } }),
  sheets('append the fields of the items', { operation: 'append', ...place, ...columns({}, [], 'autoMapInputData'), options: {} }, { input: [fields, { ...fields, id: 22 }] }),
  sheets('append the fields of the items by the append of the API', { operation: 'append', ...place, ...columns({}, [], 'autoMapInputData'), options: { useAppend: true } }, { input: [fields] }),
  sheets('append fields without a column', { operation: 'append', ...place, ...columns({}, [], 'autoMapInputData'), options: { useAppend: true } }, { input: [{ ...fields, more: 'x' }] }),
  sheets('append by URL and number', { operation: 'append', ...where, sheetName: by('url', `https://docs.google.com/spreadsheets/d/${book}/edit#gid=0`), ...columns(cells), options: { useAppend: true } }),
  sheets('append by id and name', { operation: 'append', documentId: by('id', `={{ "${book}" }}`), sheetName: by('name', 'Sheet1'), ...columns(cells), options: { useAppend: true } }),
  sheets('version 4: append', { operation: 'append', ...place, ...columns(cells), options: { useAppend: true } }, { version: 4 }),
  sheets('version 1: append', { operation: 'append', sheetId: book, range: 'Sheet1!A:D', options: {} }, { version: 1, input: [fields] }),
  sheets('read', { ...place, options: {} }),
  sheets('read for two items', { ...place, options: {} }, two),
  sheets('read in version 4.7', { ...place, options: {} }, { version: 4.7 }),
  sheets('read by URL and number', { ...where, sheetName: by('id', '0'), options: {} }),
  sheets('read by the name of the sheet', { ...where, sheetName: by('name', 'Sheet1'), options: {} }),
  sheets('read with a filter', { ...place, ...filter('name', '={{ $json.name }}'), options: {} }),
  sheets('read the first with a filter', { ...place, ...filter('name', 'Ada'), options: { returnFirstMatch: true } }),
  sheets('read with a filter of a number', { ...place, ...filter('id', '={{ $json.id }}'), options: {} }),
  sheets('read with a filter that nothing fits', { ...place, ...filter('name', 'Nobody'), options: {} }),
  sheets('read with a filter of an empty value', { ...place, ...filter('email', ''), options: {} }),
  sheets('read with two filters', { ...place, filtersUI: { values: [{ lookupColumn: 'name', lookupValue: 'Ada' }, { lookupColumn: 'id', lookupValue: '9' }] }, options: {} }),
  sheets('read with one of two filters', { ...place, filtersUI: { values: [{ lookupColumn: 'name', lookupValue: 'Zoe' }, { lookupColumn: 'id', lookupValue: '9' }] }, combineFilters: 'OR', options: {} }),
  sheets('read the text of cells', { ...place, options: { outputFormatting: { values: { general: 'FORMATTED_VALUE', date: 'FORMATTED_STRING' } } } }),
  sheets('read a range', { ...place, options: { dataLocationOnSheet: { values: { rangeDefinition: 'specifyRangeA1', range: 'A1:D10' } } } }),
  sheets('read from a row', { ...place, options: { dataLocationOnSheet: { values: { rangeDefinition: 'specifyRange', headerRow: 1, firstDataRow: 3 } } } }),
  sheets('version 4: read the first with a filter', { ...place, ...filter('name', 'Ada'), options: {} }, { version: 4 }),
  sheets('version 4: read all with a filter', { ...place, ...filter('name', 'Ada'), options: { returnAllMatches: 'returnAllMatches' } }, { version: 4 }),
  sheets('version 4: read for two items', { ...place, options: {} }, { version: 4, ...two }),
  sheets('version 1: read', { operation: 'read', sheetId: book, range: 'Sheet1!A:D', options: {} }, { version: 1 }),
  sheets('version 1: look up', { operation: 'lookup', sheetId: book, range: 'Sheet1!A:D', lookupColumn: 'name', lookupValue: 'Ada', options: {} }, { version: 1 }),
  sheets('update', { operation: 'update', ...place, ...columns({ id: '={{ $json.id }}', name: 'New' }, ['id']), options: {} }),
  sheets('update two rows', { operation: 'update', ...place, ...columns({ id: '={{ $json.id }}', name: 'New' }, ['id']), options: {} }, { input: [{ id: 1 }, { id: 9 }] }),
  sheets('update by the number of the row', { operation: 'update', ...place, ...columns({ row_number: '={{ $json.row_number }}', name: '={{ $json.text }}' }, ['row_number']), options: {} }),
  sheets('update by two columns', { operation: 'update', ...place, ...columns({ name: 'Ada', id: '9', total: '1' }, ['name', 'id']), options: {} }),
  sheets('update a row that is not there', { operation: 'update', ...place, ...columns({ id: 'none', name: 'New' }, ['id']), options: {} }),
  sheets('update with the fields of the items', { operation: 'update', ...place, ...columns({}, ['id'], 'autoMapInputData'), options: {} }, { input: [{ id: 7, total: 9 }] }),
  sheets('update raw values', { operation: 'update', ...place, ...columns({ id: '7', name: 'New' }, ['id']), options: { cellFormat: 'RAW' } }),
  sheets('update an empty value', { operation: 'update', ...place, ...columns({ id: '7', name: '', total: '={{ null }}' }, ['id']), options: {} }),
  sheets('append or update: a row that is there', { operation: 'appendOrUpdate', ...place, ...columns(cells, ['id']), options: {} }),
  sheets('append or update: a row that is not there', { operation: 'appendOrUpdate', ...place, ...columns({ id: '30', name: '={{ $json.name }}' }, ['id']), options: {} }),
  sheets('append or update: both', { operation: 'appendOrUpdate', ...place, ...columns(cells, ['id']), options: {} }, two),
  sheets('append or update by the append of the API', { operation: 'appendOrUpdate', ...place, ...columns(cells, ['id']), options: { useAppend: true } }, two),
  sheets('append or update the fields of the items', { operation: 'appendOrUpdate', ...place, ...columns({}, ['id'], 'autoMapInputData'), options: {} }, { input: [fields, { ...fields, id: 7 }] }),
  sheets('clear', { operation: 'clear', ...place }),
  sheets('clear without the first row', { operation: 'clear', ...place, keepFirstRow: true }),
  sheets('clear rows', { operation: 'clear', ...place, clear: 'specificRows', startIndex: 2, rowsToDelete: 3 }),
  sheets('clear columns', { operation: 'clear', ...place, clear: 'specificColumns', startIndex: 'B', columnsToDelete: 2 }),
  sheets('clear a range', { operation: 'clear', ...place, clear: 'specificRange', range: 'A2:B3' }),
  sheets('create a sheet', { operation: 'create', documentId: place.documentId, title: 'New', options: {} }),
  sheets('remove a sheet', { operation: 'remove', ...place }),
  sheets('delete rows', { operation: 'delete', ...place, startIndex: 3, numberToDelete: 2 }),
  sheets('delete a row of an expression', { operation: 'delete', ...place, startIndex: '={{ $json.row_number }}' }),
  sheets('delete columns', { operation: 'delete', ...place, toDelete: 'columns', startIndex: 'B', numberToDelete: 1 }),
  sheets('create a spreadsheet', { resource: 'spreadsheet', title: 'New', options: {} }),
  sheets('create a spreadsheet with sheets', { resource: 'spreadsheet', title: 'New', sheetsUi: { sheetValues: [{ title: 'One' }] }, options: {} }),
];

// ---- Google Drive ----

const driveFile = { kind: 'drive#file', id: 'F1', name: 'note.txt', mimeType: 'text/plain' };
const driveAnswers = (file) => [
  { url: '/permissions', body: { kind: 'drive#permission', id: 'P1', type: 'anyone', role: 'reader' } },
  { url: '/copy', body: { ...file, id: 'F2' } },
  { url: '/export', body: 'exported' },
  { url: 'alt=media', body: 'content' },
  { method: 'DELETE', status: 204 },
  { method: 'POST', url: 'uploadType=resumable', headers: { location: 'https://www.googleapis.com/upload/drive/v3/files?uploadType=resumable&upload_id=U' }, body: '' },
  { method: 'PUT', url: 'upload_id=U', body: file },
  { url: '/files/', body: { ...file, parents: ['D0'] } },
  { url: ':batchUpdate', body: { documentId: 'F1', replies: [{}] } },
  { method: 'POST', url: '/files', body: file },
  { url: '/files', body: { files: [file, { ...file, id: 'F2', name: 'b' }] } },
];
const drive = service('googleDrive', 3, 'googleDriveOAuth2Api', driveAnswers(driveFile));
const mine = { driveId: by('list', 'My Drive'), folderId: by('list', 'root', '/ (Root folder)') };
const inFolder = { driveId: by('list', 'My Drive'), folderId: by('id', 'D1') };
const documentAnswers = { answers: driveAnswers({ ...driveFile, name: 'Letter', mimeType: 'application/vnd.google-apps.document' }) };
const driveCases = [
  drive('upload', { name: '=n{{ $json.id }}.txt', ...inFolder, options: {} }, { file: true }),
  drive('upload into the root', { inputDataFieldName: 'data', ...mine, options: {} }, { file: true }),
  drive('upload into a folder by its URL', { name: 'n.txt', driveId: by('list', 'My Drive'), folderId: by('url', 'https://drive.google.com/drive/folders/D1'), options: {} }, { file: true }),
  drive('upload a file that is missing', { name: 'n.txt', ...inFolder, options: {} }),
  drive('version 1: upload', { authentication: 'oAuth2', name: 'n.txt', binaryData: true, parents: ['D1'], options: {} }, { version: 1, file: true }),
  drive('version 1: upload a text', { authentication: 'oAuth2', name: 'n.txt', fileContent: 'text', options: {} }, { version: 1 }),
  drive('create from a text', { operation: 'createFromText', content: '=Hi {{ $json.name }}', name: 'n.txt', ...inFolder, options: {} }),
  drive('create a document from a text', { operation: 'createFromText', content: 'Hi', name: 'n', ...mine, options: { convertToGoogleDocument: true } }),
  drive('download', { operation: 'download', fileId: by('id', 'F1'), options: {} }),
  drive('download by the URL', { operation: 'download', fileId: by('url', 'https://drive.google.com/file/d/F1/view'), options: { binaryPropertyName: 'file', fileName: 'x.txt' } }),
  drive('download a document', { operation: 'download', fileId: by('id', '={{ "F1" }}'), options: {} }, documentAnswers),
  drive('download a document as text', { operation: 'download', fileId: by('id', 'F1'), options: { googleFileConversion: { conversion: { docsToFormat: 'text/plain' } } } }, documentAnswers),
  drive('copy', { operation: 'copy', fileId: by('list', 'F1', 'note'), name: 'Copy', options: {} }),
  drive('copy into a folder', { operation: 'copy', fileId: by('id', 'F1'), name: '=C {{ $json.id }}', sameFolder: false, ...inFolder, options: {} }),
  drive('move', { operation: 'move', fileId: by('id', 'F1'), ...inFolder }),
  drive('delete a file', { operation: 'deleteFile', fileId: by('id', 'F1'), options: {} }),
  drive('delete a file for ever', { operation: 'deleteFile', fileId: by('id', 'F1'), options: { deletePermanently: true } }),
  drive('delete a folder', { resource: 'folder', operation: 'deleteFolder', folderNoRootId: by('id', 'D1'), options: {} }),
  drive('share with anyone', { operation: 'share', fileId: by('id', 'F1'), permissionsUi: { permissionsValues: { role: 'reader', type: 'anyone' } }, options: {} }),
  drive('share with somebody', { operation: 'share', fileId: by('id', 'F1'), permissionsUi: { permissionsValues: { role: 'writer', type: 'user', emailAddress: 'a@example.com' } }, options: { sendNotificationEmail: false } }),
  drive('share a folder', { resource: 'folder', operation: 'share', folderNoRootId: by('id', 'D1'), permissionsUi: { permissionsValues: { role: 'reader', type: 'anyone' } }, options: {} }),
  drive('rename', { operation: 'update', fileId: by('id', 'F1'), newUpdatedFileName: 'new.txt', options: {} }),
  drive('update the content', { operation: 'update', fileId: by('id', 'F1'), changeFileContent: true, options: {} }, { file: true }),
  drive('create a folder', { resource: 'folder', name: '=N {{ $json.id }}', ...inFolder, options: {} }),
  drive('create a folder in the root', { resource: 'folder', name: 'N', ...mine, options: {} }),
  drive('search by name', { resource: 'fileFolder', queryString: "it's", limit: 5, filter: {}, options: {} }),
  drive('search all in a folder', { resource: 'fileFolder', returnAll: true, filter: { driveId: by('list', 'My Drive'), folderId: by('id', 'D1'), whatToSearch: 'files' }, options: {} }),
  drive('search folders', { resource: 'fileFolder', queryString: 'a', filter: { whatToSearch: 'folders' }, options: {} }),
  drive('search types', { resource: 'fileFolder', filter: { whatToSearch: 'files', fileTypes: ['application/pdf', 'image/png'] }, options: {} }),
  drive('search by a query', { resource: 'fileFolder', searchMethod: 'query', queryString: "='D1' in parents and name = '{{ $json.name }}'", options: {} }),
  drive('search by a query with a filter', { resource: 'fileFolder', searchMethod: 'query', queryString: "name = 'a'", filter: { folderId: by('id', 'D1') }, options: {} }),
  drive('search fields', { resource: 'fileFolder', queryString: 'a', filter: {}, options: { fields: ['id', 'name', 'mimeType'] } }),
  drive('search all fields', { resource: 'fileFolder', queryString: 'a', filter: {}, options: { fields: ['*'] } }),
  drive('search the root and the trash', { resource: 'fileFolder', filter: { folderId: by('list', 'root'), includeTrashed: true }, options: {} }),
];

// ---- Google Calendar, Docs, Tasks and YouTube ----

const event = { kind: 'calendar#event', id: 'E1', status: 'confirmed', summary: 'Meet', start: { dateTime: '2026-03-20T10:00:00+01:00' }, end: { dateTime: '2026-03-20T11:00:00+01:00' } };
const calendar = service('googleCalendar', 1.3, 'googleCalendarOAuth2Api', [
  { url: '/freeBusy', body: { calendars: { C1: { busy: [] }, primary: { busy: [] } } } },
  { method: 'DELETE', status: 204 },
  { url: '/calendars/C1/events/E1', body: event },
  { method: 'POST', url: '/events', body: event },
  { url: '/events', body: { kind: 'calendar#events', items: [event] } },
  { url: '/calendars/C1', body: { id: 'C1', timeZone: 'Europe/Madrid' } },
], { calendar: by('list', 'C1', 'Work') });
const times = { start: '2026-03-20T10:00:00', end: '={{ $json.when }}' };
const calendarCases = [
  calendar('create', { ...times, additionalFields: {} }),
  calendar('create with a title', { ...times, additionalFields: { summary: '={{ $json.name }}', description: 'D', location: 'L' } }),
  calendar('create with guests', { ...times, additionalFields: { attendees: ['={{ $json.email }}', 'b@example.com'], summary: 'S', sendUpdates: 'all' } }),
  calendar('create with guests in a text', { ...times, additionalFields: { attendees: ['a@example.com, b@example.com'] } }),
  calendar('create for a day', { start: '2026-03-20', end: '2026-03-21', additionalFields: { allday: 'yes', summary: 'S' } }),
  calendar('create with a time of luxon', { start: '={{ $now }}', end: '={{ $now.plus({ hours: 1 }) }}', additionalFields: { color: '3', visibility: 'private', showMeAs: 'transparent' } }),
  calendar('create that repeats', { ...times, additionalFields: { repeatFrecuency: 'weekly', repeatHowManyTimes: 3 } }),
  calendar('create with reminders', { ...times, useDefaultReminders: false, remindersUi: { remindersValues: [{ method: 'popup', minutes: 10 }] }, additionalFields: {} }),
  calendar('version 1: create', { ...times, additionalFields: { summary: 'S' } }, { version: 1 }),
  calendar('get all', { operation: 'getAll', options: {} }),
  calendar('get all between', { operation: 'getAll', timeMin: '={{ $now }}', timeMax: '2026-03-20T00:00:00', returnAll: true, options: {} }),
  calendar('get all with options', { operation: 'getAll', limit: 5, timeMin: '={{ $json.when }}', timeMax: '', options: { query: 'a', orderBy: 'startTime', recurringEventHandling: 'expand', timeZone: by('list', 'Europe/Madrid') } }),
  calendar('version 1: get all', { operation: 'getAll', limit: 5, options: { timeMin: '2026-03-01T00:00:00', timeMax: '={{ $json.when }}', singleEvents: true, orderBy: 'startTime' } }, { version: 1 }),
  calendar('version 1.1: get all', { operation: 'getAll', returnAll: true, options: { timeMin: '={{ $now.toISO() }}', singleEvents: true } }, { version: 1.1 }),
  calendar('get', { operation: 'get', eventId: '={{ "E1" }}', options: {} }),
  calendar('update', { operation: 'update', eventId: 'E1', updateFields: { summary: 'New', start: '2026-03-20T10:00:00', end: '2026-03-20T11:00:00' } }),
  calendar('update guests', { operation: 'update', eventId: 'E1', updateFields: { attendeesUi: { values: { mode: 'add', attendees: ['a@example.com'] } } } }),
  calendar('delete', { operation: 'delete', eventId: 'E1', options: {} }),
  calendar('availability', { resource: 'calendar', timeMin: '2026-03-20T10:00:00', timeMax: '2026-03-20T11:00:00', options: {} }),
  calendar('booked slots', { resource: 'calendar', timeMin: '2026-03-20T10:00:00', timeMax: '2026-03-20T11:00:00', options: { outputFormat: 'bookedSlots' } }),
];

const paragraph = (content) => ({ paragraph: { elements: [{ textRun: { content } }] } });
const docs = service('googleDocs', 2, 'googleDocsOAuth2Api', [
  { url: ':batchUpdate', body: { replies: [{}], documentId: 'A1', writeControl: { requiredRevisionId: 'r' } } },
  { url: '/documents/A1', body: { documentId: 'A1', title: 'T', body: { content: [{ sectionBreak: {} }, paragraph('One\n'), paragraph('Two\n')] } } },
  { method: 'POST', url: '/files', body: { kind: 'drive#file', id: 'A1', name: 'T', mimeType: 'application/vnd.google-apps.document' } },
], { authentication: 'oAuth2' });
const change = (...actionFields) => ({ operation: 'update', documentURL: 'A1', actionsUi: { actionFields } });
const docsCases = [
  docs('create', { title: '=T {{ $json.id }}', folderId: 'D1' }),
  docs('create in the root', { title: 'T', folderId: 'default' }),
  docs('get', { operation: 'get', documentURL: 'https://docs.google.com/document/d/A1/edit' }),
  docs('get as it is', { operation: 'get', documentURL: 'A1', simple: false }),
  docs('insert a text', change({ action: 'insert', text: '=Hi {{ $json.name }}' })),
  docs('insert by the URL', { ...change({ action: 'insert', text: 'Hi' }), documentURL: '=https://docs.google.com/document/d/A1/edit' }),
  docs('insert a text at a place', change({ action: 'insert', locationChoice: 'location', index: 5, text: 'Hi' })),
  docs('replace texts', change({ action: 'replaceAll', text: '{{name}}', replaceText: '={{ $json.name }}' }, { action: 'replaceAll', text: 'b', replaceText: 'c', matchCase: true })),
  docs('insert a table and a page break', change({ action: 'insert', object: 'table', rows: 2, columns: 3 }, { action: 'insert', object: 'pageBreak' })),
];

const task = { kind: 'tasks#task', id: 'T1', title: 'T', status: 'needsAction' };
const tasks = service('googleTasks', 1, 'googleTasksOAuth2Api', [
  { method: 'DELETE', status: 204 },
  { url: '/tasks/T1', body: task },
  { method: 'POST', url: '/tasks', body: task },
  { url: '/tasks', body: { kind: 'tasks#tasks', items: [task] } },
], { task: 'L1' });
const tasksCases = [
  tasks('create', { title: '={{ $json.name }}', additionalFields: { notes: 'N', dueDate: '2026-03-20T00:00:00.000Z' } }),
  tasks('get all', { operation: 'getAll', additionalFields: {} }),
  tasks('get all completed', { operation: 'getAll', returnAll: true, additionalFields: { showCompleted: true } }),
  tasks('update', { operation: 'update', taskId: 'T1', updateFields: { title: 'New', status: 'completed' } }),
  tasks('delete', { operation: 'delete', taskId: 'T1' }),
];

const video = { kind: 'youtube#video', id: 'V1', snippet: { title: 'T' } };
const youTube = service('youTube', 1, 'youTubeOAuth2Api', [
  { method: 'DELETE', status: 204 },
  { method: 'PUT', url: '/videos', body: video },
  { method: 'POST', url: '/playlistItems', body: { kind: 'youtube#playlistItem', id: 'I1' } },
  { method: 'POST', url: '/playlists', body: { kind: 'youtube#playlist', id: 'P1' } },
  { body: { kind: 'list', items: [video], pageInfo: { totalResults: 1, resultsPerPage: 1 } } },
]);
const youTubeCases = [
  youTube('get a video', { resource: 'video', operation: 'get', videoId: '={{ "V1" }}', options: {} }),
  youTube('get parts of a video', { resource: 'video', operation: 'get', videoId: 'V1', part: ['snippet', 'statistics'], options: {} }),
  youTube('search', { resource: 'video', operation: 'getAll', limit: 3, filters: { q: 'a b', channelId: 'C1', publishedAfter: '2026-03-01T00:00:00.000Z' }, options: { order: 'date' } }),
  youTube('update a video', { resource: 'video', operation: 'update', videoId: 'V1', title: 'T', regionCode: 'US', categoryId: '10', updateFields: { description: 'D', tags: 'a,b' } }),
  youTube('get a channel', { resource: 'channel', operation: 'get', channelId: 'C1', part: ['snippet'] }),
  youTube('create a playlist', { resource: 'playlist', operation: 'create', title: 'T', options: { description: 'D', privacyStatus: 'public' } }),
  youTube('playlists', { resource: 'playlist', operation: 'getAll', part: ['snippet'], limit: 5, filters: { channelId: 'C1' }, options: {} }),
  youTube('delete a playlist', { resource: 'playlist', operation: 'delete', playlistId: 'P1', options: {} }),
  youTube('add to a playlist', { resource: 'playlistItem', operation: 'add', playlistId: 'P1', videoId: 'V1', options: {} }),
  youTube('items of a playlist', { resource: 'playlistItem', operation: 'getAll', playlistId: 'P1', part: ['snippet'], limit: 2, options: {} }),
  youTube('all items of a playlist', { resource: 'playlistItem', operation: 'getAll', playlistId: 'P1', part: ['*'], returnAll: true, options: {} }),
  youTube('delete an item', { resource: 'playlistItem', operation: 'delete', playlistItemId: 'I1', options: {} }),
];

// ---- Microsoft ----

const outlookMail = { id: 'M1', subject: 'S', bodyPreview: 'Hi', from: { emailAddress: { name: 'Ada', address: 'ada@example.com' } }, toRecipients: [{ emailAddress: { name: 'Me', address: 'me@example.com' } }], categories: [], hasAttachments: false };
const outlook = service('microsoftOutlook', 2, 'microsoftOutlookOAuth2Api', [
  { url: '/sendMail', status: 202 },
  { url: '/createReply', body: { id: 'M2' } },
  { url: '/send', status: 202 },
  { url: '/move', body: { ...outlookMail, parentFolderId: 'D1' } },
  { method: 'DELETE', status: 204 },
  { url: '/messages/M', body: outlookMail },
  { method: 'POST', url: '/messages', body: outlookMail },
  { url: '/messages', body: { value: [outlookMail] } },
]);
const note = { subject: '=For {{ $json.name }}', bodyContent: 'Hi', toRecipients: 'a@example.com, b@example.com' };
const outlookCases = [
  outlook('send', { ...note, additionalFields: {} }),
  outlook('send HTML', { ...note, additionalFields: { bodyContentType: 'html', ccRecipients: 'c@example.com', importance: 'High' } }),
  outlook('send a file', { ...note, additionalFields: { attachments: { attachments: [{ binaryPropertyName: 'data' }] } } }, { file: true }),
  outlook('draft', { resource: 'draft', subject: 'S', bodyContent: 'Hi', additionalFields: { toRecipients: 'a@example.com', bodyContentType: 'html' } }),
  outlook('get', { operation: 'get', messageId: by('id', 'M1'), options: {} }),
  outlook('get raw', { operation: 'get', messageId: by('id', '={{ "M1" }}'), output: 'raw', options: {} }),
  outlook('get all', { operation: 'getAll', limit: 5, filtersUI: {}, options: {} }),
  outlook('get all raw', { operation: 'getAll', output: 'raw', returnAll: true, options: {} }),
  outlook('get all fields', { operation: 'getAll', output: 'fields', fields: ['subject', 'from'], options: {} }),
  outlook('get all with filters', { operation: 'getAll', output: 'raw', limit: 5, filtersUI: { values: { filters: { readStatus: 'unread', sender: 'a@example.com', receivedAfter: '2026-03-01T00:00:00Z' } } }, options: {} }),
  outlook('get all with a filter', { operation: 'getAll', output: 'raw', limit: 5, filtersUI: { values: { filters: { custom: 'isRead eq false' } } }, options: {} }),
  outlook('get all with a search', { operation: 'getAll', output: 'raw', limit: 5, filtersUI: { values: { filterBy: 'search', search: 'a' } }, options: {} }),
  outlook('update', { operation: 'update', messageId: by('id', 'M1'), updateFields: { isRead: true } }),
  outlook('update categories', { operation: 'update', messageId: by('id', 'M1'), updateFields: { categories: ['A'] } }),
  outlook('move', { operation: 'move', messageId: by('id', 'M1'), folderId: by('id', 'D1') }),
  outlook('delete', { operation: 'delete', messageId: by('id', 'M1') }),
  outlook('reply', { operation: 'reply', messageId: by('id', 'M1'), message: 'Yes', additionalFields: {}, options: {} }),
  outlook('reply to the sender only', { operation: 'reply', messageId: by('id', 'M1'), replyToSenderOnly: true, message: 'Yes', additionalFields: {}, options: {} }),
];

const oneFile = { id: 'F1', name: 'note.txt', file: { mimeType: 'text/plain' }, size: 3 };
const oneDrive = service('microsoftOneDrive', 1, 'microsoftOneDriveOAuth2Api', [
  { url: '/content', body: 'abc' },
  { method: 'DELETE', status: 204 },
  { method: 'PUT', body: oneFile },
  { url: '/children', method: 'POST', body: { id: 'D2', name: 'N', folder: {} } },
  { url: '/children', body: { value: [oneFile] } },
  { url: 'search(', body: { value: [oneFile, { id: 'D1', name: 'D', folder: {} }] } },
  { body: oneFile },
]);
const oneDriveCases = [
  oneDrive('download', { operation: 'download', fileId: 'F1' }),
  oneDrive('get', { operation: 'get', fileId: '={{ "F1" }}' }),
  oneDrive('delete', { operation: 'delete', fileId: 'F1' }),
  oneDrive('create a folder', { resource: 'folder', operation: 'create', name: 'N', options: {} }),
  oneDrive('create a folder in a folder', { resource: 'folder', operation: 'create', name: 'N', options: { parentFolderId: 'D1' } }),
  oneDrive('list a folder', { resource: 'folder', operation: 'getChildren', folderId: 'D1' }),
  oneDrive('delete a folder', { resource: 'folder', operation: 'delete', folderId: 'D1' }),
];

const teams = service('microsoftTeams', 2, 'microsoftTeamsOAuth2Api', [
  { body: { id: '1', messageType: 'message', body: { contentType: 'text', content: 'Hi' } } },
]);
const team = { teamId: by('id', '61165b04-e4cc-4026-b43f-926b4e2a7182'), channelId: by('id', '19:c0ffee@thread.tacv2') };
const teamsCases = [
  teams('send to a channel', { resource: 'channelMessage', ...team, message: '={{ $json.text }}', options: { includeLinkToWorkflow: false } }),
  teams('send HTML to a channel', { resource: 'channelMessage', ...team, contentType: 'html', message: '<b>a</b>', options: { includeLinkToWorkflow: false } }),
  teams('send to a chat', { resource: 'chatMessage', chatId: by('id', '19:x'), message: 'Hi', options: { includeLinkToWorkflow: false } }),
  teams('send to a chat with the link', { resource: 'chatMessage', chatId: by('id', '19:x'), contentType: 'html', message: 'Hi', options: {} }),
];

// ---- Others ----

const whatsApp = service('whatsApp', 1, 'whatsAppApi', [
  { method: 'GET', body: { url: 'https://lookaside.fbsbx.com/x', mime_type: 'image/jpeg', id: '5' } },
  { body: { messaging_product: 'whatsapp', contacts: [{ input: '34600000000', wa_id: '34600000000' }], messages: [{ id: 'wamid.1' }] } },
]);
const phone = { phoneNumberId: '123', recipientPhoneNumber: '=+{{ "34600000000" }}', additionalFields: {} };
const whatsAppCases = [
  whatsApp('send a text', { operation: 'send', ...phone, textBody: 'Hi' }),
  whatsApp('send a text with a preview', { operation: 'send', ...phone, textBody: 'https://example.com', additionalFields: { previewUrl: true } }),
  whatsApp('send an image by its address', { operation: 'send', ...phone, messageType: 'image', mediaLink: 'https://example.com/a.png', additionalFields: { mediaCaption: 'C' } }),
  whatsApp('send a document by its address', { operation: 'send', ...phone, messageType: 'document', mediaLink: 'https://example.com/a.pdf', additionalFields: { mediaFilename: 'a.pdf' } }),
  whatsApp('send a template', { operation: 'sendTemplate', phoneNumberId: '123', recipientPhoneNumber: '34600000000', template: 'hello|en_US', components: { component: [{ bodyParameters: { parameter: [{ text: 'Ada' }] } }] } }),
  whatsApp('the address of a file', { resource: 'media', operation: 'mediaUrlGet', mediaGetId: '={{ 5 }}' }),
];

const discordMessage = { id: '5', channel_id: '2', content: 'Hi', author: { id: '9', username: 'bot' } };
const discord = service('discord', 2, 'discordBotApi', [
  { url: '/users/@me/guilds', body: [{ id: '1', name: 'G' }] },
  { url: '/users/@me', body: { id: '9', username: 'bot' } },
  { url: '/roles/', status: 204 },
  { url: '/reactions/', status: 204 },
  { method: 'DELETE', status: 204 },
  { url: '/members', body: [{ user: { id: '9' }, roles: [] }] },
  { url: '/guilds/1/channels', method: 'POST', body: { id: '3', name: 'n', type: 0 } },
  { url: '/guilds/1/channels', body: [{ id: '2', name: 'general', type: 0 }] },
  { url: '/webhooks/', method: 'POST', status: 204 },
  { method: 'POST', body: discordMessage },
  { url: '/messages/5', body: discordMessage },
  { url: '/messages', body: [discordMessage] },
], { guildId: by('id', '1') });
const inChannel = { channelId: by('list', '2', 'general') };
const hook = { credential: 'discordWebhookApi' };
const discordCases = [
  discord('send', { resource: 'message', ...inChannel, content: '={{ $json.text }}', options: {} }),
  discord('send an answer', { resource: 'message', ...inChannel, content: 'Hi', options: { message_reference: '5', flags: ['SUPPRESS_EMBEDS'] } }),
  discord('send embeds', { resource: 'message', ...inChannel, content: '', options: {}, embeds: { values: [{ title: 'T', description: '={{ $json.name }}', color: '#FF0000', author: 'A', image: 'https://example.com/a.png' }] } }),
  discord('send embeds of JSON', { resource: 'message', ...inChannel, content: '', options: {}, embeds: { values: [{ inputMethod: 'json', json: '={{ JSON.stringify({ title: $json.name }) }}' }] } }),
  discord('send to a user', { resource: 'message', sendTo: 'user', userId: by('id', '4'), content: 'Hi', options: {} }),
  discord('send by a webhook', { authentication: 'webhook', content: '={{ $json.text }}', options: {} }, hook),
  discord('send by a webhook as somebody', { authentication: 'webhook', content: 'Hi', options: { username: 'N', avatar_url: 'https://example.com/a.png' } }, hook),
  discord('send by a webhook and wait', { authentication: 'webhook', content: 'Hi', options: { wait: true } }, hook),
  discord('version 1: send by a webhook', { webhookUri: 'https://discord.com/api/webhooks/to-be-chosen', text: '={{ $json.text }}', options: {} }, { version: 1 }),
  discord('messages', { resource: 'message', operation: 'getAll', ...inChannel, limit: 5, options: {} }),
  discord('delete a message', { resource: 'message', operation: 'deleteMessage', ...inChannel, messageId: '5' }),
  discord('react', { resource: 'message', operation: 'react', ...inChannel, messageId: '5', emoji: '👍' }),
  discord('channels', { resource: 'channel', operation: 'getAll', limit: 5, options: {} }),
  discord('channels without a resource', { operation: 'getAll', limit: 5, options: {} }),
  discord('create a channel', { resource: 'channel', name: 'n', options: { topic: 'T' } }),
  discord('members', { resource: 'member', limit: 5 }),
  discord('add a role', { resource: 'member', operation: 'roleAdd', userId: by('id', '9'), role: ['R1'] }),
];

const mattermost = service('mattermost', 1, 'mattermostApi', [
  { method: 'DELETE', body: { status: 'OK' } },
  { url: '/posts/ephemeral', body: { id: 'p2', message: 'Hi' } },
  { url: '/posts', body: { id: 'p1', channel_id: 'c1', message: 'Hi' } },
  { url: '/members', body: { channel_id: 'c1', user_id: 'u1' } },
  { url: '/stats', body: { channel_id: 'c1', member_count: 2 } },
  { url: '/channels', body: { id: 'c1', name: 'n' } },
]);
const mattermostCases = [
  mattermost('post', { channelId: 'c1', message: '={{ $json.text }}', attachments: [], otherOptions: {} }),
  mattermost('post attachments', { channelId: 'c1', message: 'Hi', attachments: [{ color: '#ff0000', title: 'T', text: 't', fields: { item: [{ title: 'F', value: 'v', short: true }] } }], otherOptions: {} }),
  mattermost('post into a thread', { channelId: 'c1', message: 'Hi', attachments: [], otherOptions: { root_id: 'p0' } }),
  mattermost('post for one person', { operation: 'postEphemeral', userId: 'u1', channelId: 'c1', message: 'Hi' }),
  mattermost('delete a post', { operation: 'delete', postId: 'p1' }),
  mattermost('create a channel', { resource: 'channel', teamId: 't1', displayName: 'N', channel: 'n', type: 'private' }),
  mattermost('add a user', { resource: 'channel', operation: 'addUser', channelId: 'c1', userId: 'u1' }),
  mattermost('delete a channel', { resource: 'channel', operation: 'delete', channelId: 'c1' }),
  mattermost('statistics', { resource: 'channel', operation: 'statistics', channelId: 'c1' }),
];

const twilio = service('twilio', 1, 'twilioApi', [{ body: { sid: 'SM1', status: 'queued', body: 'Hi' } }]);
const numbers = { from: '+15005550006', to: '=+1{{ 5005550009 }}' };
const twilioCases = [
  twilio('send', { ...numbers, message: '={{ $json.text }}', options: {} }),
  twilio('send over WhatsApp', { ...numbers, toWhatsapp: true, message: 'Hi', options: {} }),
  twilio('send with a callback', { ...numbers, message: 'Hi', options: { statusCallback: 'https://example.com/status' } }),
  twilio('call', { resource: 'call', ...numbers, message: 'Tom & <b>', options: {} }),
  twilio('call with TwiML', { resource: 'call', ...numbers, twiml: true, message: '<Response><Say>Hi</Say></Response>', options: {} }),
];

const sendGrid = service('sendGrid', 1, 'sendGridApi', [
  { url: '/mail/send', status: 202, headers: { 'x-message-id': 'x1' } },

]);
const sender = { fromEmail: 'me@example.com', fromName: 'Me', toEmail: 'a@example.com, b@example.com' };
const sendGridCases = [
  sendGrid('send', { resource: 'mail', ...sender, subject: '=For {{ $json.name }}', contentValue: 'Hi', additionalFields: {} }),
  sendGrid('send HTML', { resource: 'mail', ...sender, subject: 'S', contentType: 'text/html', contentValue: '<b>a</b>', additionalFields: { replyToEmail: 'r@example.com' } }),
  sendGrid('send a template', { resource: 'mail', ...sender, dynamicTemplate: true, templateId: 'd-1', dynamicTemplateFields: { fields: [{ key: 'name', value: 'Ada' }] }, additionalFields: {} }),
];

export const cases = [
  ...slackCases, ...telegramCases, ...gmailCases, ...sheetsCases, ...driveCases, ...calendarCases, ...docsCases, ...tasksCases,
  ...youTubeCases, ...outlookCases, ...oneDriveCases, ...teamsCases, ...whatsAppCases, ...discordCases, ...mattermostCases,
  ...twilioCases, ...sendGridCases,
];
