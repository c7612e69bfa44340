// Records of services: the fields that n8n sends, and answers of newer APIs in the form of those that n8n gives.

import assert from 'node:assert/strict';
import test from 'node:test';
import { n8n, show } from './load.mjs';

show();
const assertJson = (actual, expected) => assert.deepEqual(JSON.parse(JSON.stringify(actual)), expected);

test('a record of HubSpot has the form of the older API', () => {
  const record = {
    id: '512',
    properties: { email: 'ada@example.com', phone: null },
    createdAt: '2026-01-02T03:04:05.000Z',
    updatedAt: '2026-01-02T03:04:06.000Z',
    archived: false,
  };
  const read = {
    vid: 512,
    isDeleted: false,
    properties: { email: { value: 'ada@example.com' } },
    addedAt: 1767323045000,
    updatedAt: 1767323046000,
  };
  assertJson(n8n.hubspotRecord(record, 'vid'), read);
  const { vid, ...company } = read;
  assertJson(n8n.hubspotRecord(record, 'companyId'), { companyId: vid, ...company });
});

test('a deal of HubSpot has the ids of its associations', () => {
  const contacts = { results: [{ id: '7', type: 'deal_to_contact' }, { id: '7', type: 'deal_to_contact_unlabeled' }] };
  const deal = { id: '13', properties: { dealname: 'Big' }, archived: true, associations: { contacts } };
  assertJson(n8n.hubspotDeal(deal), {
    dealId: 13,
    isDeleted: true,
    properties: { dealname: { value: 'Big' } },
    associations: { associatedVids: [7], associatedCompanyIds: [] },
  });
  assertJson(n8n.hubspotDeal({ id: '13' }).associations, { associatedVids: [], associatedCompanyIds: [] });
});

test('a new record of HubSpot is associated with others', () => {
  const types = (associationTypeId) => [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId }];
  assert.deepEqual(n8n.hubspotLinks('ticket', { contacts: [512] }), [{ to: { id: '512' }, types: types(16) }]);
  assert.deepEqual(n8n.hubspotLinks('deal', { contacts: ['512'], companies: [12] }), [
    { to: { id: '512' }, types: types(3) },
    { to: { id: '12' }, types: types(5) },
  ]);
});

test('fields of HubSpot have the names of its properties', () => {
  const fields = {
    numberOfEmployees: 5,
    membershipNote: 'm',
    buyingRole: ['a', 'b'],
    city: 'London',
    associatedCompanyId: 12,
    resolveData: true,
    customPropertiesUi: { customPropertiesValues: [{ property: 'own|string', value: 'x' }] },
  };
  const properties = {
    hs_content_membership_notes: 'm',
    hs_buying_role: 'a;b',
    city: 'London',
    associatedcompanyid: 12,
    own: 'x',
  };
  assertJson(n8n.hubspotFields('contact', { fields }), { numemployees: 5, ...properties });
  assertJson(n8n.hubspotFields('company', { fields }), { numberofemployees: 5, ...properties });
  const closeDate = '2026-03-14T00:00:00Z';
  assertJson(n8n.hubspotFields('ticket', { fields: { closeDate, description: 'd', stageId: 's' } }), {
    closed_date: Date.parse(closeDate),
    content: 'd',
    hs_pipeline_stage: 's',
  });
});

test('a meeting of HubSpot has its times in milliseconds', () => {
  const metadata = { title: 't', startTime: '2026-03-14T10:00:00Z' };
  const startTime = Date.parse(metadata.startTime);
  assertJson(n8n.hubspotMetadata({ type: 'meeting', metadata }), { title: 't', startTime });
  assertJson(n8n.hubspotMetadata({ type: 'email', metadata: { subject: 's', fromEmail: 'a@b', cc: ['c@d, e@f'] } }), {
    subject: 's',
    from: { email: 'a@b' },
    cc: [{ email: 'c@d' }, { email: 'e@f' }],
    bcc: [],
  });
});

test('a record of Pipedrive has the form of version 1', () => {
  const deal = {
    id: 2,
    title: 'Big',
    owner_id: 4,
    person_id: 1,
    org_id: null,
    add_time: '2026-01-02T03:04:05Z',
    expected_close_date: '2026-01-02',
    label_ids: [5, 6],
    is_deleted: false,
    custom_fields: { abc: 'x', def: { value: 9, currency: 'EUR' }, ghi: [1, 2], jkl: null },
  };
  assert.deepEqual(n8n.pipedriveRecord('deal', deal), {
    id: 2,
    title: 'Big',
    user_id: { value: 4 },
    person_id: { value: 1 },
    org_id: null,
    add_time: '2026-01-02 03:04:05',
    expected_close_date: '2026-01-02',
    label: '5,6',
    active_flag: true,
    abc: 'x',
    def: 9,
    def_currency: 'EUR',
    ghi: '1,2',
    jkl: null,
  });
  const emails = [{ value: 'ada@example.com', primary: true, label: 'work' }];
  assert.deepEqual(n8n.pipedriveRecord('person', { id: 1, owner_id: 4, emails, phones: [], label_ids: [] }), {
    id: 1,
    owner_id: { value: 4 },
    email: emails,
    phone: [],
    label: null,
  });
  assert.deepEqual(n8n.pipedriveRecord('activity', { owner_id: 4, person_id: 1 }), { user_id: 4, person_id: 1 });
});

test('a query of Salesforce names its fields', () => {
  const conditions = [
    { field: 'Name', value: "O'x" },
    { field: 'CreatedDate', operation: '>=', value: '2026-01-02T03:04:05Z' },
  ];
  assert.equal(
    n8n.salesforceQuery({ object: 'Account', conditions, limit: 5 }),
    "SELECT id,name,type FROM Account WHERE Name = 'O\\'x' AND CreatedDate >= 2026-01-02T03:04:05Z LIMIT 5",
  );
  assert.equal(n8n.salesforceQuery({ object: 'Own__c', fields: ['Id'], all: true }), 'SELECT Id FROM Own__c');
  assert.equal(n8n.salesforceQuery({ object: 'Own__c', all: true }), 'SELECT FIELDS(STANDARD) FROM Own__c LIMIT 200');
  const more = { email: 'a@example.com', firstName: 'Ada' };
  assert.deepEqual(n8n.salesforceFields({ more, external: 'Email' }), { FirstName: 'Ada' });
});

test('an issue of Jira has the fields of version 2', () => {
  const fields = {
    description: 'one\n\ntwo',
    assignee: { __rl: true, mode: 'id', value: 'u1' },
    componentIds: ['7'],
    customFieldsUi: { customFieldsValues: [{ fieldId: { value: ' customfield_1' }, fieldValue: 'x' }] },
  };
  assertJson(n8n.jiraFields({ project: '10000', issueType: 'Task', summary: 's', fields }), {
    summary: 's',
    project: { id: '10000' },
    issuetype: { name: 'Task' },
    description: 'one\n\ntwo',
    assignee: { id: 'u1' },
    components: [{ id: '7' }],
    customfield_1: 'x',
  });
});
