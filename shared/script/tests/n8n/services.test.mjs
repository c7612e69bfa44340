// What nodes of services send and give, beside the cases that n8n's own nodes have run.

import assert from 'node:assert/strict';
import test from 'node:test';
import { n8n, show } from './load.mjs';

const asJson = (value) => JSON.parse(JSON.stringify(value));

test('texts of Notion have mentions and formulas', () => {
  show();
  const pieces = [
    { textType: 'mention', mentionType: 'user', user: 'u1', annotationUi: { bold: true } },
    { textType: 'mention', mentionType: 'database', database: { __rl: true, mode: 'id', value: 'd1' } },
    { textType: 'mention', mentionType: 'date', date: '2026-03-14' },
    { textType: 'equation', expression: 'x^2' },
  ];
  const [block] = n8n.notionBlocks([{ richText: true, text: { text: pieces } }]);
  assert.deepEqual(block.paragraph.rich_text, [
    { type: 'mention', mention: { type: 'user', user: { id: 'u1' } }, annotations: { bold: true } },
    { type: 'mention', mention: { type: 'database', database: { id: 'd1' } }, annotations: {} },
    { type: 'mention', mention: { type: 'date', date: { start: '2026-03-14', end: null } }, annotations: {} },
    { type: 'equation', equation: { expression: 'x^2' }, annotations: {} },
  ]);
});

test('properties of Notion are cleared by what is empty', () => {
  show();
  const option = 'a1b2c3d4-1234-4234-8234-123456789abc';
  const values = [
    { key: 'Kind|select', selectValue: '' },
    { key: 'Old|select', selectValue: option },
    { key: 'Tags|multi_select', multiSelectValue: `X, ${option}` },
    { key: 'Site|url', urlValue: '' },
    { key: 'Kept|url', urlValue: '', ignoreIfEmpty: true },
    { key: 'Due|date', date: '' },
    { key: 'Late|date', date: '2026-03-14 10:20:30', timezone: 'America/New_York' },
  ];
  assert.deepEqual(asJson(n8n.notionProperties(values)), {
    Kind: { select: null },
    Old: { select: { id: option } },
    Tags: { multi_select: [{ name: 'X' }, { id: option }] },
    Site: { url: null },
    Due: { date: null },
    Late: { date: { start: '2026-03-14T10:20:30-04:00', end: null } },
  });
});

test('filters of Notion on formulas have the value of their type', () => {
  show();
  const conditions = [
    { key: 'Sum|formula', condition: 'greater_than', returnType: 'number', numberValue: '3' },
    { key: 'Text|formula', condition: 'equals', returnType: 'text', textValue: 'x' },
    { key: 'Day|formula', condition: 'after', returnType: 'date', dateValue: '2026-03-14T10:00:00' },
    { key: 'Text|formula', condition: 'is_empty', returnType: 'text' },
  ];
  assert.deepEqual(n8n.notionFilter(conditions, 'and').and, [
    { property: 'Sum', formula: { number: { greater_than: 3 } } },
    { property: 'Text', formula: { string: { equals: 'x' } } },
    { property: 'Day', formula: { date: { after: '2026-03-14T09:00:00Z' } } },
    { property: 'Text', formula: { string: { is_empty: true } } },
  ]);
});

test('pages of Notion in their simple form', () => {
  const properties = { 'XMLFile größe (1)': { type: 'number', number: 1 }, Name: { type: 'title', title: [{ plain_text: 'a' }, { plain_text: 'b' }] } };
  const page = { object: 'page', id: 'p', url: 'u', parent: { type: 'database_id' }, properties };
  assert.deepEqual(n8n.notionPage(page), { id: 'p', name: 'a', url: 'u', property_xml_file_gr_e_1: 1, property_name: 'ab' });
  assert.deepEqual(n8n.notionRow(page), { id: 'p', 'XMLFile größe (1)': 1, Name: 'ab' });
  assert.deepEqual(n8n.notionPage({ ...page, parent: { type: 'workspace' } }), { id: 'p', name: 'a', url: 'u' });
  assert.deepEqual(n8n.notionRow({ object: 'database', id: 'd', title: [] }), { id: 'd', title: '' });
  const rollup = (name, more) => ({ ...page, properties: { R: { type: 'rollup', rollup: { function: name, ...more } } } });
  assert.equal(n8n.notionRow(rollup('percent_not_empty', { type: 'number', number: 0.5 })).R, 50);
  const array = [{ type: 'number', number: 2 }, { type: 'number', number: 2 }];
  assert.deepEqual(n8n.notionRow(rollup('show_unique', { type: 'array', array })).R, [2]);
});

test('conditions of Supabase that are given as a text', () => {
  const filter = (text) => n8n.supabaseFilter({ text, type: 'string' });
  assert.equal(filter('phone=eq.(555) 123&id=in.(1,2)&age=not.is.null'), '(phone.eq."(555) 123",id.in.(1,2),age.not.is.null)');
  // A change without conditions would change all rows.
  const conditions = [{ keyName: '', keyValue: 'x' }];
  assert.equal(n8n.supabaseFilter({ conditions, match: 'allFilters' }), undefined);
  assert.throws(() => n8n.supabaseFilter({ conditions, match: 'allFilters', isRequired: true }), { message: /At least one/ });
  assert.equal(filter('age=gte.18&name=eq.a, b&or=(x.eq.1,y.is.null)'), '(age.gte.18,name.eq."a, b",or(x.eq.1,y.is.null))');
  assert.equal(filter('id=in.(1,2)&tags=cs.{a,b}&gone=not.is.null&text=fts(english).cat'), '(id.in.(1,2),tags.cs.{a,b},gone.not.is.null,text.fts(english).cat)');
});

test('an answer of GraphQL with errors fails', () => {
  assert.deepEqual(n8n.graphqlAnswer({ data: 1 }), { data: 1 });
  assert.throws(() => n8n.graphqlAnswer({ errors: [{ message: 'a' }, { message: 'b' }] }), { message: 'a, b' });
  assert.throws(() => n8n.graphqlText({ errors: [{ message: 'a' }] }), { message: 'a' });
  assert.equal(n8n.graphqlText({ data: 1, errors: [{ message: 'a' }] }), '{"data":1,"errors":[{"message":"a"}]}');
});
