// What triggers make of the bodies that services send, and of the lists that they are asked for.

import assert from 'node:assert/strict';
import test from 'node:test';
import { n8n, show } from './load.mjs';

test('the items of a poll are new once', () => {
  show([{ id: 7, at: 'x' }, { id: 8, at: 'y' }, {}]);
  const keyOf = () => [$json.id, $json.at];
  const rows = n8n.seenRows(keyOf, true);
  assert.deepEqual(rows, [{ id: '7 x' }, { id: '8 y' }, { id: 'first run' }]);
  assert.deepEqual(n8n.newItems(rows, keyOf, true), [], 'what existed before the first run is not new');
  assert.deepEqual(n8n.newItems([{ id: '8 y' }], keyOf, true), [{ json: { id: 8, at: 'y' }, pairedItem: 1 }]);

  show(Array.from({ length: 1_200 }, (_, id) => ({ id })));
  const ids = n8n.seenRows(() => $json.id, true).map(({ id }) => id);
  assert.deepEqual([ids.length, ids[0], ids.at(-2)], [1_000, '201', '1199']);
});

test('items with equal keys are new once, also in one run', () => {
  show([{ key: 'a' }, { key: 'a' }, { key: 'x'.repeat(300) }, { key: { b: 1 } }]);
  const keyOf = () => $json.key;
  const rows = n8n.seenRows(keyOf, false);
  assert.equal(rows[2].id.length, 64);
  assert.equal(rows[3].id, '{"b":1}');
  const unseen = n8n.newItems([rows[0], rows[2]], keyOf, false);
  assert.deepEqual(unseen.map(({ pairedItem }) => pairedItem), [0, 2]);
});

test('answers of forms are named by their questions', () => {
  const answers = [
    { type: 'text', text: 'Ada', field: { id: '1' } },
    { type: 'choice', choice: { label: 'Red' }, field: { id: '2' } },
    { type: 'choices', choices: { labels: ['a', 'b'] }, field: { id: '3', ref: 'third' } },
  ];
  const fields = [{ id: '1', title: 'Your {{field:x}} name' }, { id: '2', title: 'Color' }];
  const typeform = { event_id: 'e', form_response: { answers, definition: { fields } } };
  const simple = { 'Your [field:x] name': 'Ada', Color: 'Red', third: ['a', 'b'] };
  assert.deepEqual(n8n.typeformItem(typeform), simple);
  assert.deepEqual(n8n.typeformItem(typeform, { simplifies: false }), answers);
  assert.deepEqual(n8n.typeformItem(typeform, { onlyAnswers: false }).form_response.answers, simple);

  const jotform = { formID: '9', rawRequest: '{"slug":"s","q3_name":{"first":"Ada"}}' };
  const questions = { 3: { qid: '3', name: 'name', text: 'Your name' } };
  assert.deepEqual(n8n.jotformItem(jotform, { questions }), { 'Your name': { first: 'Ada' } });
  assert.deepEqual(n8n.jotformItem(jotform), { slug: 's', q3_name: { first: 'Ada' } });
  assert.deepEqual(n8n.jotformItem(jotform, { questions, onlyAnswers: false }), {
    formID: '9',
    rawRequest: { 'Your name': { first: 'Ada' } },
  });
});

test('events have the form of n8n', () => {
  assert.deepEqual(n8n.hubspotEvent({ subscriptionType: 'contact.creation', objectId: 7 }), {
    subscriptionType: 'contact.creation',
    contactId: 7,
  });
  assert.deepEqual(n8n.calItem({ triggerEvent: 'BOOKING_CREATED', createdAt: 't', payload: { title: 'a' } }), {
    triggerEvent: 'BOOKING_CREATED',
    createdAt: 't',
    title: 'a',
  });
  const properties = { Name: { type: 'title', title: [{ plain_text: 'Ada' }] }, Done: { type: 'checkbox', checkbox: true } };
  assert.deepEqual(n8n.notionRow({ id: 'p', properties }), { id: 'p', Name: 'Ada', Done: true });
  const from = { emailAddress: { address: 'ada@example.com' } };
  const { from: sender, to } = n8n.outlookSimple({ id: 'm', from, toRecipients: [from] });
  assert.deepEqual([sender, to], ['ada@example.com', ['ada@example.com']]);
});

test('the changes of a calendar are those of the last day', () => {
  show();
  const at = (hours) => $now.plus({ hours }).toISO();
  const event = (id, created, updated, more) => ({ id, created: at(created), updated: at(updated), ...more });
  const body = {
    items: [
      event('new', -1, -1, { start: { dateTime: at(5) }, end: { dateTime: at(6) } }),
      event('changed', -99, -1, { start: { dateTime: at(-2) }, end: { dateTime: at(1) } }),
      event('gone', -99, -1, { status: 'cancelled' }),
      event('over', -50, -50, { start: { dateTime: at(-30) }, end: { dateTime: at(-3) } }),
    ],
  };
  const ids = (kind) => n8n.calendarChanges(body, kind).map(({ id }) => id);
  assert.deepEqual(ids('eventCreated'), ['new']);
  assert.deepEqual(ids('eventUpdated'), ['changed']);
  assert.deepEqual(ids('eventCancelled'), ['gone']);
  assert.deepEqual(ids('eventStarted'), ['changed']);
  assert.deepEqual(ids('eventEnded'), ['over']);
});
