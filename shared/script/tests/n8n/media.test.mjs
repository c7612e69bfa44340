// Files and messages for services, in the forms of n8n.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { n8n, show, showItems } from './load.mjs';

const png = { base64: 'iVBORw0KGgo=', contentType: 'image/png', name: 'a.png' };

test('a message of Telegram has the ids of its chat and its files', () => {
  const message = {
    text: 'Hi', participant: { id: 'p', name: 'Ada' }, threadId: 't', messageId: 'm', address: '42',
    attachments: [{ id: 'f1', name: 'voice.ogg', mediaType: 'audio/ogg' }, { id: 'f2', name: 'photo.jpg', mediaType: 'image/jpeg' }],
  };
  const { message: made } = n8n.messageOf('telegram', message);
  assert.deepEqual(made.chat, { id: 42, type: 'private' });
  assert.deepEqual(made.from, { id: 42, first_name: 'Ada' });
  assert.equal(made.voice.file_id, 'f1');
  assert.equal(made.photo.at(-1).file_id, 'f2');
  assert.equal(made.caption, 'Hi');
  assert.equal('text' in made, false);
  const group = n8n.messageOf('telegram', { ...message, attachments: [], address: '-100' }).message;
  assert.deepEqual([group.chat.type, group.from.id, group.text], ['group', 'p', 'Hi']);
  // A test of a workflow has no chat.
  assert.equal(n8n.messageOf('telegram', { ...message, address: null }).message.chat.id, 't');
});

test('messages of other services have their form', () => {
  const message = { text: 'Hi', participant: { id: 'p', name: 'Ada' }, threadId: 't', messageId: 'm', address: '34', attachments: [] };
  const file = { id: 'f', name: 'a.pdf', mediaType: 'application/pdf' };
  const [sent] = n8n.messageOf('whatsApp', message).messages;
  assert.deepEqual(sent, { id: 'm', from: '34', type: 'text', text: { body: 'Hi' } });
  const [withFile] = n8n.messageOf('whatsApp', { ...message, attachments: [file] }).messages;
  assert.deepEqual(withFile.document, { id: 'f', mime_type: 'application/pdf', filename: 'a.pdf', caption: 'Hi' });
  const template = n8n.whatsAppTemplate('hi|en', [{ bodyParameters: { parameter: [{ text: 'Ada' }] } }]);
  assert.deepEqual(template.components, [{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }] }]);
  assert.equal(n8n.messageOf('slack', message).channel, '34');
  assert.equal(n8n.messageOf('slack', { ...message, attachments: [file] }).files[0].url_private, 'f');
  assert.deepEqual(n8n.messageOf('chat', message), { sessionId: 't', action: 'sendMessage', chatInput: 'Hi' });
});

test('a file of Telegram is loaded in two steps', () => {
  show();
  const asked = n8n.telegramFile({ ok: true, result: { file_path: 'voice/file 1.oga' } });
  assert.equal(asked.json.url, 'https://api.telegram.org/file/bot{credential}/voice/file%201.oga');
  showItems([{ json: { answer: { ok: true, result: { file_path: 'photos/a.jpg' } } } }]);
  const loaded = n8n.telegramContent({ body: { base64: 'AAAA', contentType: 'application/octet-stream' } });
  assert.deepEqual(loaded.binary.data, { base64: 'AAAA', contentType: 'image/jpeg', name: 'a.jpg' });
  assert.equal(n8n.telegramContent({ body: 'text' }, 'text/csv').binary.data.contentType, 'text/csv');
});

test('files are named, and must exist', () => {
  showItems([{ json: {}, binary: { data: png, b: png } }]);
  assert.equal(n8n.filesNamed('data, b').length, 2);
  assert.throws(() => n8n.filesNamed('c'), /no file "c"/);
  assert.throws(() => n8n.multipart([{ name: 'file', file: undefined }]), /no file for "file"/);
  assert.equal(n8n.dataUrl(png), 'data:image/png;base64,iVBORw0KGgo=');
  assert.deepEqual(n8n.geminiFiles([png]), [{ inlineData: { mimeType: 'image/png', data: png.base64 } }]);
  const [kept] = n8n.keptFiles(() => 'data', () => '/tmp/a.png');
  assert.deepEqual([kept.json, kept.binary.b, kept.pairedItem], [{ fileName: '/tmp/a.png' }, png, 0]);
});

test('uploads go to the address that the service gives', () => {
  showItems([{ json: {}, binary: { data: png } }]);
  assert.equal(n8n.slackUploadUrl(png), 'https://slack.com/api/files.getUploadURLExternal?filename=a.png&length=8');
  const placed = n8n.slackUpload({ ok: true, upload_url: 'https://u', file_id: 'F' }, png, { channel_id: 'C' });
  assert.deepEqual(placed.json, { url: 'https://u', complete: { files: [{ id: 'F', title: 'a.png' }], channel_id: 'C' } });
  const post = { commentary: n8n.linkedInText('a (b)'), content: { media: { title: 'A' } } };
  const image = n8n.linkedInImage({ value: { uploadUrl: 'https://u', image: 'urn:1' } }, post, 'data');
  assert.deepEqual(image.json.post, { commentary: 'a \\(b\\)', content: { media: { title: 'A', id: 'urn:1' } } });
});

test('pages to scrape have formats and tags', () => {
  const options = { formats: { format: [{}, { type: 'json', prompt: 'p' }] }, includeTags: { items: [{ tag: 'h1, h2' }] } };
  const body = JSON.parse(JSON.stringify(n8n.firecrawlBody({ url: 'u', options, custom: '{"a": 1}' })));
  assert.deepEqual(body, { url: 'u', formats: ['markdown', { type: 'json', prompt: 'p' }], includeTags: ['h1', 'h2'], a: 1 });
});
