// Nodes of services: Airtable, Notion, CRMs, trackers, shops and others. Each case has one node behind the trigger.

import { node, start, workflow } from './build.mjs';

/** The credentials that each type of node may name. */
const CREDENTIALS = {
  airtable: ['airtableTokenApi', 'airtableApi', 'airtableOAuth2Api'],
  asana: ['asanaApi'],
  clickUp: ['clickUpApi'],
  deepL: ['deepLApi'],
  facebookGraphApi: ['facebookGraphApi'],
  github: ['githubApi'],
  gitlab: ['gitlabApi'],
  graphql: [],
  hackerNews: [],
  hubspot: ['hubspotAppToken', 'hubspotApi'],
  intercom: ['intercomApi'],
  jira: ['jiraSoftwareCloudApi', 'jiraSoftwareServerApi', 'jiraSoftwareServerPatApi'],
  linear: ['linearApi'],
  linkedIn: ['linkedInOAuth2Api'],
  mailchimp: ['mailchimpApi'],
  mondayCom: ['mondayComApi'],
  nocoDb: ['nocoDbApiToken', 'nocoDb'],
  notion: ['notionApi'],
  openWeatherMap: ['openWeatherMapApi'],
  pipedrive: ['pipedriveApi'],
  reddit: ['redditOAuth2Api'],
  salesforce: ['salesforceOAuth2Api'],
  shopify: ['shopifyAccessTokenApi'],
  stripe: ['stripeApi'],
  supabase: ['supabaseApi'],
  todoist: ['todoistApi'],
  trello: ['trelloApi'],
  twitter: ['twitterOAuth2Api'],
  wooCommerce: ['wooCommerceApi'],
  wordpress: ['wordpressApi'],
  zendesk: ['zendeskApi'],
};

const id = (value, mode = 'id') => ({ __rl: true, mode, value });

/** Cases of one service: `[what, version, parameters, answers, input]`. An answer is a body, or has the fields of one in `http`. */
const of = (service, rows) => rows.map(([what, version, parameters, answers = [{}], input = [{ n: 1 }]]) => ({
  name: `service: ${service}: ${what}`,
  workflow: workflow([
    start(),
    node('Service', service, version, parameters, {
      credentials: Object.fromEntries(CREDENTIALS[service].map((type) => [type, { id: '1', name: 's' }])),
    }),
  ], [['Start', 'Service']]),
  input,
  http: answers.map((answer) => (answer.body === undefined || answer.plain ? { body: answer } : answer)),
}));

// ---- Tables ----

const base = { base: id('appAAAAAAAAAAAAAA'), table: id('tblBBBBBBBBBBBBBB') };
const record = (number, fields) => ({ id: `rec${String(number).padStart(14, '0')}`, createdTime: '2026-01-02T03:04:05.000Z', fields });
const ada = record(1, { Name: 'Ada', Age: 36 });
const bob = record(2, { Name: 'Bob' });
const column = (name, type = 'string', more = {}) => ({
  id: name, displayName: name, required: false, defaultMatch: false, display: true, type, readOnly: false, removed: false, ...more,
});
const columns = (value, matchingColumns = [], more = {}) => ({
  columns: {
    mappingMode: 'defineBelow', value, matchingColumns,
    schema: Object.entries(value ?? {}).map(([name, each]) => column(name, typeof each === 'number' ? 'number' : 'string')), ...more,
  },
});
const auto = (matchingColumns = [], schema = []) => ({ columns: { mappingMode: 'autoMapInputData', value: {}, matchingColumns, schema } });
const person = [{ Name: 'Ada', Age: 36 }];

const airtable = of('airtable', [
  ['create with columns', 2.1, { ...base, operation: 'create', ...columns({ Name: '={{ $json.name }}', Age: 36, Note: '' }), options: {} }, [ada], [{ name: 'Ada' }]],
  ['create with columns and a schema of types', 2.1, {
    ...base, operation: 'create', options: { typecast: true },
    columns: { mappingMode: 'defineBelow', value: { Name: '={{ $json.name }}', Age: '={{ $json.age }}', Tags: '={{ $json.tags }}', Done: false }, matchingColumns: [], schema: [column('Name'), column('Age', 'number'), column('Tags', 'array'), column('Done', 'boolean'), column('Gone', 'string', { removed: true })] },
  }, [ada], [{ name: 'Ada', age: '36', tags: ['a', 'b'] }]],
  ['create from the item', 2.1, { ...base, operation: 'create', ...auto(), options: {} }, [ada], person],
  ['create from the item without some fields', 2.1, { ...base, operation: 'create', ...auto(), options: { ignoreFields: 'extra, more' } }, [ada], [{ Name: 'Ada', extra: 1, more: 2 }]],
  ['create for two items', 2.1, { ...base, operation: 'create', ...columns({ Name: '={{ $json.name }}' }), options: {} }, [{ body: ada, times: 1 }, { body: bob }], [{ name: 'Ada' }, { name: 'Bob' }]],
  ['create in version 2', 2, { ...base, operation: 'create', ...columns({ Name: 'Ada' }), options: {} }, [ada]],
  ['create with URLs', 2.1, { base: id('https://airtable.com/appAAAAAAAAAAAAAA/tblBBBBBBBBBBBBBB/viwCCCCCCCCCCCCCC', 'url'), table: id('https://airtable.com/appAAAAAAAAAAAAAA/tblBBBBBBBBBBBBBB/viwCCCCCCCCCCCCCC', 'url'), operation: 'create', ...columns({ Name: 'Ada' }), options: {} }, [ada]],
  ['update by the id', 2.1, { ...base, operation: 'update', ...columns({ id: '={{ $json.id }}', Name: 'Ada' }, ['id']), options: {} }, [{ records: [ada] }], [{ id: ada.id }]],
  ['update by the id with typecast', 2.1, { ...base, operation: 'update', ...columns({ id: '={{ $json.id }}', Name: 'Ada' }, ['id']), options: { typecast: true } }, [{ records: [ada] }], [{ id: ada.id }]],
  ['update by the id from the item', 2.1, { ...base, operation: 'update', ...auto(['id']), options: {} }, [{ records: [ada] }], [{ id: ada.id, Name: 'Ada' }]],
  ['update by a column', 2.1, { ...base, operation: 'update', ...columns({ Name: '={{ $json.name }}', Age: 37 }, ['Name']), options: {} }, [{ method: 'GET', body: { records: [ada, bob] } }, { records: [ada] }], [{ name: 'Ada' }]],
  ['update by a column, all that match', 2.1, { ...base, operation: 'update', ...columns({ Name: 'Ada', Age: 37 }, ['Name']), options: { updateAllMatches: true } }, [{ method: 'GET', body: { records: [ada, record(3, { Name: 'Ada' })] } }, { records: [ada, record(3, { Name: 'Ada' })] }]],
  ['update without columns of version 2', 2, { ...base, operation: 'update', ...columns({ id: ada.id, Status: 'Done' }, ['id']), options: {} }, [{ records: [ada] }]],
  ['upsert by a column', 2.1, { ...base, operation: 'upsert', ...columns({ Name: '={{ $json.name }}', Age: 36 }, ['Name']), options: {} }, [{ records: [ada], createdRecords: [ada.id], updatedRecords: [] }], [{ name: 'Ada' }]],
  ['upsert by two columns with typecast', 2.1, { ...base, operation: 'upsert', ...columns({ Name: 'Ada', Age: 36 }, ['Name', 'Age']), options: { typecast: true } }, [{ records: [ada], createdRecords: [], updatedRecords: [ada.id] }]],
  ['upsert by the id', 2.1, { ...base, operation: 'upsert', ...columns({ id: '={{ $json.id }}', Name: 'Ada' }, ['id']), options: {} }, [{ records: [ada] }], [{ id: ada.id }]],
  ['upsert from the item', 2.1, { ...base, operation: 'upsert', ...auto(['Name']), options: {} }, [{ records: [ada], createdRecords: [ada.id], updatedRecords: [] }], person],
  ['search', 2.1, { ...base, operation: 'search', options: {} }, [{ records: [ada, bob] }]],
  ['search by a formula', 2.1, { ...base, operation: 'search', filterByFormula: "={Name} = '{{ $json.name }}'", options: {} }, [{ records: [ada] }], [{ name: 'Ada' }]],
  ['search that finds nothing', 2.1, { ...base, operation: 'search', filterByFormula: '{Name} = "x"', options: {} }, [{ records: [] }]],
  ['search with a limit', 2.1, { ...base, operation: 'search', returnAll: false, limit: 2, options: {} }, [{ records: [ada, bob] }]],
  ['search with the default limit', 2.1, { ...base, operation: 'search', returnAll: false, options: {} }, [{ records: [ada, bob] }]],
  ['search with fields', 2.1, { ...base, operation: 'search', options: { fields: ['Name', 'Age'] } }, [{ records: [ada, bob] }]],
  ['search with an order', 2.1, { ...base, operation: 'search', sort: { property: [{ field: 'Name', direction: 'desc' }, { field: 'Age' }] }, options: {} }, [{ records: [bob, ada] }]],
  ['search in a view', 2.1, { ...base, operation: 'search', options: { view: id('viwCCCCCCCCCCCCCC') } }, [{ records: [ada] }]],
  ['search for two items', 2.1, { ...base, operation: 'search', filterByFormula: '={Name}="{{ $json.name }}"', options: {} }, [{ records: [ada], body: undefined }], [{ name: 'Ada' }, { name: 'Bob' }]],
  ['search of two pages', 2.1, { ...base, operation: 'search', options: {} }, [{ method: 'GET', times: 1, body: { records: [ada], offset: 'itr1' } }, { records: [bob] }]],
  ['get', 2.1, { ...base, id: '={{ $json.id }}', options: {} }, [ada], [{ id: ada.id }]],
  ['get of version 2', 2, { ...base, operation: 'get', id: ada.id, options: {} }, [ada]],
  ['deleteRecord', 2.1, { ...base, operation: 'deleteRecord', id: '={{ $json.id }}' }, [{ id: ada.id, deleted: true }], [{ id: ada.id }]],
  ['bases', 2.1, { resource: 'base', options: {} }, [{ bases: [{ id: 'appA', name: 'One', permissionLevel: 'create' }, { id: 'appB', name: 'Two', permissionLevel: 'read' }] }]],
  ['bases with a limit', 2.1, { resource: 'base', returnAll: false, limit: 1, options: {} }, [{ bases: [{ id: 'appA', name: 'One', permissionLevel: 'create' }, { id: 'appB', name: 'Two', permissionLevel: 'read' }] }]],
  ['bases of a level', 2.1, { resource: 'base', options: { permissionLevel: ['read'] } }, [{ bases: [{ id: 'appA', name: 'One', permissionLevel: 'create' }, { id: 'appB', name: 'Two', permissionLevel: 'read' }] }]],
  ['the schema of a base', 2.1, { resource: 'base', operation: 'getSchema', base: base.base }, [{ tables: [{ id: 'tblB', name: 'People', primaryFieldId: 'fld1', fields: [{ id: 'fld1', type: 'singleLineText', name: 'Name' }], views: [] }] }]],
  ['append of version 1', 1, { operation: 'append', authentication: 'airtableTokenApi', application: id('appAAAAAAAAAAAAAA'), table: id('tblBBBBBBBBBBBBBB'), options: {} }, [{ records: [ada] }], person],
  ['append of version 1 with texts for the base and the table', 1, { operation: 'append', authentication: 'airtableTokenApi', application: 'appAAAAAAAAAAAAAA', table: 'People', options: {} }, [{ records: [ada] }], person],
  ['append of version 1 with some fields', 1, { operation: 'append', authentication: 'airtableTokenApi', application: id('appAAAAAAAAAAAAAA'), table: id('tblBBBBBBBBBBBBBB'), addAllFields: false, fields: ['Name'], options: { typecast: true } }, [{ records: [ada] }], person],
  ['list of version 1', 1, { operation: 'list', authentication: 'airtableTokenApi', application: id('appAAAAAAAAAAAAAA'), table: id('tblBBBBBBBBBBBBBB'), additionalOptions: {} }, [{ records: [ada, bob] }]],
  ['list of version 1 with options', 1, { operation: 'list', authentication: 'airtableTokenApi', application: id('appAAAAAAAAAAAAAA'), table: id('tblBBBBBBBBBBBBBB'), returnAll: false, limit: 5, additionalOptions: { fields: ['Name'], filterByFormula: '{Age} > 3', sort: { property: [{ field: 'Name', direction: 'desc' }] }, view: 'Grid' } }, [{ records: [ada] }]],
  ['read of version 1', 1, { operation: 'read', authentication: 'airtableTokenApi', application: id('appAAAAAAAAAAAAAA'), table: id('tblBBBBBBBBBBBBBB'), id: ada.id }, [ada]],
  ['update of version 1', 1, { operation: 'update', authentication: 'airtableTokenApi', application: id('appAAAAAAAAAAAAAA'), table: id('tblBBBBBBBBBBBBBB'), id: '={{ $json.id }}', options: {} }, [{ records: [ada] }], [{ id: ada.id, Name: 'Ada' }]],
  ['update of version 1 with some fields', 1, { operation: 'update', authentication: 'airtableTokenApi', application: id('appAAAAAAAAAAAAAA'), table: id('tblBBBBBBBBBBBBBB'), id: ada.id, updateAllFields: false, fields: ['Name'], options: {} }, [{ records: [ada] }], person],
  ['delete of version 1', 1, { operation: 'delete', authentication: 'airtableTokenApi', application: id('appAAAAAAAAAAAAAA'), table: id('tblBBBBBBBBBBBBBB'), id: ada.id }, [{ records: [{ id: ada.id, deleted: true }] }]],
]);

const values = (fields) => ({ fieldsUi: { fieldValues: Object.entries(fields).map(([fieldId, fieldValue]) => ({ fieldId, fieldValue })) } });
const where = (...rows) => ({ filters: { conditions: rows.map(([keyName, condition, keyValue, searchFunction]) => ({ keyName, condition, keyValue, ...(searchFunction && { searchFunction }) })) } });
const rows = [{ id: 1, name: 'Ada' }, { id: 2, name: 'Bob' }];

const supabase = of('supabase', [
  ['create', 1, { tableId: 'people', ...values({ name: '={{ $json.name }}', age: '36', note: '' }) }, [{ body: [rows[0]] }], [{ name: 'Ada' }]],
  ['create for two items', 1, { tableId: 'people', ...values({ name: '={{ $json.name }}' }) }, [{ body: rows }], [{ name: 'Ada' }, { name: 'Bob' }]],
  ['create from the item', 1, { tableId: 'people', dataToSend: 'autoMapInputData', inputsToIgnore: 'extra, more' }, [{ body: [rows[0]] }], [{ name: 'Ada', extra: 1, more: 2 }]],
  ['create from the item, all', 1, { tableId: 'people', dataToSend: 'autoMapInputData' }, [{ body: [rows[0]] }], [{ name: 'Ada', age: 36 }]],
  ['create in another schema', 1, { useCustomSchema: true, schema: 'app', tableId: 'people', ...values({ name: 'Ada' }) }, [{ body: [rows[0]] }]],
  ['getAll', 1, { operation: 'getAll', tableId: 'people', filterType: 'none' }, [{ body: rows }]],
  ['getAll with a condition', 1, { operation: 'getAll', tableId: 'people', limit: 10, ...where(['name', 'eq', '={{ $json.name }}']) }, [{ body: rows }], [{ name: 'Ada' }]],
  ['getAll with two conditions', 1, { operation: 'getAll', tableId: 'people', matchType: 'allFilters', ...where(['age', 'gte', '18'], ['name', 'neq', 'Bob B']) }, [{ body: rows }]],
  ['getAll with one of two conditions', 1, { operation: 'getAll', tableId: 'people', matchType: 'anyFilter', ...where(['age', 'lt', '18'], ['name', 'ilike', '*a*']) }, [{ body: rows }]],
  ['getAll where a value is null', 1, { operation: 'getAll', tableId: 'people', matchType: 'allFilters', ...where(['age', 'is', 'null'], ['id', 'in', '(1,2)']) }, [{ body: rows }]],
  ['getAll with a full text search', 1, { operation: 'getAll', tableId: 'people', ...where(['name', 'fullText', 'ada', 'plfts']) }, [{ body: rows }]],
  ['getAll with a filter as a text', 1, { operation: 'getAll', tableId: 'people', filterType: 'string', filterString: 'age=gte.18&name=eq.{{ $json.name }}' }, [{ body: rows }]],
  ['getAll of all', 1, { operation: 'getAll', tableId: 'people', returnAll: true, filterType: 'none' }, [{ body: rows, times: 1 }, { body: [] }]],
  ['getAll of all with a condition', 1, { operation: 'getAll', tableId: 'people', returnAll: true, ...where(['name', 'eq', 'Ada']) }, [{ body: rows, times: 1 }, { body: [] }]],
  ['getAll that finds nothing', 1, { operation: 'getAll', tableId: 'people', ...where(['name', 'eq', 'x']) }, [{ body: [] }]],
  ['get', 1, { operation: 'get', tableId: 'people', filters: { conditions: [{ keyName: 'name', keyValue: '={{ $json.name }}' }] } }, [{ body: [rows[0]] }], [{ name: 'Ada' }]],
  ['get by two columns', 1, { operation: 'get', tableId: 'people', filters: { conditions: [{ keyName: 'name', keyValue: 'Ada' }, { keyName: 'id', keyValue: '1' }] } }, [{ body: [rows[0]] }]],
  ['update', 1, { operation: 'update', tableId: 'people', ...where(['id', 'eq', '={{ $json.id }}']), ...values({ name: 'Ada', age: '37' }) }, [{ body: [rows[0]] }], [{ id: 1 }]],
  ['update of all that match', 1, { operation: 'update', tableId: 'people', matchType: 'allFilters', ...where(['id', 'eq', '1'], ['name', 'eq', 'Ada']), ...values({ age: '37' }) }, [{ body: rows }]],
  ['update from the item', 1, { operation: 'update', tableId: 'people', ...where(['id', 'eq', '={{ $json.id }}']), dataToSend: 'autoMapInputData', inputsToIgnore: 'id' }, [{ body: [rows[0]] }], [{ id: 1, name: 'Ada' }]],
  ['update with a filter as a text', 1, { operation: 'update', tableId: 'people', filterType: 'string', filterString: '=id=eq.{{ $json.id }}', ...values({ age: '37' }) }, [{ body: [rows[0]] }], [{ id: 1 }]],
  ['delete', 1, { operation: 'delete', tableId: 'people', ...where(['id', 'eq', '={{ $json.id }}']) }, [{ body: [rows[0]] }], [{ id: 1 }]],
  ['delete with a filter as a text', 1, { operation: 'delete', tableId: 'people', filterType: 'string', filterString: 'id=lt.5' }, [{ body: rows }]],
]);

const named = (fields) => ({ fieldsUi: { fieldValues: Object.entries(fields).map(([fieldName, fieldValue]) => ({ fieldName, fieldValue })) } });
const noco = { authentication: 'nocoDbApiToken', projectId: 'p1', table: 'm1' };

const nocoDb = of('nocoDb', [
  ['getAll', 3, { ...noco, operation: 'getAll', options: {} }, [{ list: [{ Id: 1, name: 'Ada' }], pageInfo: { isLastPage: true } }]],
  ['getAll with a limit', 3, { ...noco, operation: 'getAll', limit: 2, options: {} }, [{ list: [{ Id: 1, name: 'Ada' }], pageInfo: { isLastPage: true } }]],
  ['getAll of all', 3, { ...noco, operation: 'getAll', returnAll: true, options: {} }, [{ list: [{ Id: 1, name: 'Ada' }], pageInfo: { isLastPage: true } }]],
  ['getAll with a condition', 3, { ...noco, operation: 'getAll', options: { where: '=(name,eq,{{ $json.name }})' } }, [{ list: [{ Id: 1, name: 'Ada' }], pageInfo: { isLastPage: true } }], [{ name: 'Ada' }]],
  ['getAll with fields and an order', 3, { ...noco, operation: 'getAll', options: { fields: ['name', 'age'], sort: { property: [{ field: 'name', direction: 'desc' }, { field: 'age', direction: 'asc' }] } } }, [{ list: [{ name: 'Ada', age: 36 }], pageInfo: { isLastPage: true } }]],
  ['get', 3, { ...noco, operation: 'get', id: '={{ $json.id }}' }, [{ Id: 7, name: 'Ada' }], [{ id: 7 }]],
  ['create', 3, { ...noco, operation: 'create', ...named({ name: '={{ $json.name }}', age: '36' }) }, [{ body: [{ Id: 7 }] }], [{ name: 'Ada' }]],
  ['create from the item', 3, { ...noco, operation: 'create', dataToSend: 'autoMapInputData', inputsToIgnore: 'extra' }, [{ body: [{ Id: 7 }] }], [{ name: 'Ada', extra: 1 }]],
  ['create for two items', 3, { ...noco, operation: 'create', ...named({ name: '={{ $json.name }}' }) }, [{ body: [{ Id: 7 }, { Id: 8 }] }], [{ name: 'Ada' }, { name: 'Bob' }]],
  ['update', 3, { ...noco, operation: 'update', ...named({ Id: '={{ $json.id }}', name: 'Ada' }) }, [{ body: [{ Id: 7 }] }], [{ id: 7 }]],
  ['update by the id', 3, { ...noco, operation: 'update', id: '={{ $json.id }}', ...named({ name: 'Ada' }) }, [{ body: [{ Id: 7 }] }], [{ id: 7 }]],
  ['delete', 3, { ...noco, operation: 'delete', id: '={{ $json.id }}' }, [{ body: [{ Id: 7 }] }], [{ id: 7 }]],
  ['getAll of version 2', 2, { ...noco, operation: 'getAll', options: {} }, [{ list: [{ Id: 1, name: 'Ada' }], pageInfo: { isLastPage: true } }]],
]);

// ---- Notion ----

const pageId = '11111111-2222-3333-4444-555555555555';
const databaseId = 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee';
const plain = (text) => [{ type: 'text', text: { content: text, link: null }, annotations: { bold: false, italic: false, strikethrough: false, underline: false, code: false, color: 'default' }, plain_text: text, href: null }];
const notionDatabase = {
  object: 'database', id: databaseId, created_time: '2026-01-02T03:04:05.000Z', last_edited_time: '2026-01-02T03:04:05.000Z', title: plain('Tasks'),
  properties: { Name: { id: 'title', name: 'Name', type: 'title', title: {} }, Status: { id: 'a', name: 'Status', type: 'select', select: { options: [] } } },
  url: 'https://www.notion.so/aaaaaaaabbbbccccddddeeeeeeeeeeee', archived: false,
};
const notionPage = {
  object: 'page', id: pageId, created_time: '2026-01-02T03:04:05.000Z', last_edited_time: '2026-01-02T03:05:05.000Z',
  created_by: { object: 'user', id: 'u1' }, last_edited_by: { object: 'user', id: 'u1' }, cover: null, icon: null,
  parent: { type: 'database_id', database_id: databaseId }, archived: false, in_trash: false,
  properties: {
    Name: { id: 'title', type: 'title', title: plain('First') },
    Text: { id: 'b', type: 'rich_text', rich_text: [...plain('one '), ...plain('two')] },
    Empty: { id: 'b2', type: 'rich_text', rich_text: [] },
    Count: { id: 'c', type: 'number', number: 3 },
    'Due date': { id: 'd', type: 'date', date: { start: '2026-03-14', end: null, time_zone: null } },
    Status: { id: 'e', type: 'status', status: { id: 's', name: 'Done', color: 'green' } },
    Kind: { id: 'f', type: 'select', select: { id: 'o', name: 'A', color: 'red' } },
    'No kind': { id: 'f2', type: 'select', select: null },
    Tags: { id: 'g', type: 'multi_select', multi_select: [{ id: 'x', name: 'X', color: 'red' }, { id: 'y', name: 'Y', color: 'blue' }] },
    Site: { id: 'h', type: 'url', url: 'https://example.com' },
    Mail: { id: 'i', type: 'email', email: 'ada@example.com' },
    Phone: { id: 'j', type: 'phone_number', phone_number: '+1' },
    Checked: { id: 'k', type: 'checkbox', checkbox: true },
    Related: { id: 'l', type: 'relation', relation: [{ id: 'r1' }], has_more: false },
    People: { id: 'm', type: 'people', people: [{ object: 'user', id: 'u1', name: 'Ada', person: { email: 'ada@example.com' } }] },
    Files: { id: 'n', type: 'files', files: [{ name: 'a', type: 'external', external: { url: 'https://example.com/a.png' } }, { name: 'b', type: 'file', file: { url: 'https://example.com/b.png' } }] },
    Sum: { id: 'o', type: 'formula', formula: { type: 'number', number: 7 } },
    Rolled: { id: 'p', type: 'rollup', rollup: { type: 'number', number: 2, function: 'sum' } },
    List: { id: 'p2', type: 'rollup', rollup: { type: 'array', array: [{ type: 'number', number: 2 }], function: 'show_original' } },
    Made: { id: 'q', type: 'created_time', created_time: '2026-01-02T03:04:05.000Z' },
    By: { id: 'r', type: 'created_by', created_by: { object: 'user', id: 'u1' } },
    Number: { id: 's', type: 'unique_id', unique_id: { prefix: 'T', number: 4 } },
  },
  url: 'https://www.notion.so/First-11111111222233334444555555555555', public_url: null,
};
const small = { ...notionPage, properties: { Name: notionPage.properties.Name } };
const subpage = { ...small, parent: { type: 'page_id', page_id: databaseId }, properties: { title: { id: 'title', type: 'title', title: plain('First') } } };
const property = (key, more) => ({ key, ...more });
const properties = (...propertyValues) => ({ propertiesUi: { propertyValues } });
const inDatabase = { resource: 'databasePage', databaseId: id(databaseId), options: {} };
const ofPage = { resource: 'databasePage', operation: 'update', pageId: id(pageId), options: {} };
const created = [{ method: 'GET', body: notionDatabase }, { body: small }];
const text = (content, more = {}) => ({ textContent: content, ...more });
const blocks = (...blockValues) => ({ blockUi: { blockValues } });
const found = (...results) => [{ object: 'list', results, next_cursor: null, has_more: false }];
const block = (type, content, more = {}) => ({ object: 'block', id: `block-${type}`, parent: { type: 'page_id', page_id: pageId }, created_time: '2026-01-02T03:04:05.000Z', last_edited_time: '2026-01-02T03:04:05.000Z', has_children: false, archived: false, type, [type]: content, ...more });
const filter = (...conditions) => ({ filterType: 'manual', filters: { conditions } });
const inList = { resource: 'databasePage', operation: 'getAll', databaseId: id(databaseId), options: {} };

const notion = of('notion', [
  ['databasePage: create with a title', 2.2, { ...inDatabase, title: '={{ $json.t }}' }, created, [{ t: 'First' }]],
  ['databasePage: create, not simple', 2.2, { ...inDatabase, title: 'First', simple: false }, created],
  ['databasePage: create with texts', 2.2, { ...inDatabase, ...properties(property('Name|title', { title: '={{ $json.t }}' }), property('Text|rich_text', { textContent: '={{ $json.t }} 2' }), property('Site|url', { urlValue: 'https://example.com' }), property('Mail|email', { emailValue: 'ada@example.com' }), property('Phone|phone_number', { phoneValue: '+1' })) }, created, [{ t: 'First' }]],
  ['databasePage: create with choices', 2.2, { ...inDatabase, title: 'First', ...properties(property('Kind|select', { selectValue: 'A' }), property('Status|status', { statusValue: '={{ $json.s }}' }), property('Tags|multi_select', { multiSelectValue: ['X', 'Y'] })) }, created, [{ s: 'Done' }]],
  ['databasePage: create with tags from an expression', 2.2, { ...inDatabase, title: 'First', ...properties(property('Tags|multi_select', { multiSelectValue: '={{ $json.tags }}' })) }, created, [{ tags: ['X', 'Y'] }]],
  ['databasePage: create with numbers and a checkbox', 2.2, { ...inDatabase, title: 'First', ...properties(property('Count|number', { numberValue: '={{ $json.n }}' }), property('Zero|number', { numberValue: 0 }), property('Checked|checkbox', { checkboxValue: true })) }, created, [{ n: 3 }]],
  ['databasePage: create with a date', 2.2, { ...inDatabase, title: 'First', ...properties(property('Due|date', { date: '2026-03-14T00:00:00' })) }, created],
  ['databasePage: create with a date without time', 2.2, { ...inDatabase, title: 'First', ...properties(property('Due|date', { date: '={{ $json.d }}', includeTime: false })) }, created, [{ d: '2026-03-14T10:20:30.000Z' }]],
  ['databasePage: create with a date of a zone', 2.2, { ...inDatabase, title: 'First', ...properties(property('Due|date', { date: '2026-03-14T10:00:00', timezone: 'Europe/Madrid' })) }, created],
  ['databasePage: create with a range of dates', 2.2, { ...inDatabase, title: 'First', ...properties(property('Due|date', { range: true, dateStart: '2026-03-14T00:00:00', dateEnd: '2026-03-15T00:00:00', includeTime: false })) }, created],
  ['databasePage: create with relations and people', 2.2, { ...inDatabase, title: 'First', ...properties(property('Related|relation', { relationValue: ['={{ $json.r }}'] }), property('People|people', { peopleValue: ['u1'] })) }, created, [{ r: 'a1b2c3d4-1234-4234-8234-123456789abc' }]],
  ['databasePage: create with files', 2.2, { ...inDatabase, title: 'First', ...properties(property('Files|files', { fileUrls: { fileUrl: [{ name: 'a.png', url: 'https://example.com/a.png' }] } })) }, created],
  ['databasePage: create with rich text', 2.2, { ...inDatabase, title: 'First', ...properties(property('Text|rich_text', { richText: true, text: { text: [{ text: 'bold', annotationUi: { bold: true } }, { text: 'link', isLink: true, textLink: 'https://example.com', annotationUi: {} }] } })) }, created],
  ['databasePage: create without what is empty', 2.2, { ...inDatabase, title: 'First', ...properties(property('Due|date', { ignoreIfEmpty: true, date: '={{ $json.d }}' }), property('Site|url', { ignoreIfEmpty: true, urlValue: '' })) }, created, [{ d: '' }]],
  ['databasePage: create with an icon', 2.2, { ...inDatabase, title: 'First', options: { icon: '🎉' } }, created],
  ['databasePage: create with an icon from a URL', 2.2, { ...inDatabase, title: 'First', options: { iconType: 'file', icon: 'https://example.com/i.png' } }, created],
  ['databasePage: create with blocks', 2.2, { ...inDatabase, title: 'First', ...blocks(text('Hello'), text('={{ $json.t }}', { type: 'heading_1' }), text('x', { type: 'to_do', checked: true }), text('y', { type: 'bulleted_list_item' })) }, created, [{ t: 'First' }]],
  ['databasePage: create with a block of rich text', 2.2, { ...inDatabase, title: 'First', ...blocks({ richText: true, text: { text: [{ text: 'bold', annotationUi: { bold: true, color: 'red' } }] } }) }, created],
  ['databasePage: create in a database by its URL', 2.2, { ...inDatabase, databaseId: id('https://www.notion.so/aaaaaaaabbbbccccddddeeeeeeeeeeee?v=1', 'url'), title: 'First' }, created],
  ['databasePage: create in version 2', 2, { ...inDatabase, databaseId, title: 'First', ...properties(property('Text|rich_text', { textContent: 'x' })) }, created],
  ['databasePage: create in version 1', 1, { ...inDatabase, databaseId, ...properties(property('Name|title', { title: 'First' }), property('Text|rich_text', { textContent: 'x' })) }, created],
  ['databasePage: update texts', 2.2, { ...ofPage, ...properties(property('Name|title', { title: 'First' }), property('Text|rich_text', { textContent: '={{ $json.t }}' })) }, [small], [{ t: 'x' }]],
  ['databasePage: update choices', 2.2, { ...ofPage, ...properties(property('Kind|select', { selectValue: 'A' }), property('Status|status', { statusValue: 'Done' }), property('Checked|checkbox', { checkboxValue: '={{ $json.c }}' })) }, [small], [{ c: true }]],
  ['databasePage: update a date', 2.2, { ...ofPage, ...properties(property('Due|date', { date: '={{ $json.d }}' })) }, [small], [{ d: '2026-03-14T10:20:30.000Z' }]],
  ['databasePage: update an id from an expression', 2.2, { ...ofPage, pageId: id('={{ $json.id }}'), ...properties(property('Count|number', { numberValue: 4 })) }, [small], [{ id: pageId }]],
  ['databasePage: update by a URL', 2.2, { ...ofPage, pageId: id('https://www.notion.so/First-11111111222233334444555555555555', 'url'), ...properties(property('Count|number', { numberValue: 4 })) }, [small]],
  ['databasePage: update, not simple', 2.2, { ...ofPage, simple: false, ...properties(property('Count|number', { numberValue: 4 })) }, [small]],
  ['databasePage: get', 2.2, { resource: 'databasePage', operation: 'get', pageId: id(pageId) }, [notionPage]],
  ['databasePage: get, not simple', 2.2, { resource: 'databasePage', operation: 'get', pageId: id(pageId), simple: false }, [notionPage]],
  ['databasePage: get in version 2', 2, { resource: 'databasePage', operation: 'get', pageId: id(pageId) }, [notionPage]],
  ['databasePage: getAll', 2.2, { ...inList }, found(notionPage)],
  ['databasePage: getAll of all', 2.2, { ...inList, returnAll: true }, found(small)],
  ['databasePage: getAll with a limit, not simple', 2.2, { ...inList, limit: 5, simple: false }, found(small)],
  ['databasePage: getAll that finds nothing', 2.2, { ...inList, ...filter({ key: 'Name|title', condition: 'equals', titleValue: 'x' }) }, found()],
  ['databasePage: getAll with a text', 2.2, { ...inList, ...filter({ key: 'Text|rich_text', condition: 'equals', richTextValue: '={{ $json.t }}' }) }, found(small), [{ t: 'x' }]],
  ['databasePage: getAll with a title and a URL', 2.2, { ...inList, matchType: 'allFilters', ...filter({ key: 'Name|title', condition: 'contains', titleValue: 'x' }, { key: 'Site|url', condition: 'equals', urlValue: 'https://example.com' }) }, found(small)],
  ['databasePage: getAll with choices', 2.2, { ...inList, matchType: 'anyFilter', ...filter({ key: 'Status|status', condition: 'equals', statusValue: 'Done' }, { key: 'Kind|select', condition: 'does_not_equal', selectValue: 'A' }, { key: 'Tags|multi_select', condition: 'contains', multiSelectValue: 'X' }) }, found(small)],
  ['databasePage: getAll with a checkbox, a number and what is empty', 2.2, { ...inList, matchType: 'allFilters', ...filter({ key: 'Checked|checkbox', condition: 'equals', checkboxValue: true }, { key: 'Count|number', condition: 'greater_than', numberValue: 2 }, { key: 'Mail|email', condition: 'is_empty' }) }, found(small)],
  ['databasePage: getAll with a date', 2.2, { ...inList, ...filter({ key: 'Due|date', condition: 'on_or_after', date: '2026-03-14T00:00:00' }) }, found(small)],
  ['databasePage: getAll with a relation', 2.2, { ...inList, ...filter({ key: 'Related|relation', condition: 'contains', relationValue: pageId }) }, found(small)],
  ['databasePage: getAll with a filter in JSON', 2.2, { ...inList, filterType: 'json', filterJson: '={"property":"Name","title":{"equals":"{{ $json.t }}"}}' }, found(small), [{ t: 'x' }]],
  ['databasePage: getAll with an order', 2.2, { ...inList, options: { sort: { sortValue: [{ key: 'Name|title', direction: 'ascending' }, { timestamp: true, key: 'created_time', direction: 'descending' }] } } }, found(small)],
  ['databasePage: getAll in version 2', 2, { ...inList, databaseId }, found(small)],
  ['databasePage: getAll in version 1', 1, { ...inList, databaseId }, found(small)],
  ['page: create', 2.2, { pageId: id(pageId), title: '={{ $json.t }}', options: {} }, [subpage], [{ t: 'First' }]],
  ['page: create with blocks', 2.2, { pageId: id(pageId), title: 'First', ...blocks(text('Hello'), text('x', { type: 'heading_2' }), text('y', { type: 'numbered_list_item' })), options: {} }, [subpage]],
  ['page: create with an icon', 2.2, { pageId: id(pageId), title: 'First', options: { icon: '🎉' } }, [subpage]],
  ['page: archive', 2.2, { operation: 'archive', pageId: id(pageId) }, [{ ...subpage, archived: true }]],
  ['page: search', 2.2, { operation: 'search', text: '={{ $json.t }}', options: {} }, found(subpage), [{ t: 'x' }]],
  ['page: search of all', 2.2, { operation: 'search', text: 'x', returnAll: true, options: {} }, found(subpage, small)],
  ['page: search for pages with an order', 2.2, { operation: 'search', text: 'x', limit: 3, options: { filter: { filters: { property: 'object', value: 'page' } }, sort: { sortValue: { direction: 'ascending', timestamp: 'last_edited_time' } } } }, found(subpage)],
  ['database: get', 2.2, { resource: 'database', databaseId: id(databaseId) }, [notionDatabase]],
  ['database: get, not simple', 2.2, { resource: 'database', databaseId: id(databaseId), simple: false }, [notionDatabase]],
  ['database: getAll', 2.2, { resource: 'database', operation: 'getAll' }, found(notionDatabase)],
  ['database: getAll of all', 2.2, { resource: 'database', operation: 'getAll', returnAll: true }, found(notionDatabase)],
  ['database: search', 2.2, { resource: 'database', operation: 'search', text: 'x', options: {} }, found(notionDatabase)],
  ['block: append', 2.2, { resource: 'block', blockId: id(pageId), ...blocks(text('={{ $json.t }}'), text('x', { type: 'to_do', checked: false })) }, found(block('paragraph', { text: plain('x') })), [{ t: 'x' }]],
  ['block: append rich text and an image', 2.2, { resource: 'block', blockId: id(pageId), ...blocks({ type: 'paragraph', richText: true, text: { text: [{ text: 'link', isLink: true, textLink: 'https://example.com' }, { text: 'i', annotationUi: { italic: true } }] } }, { type: 'image', url: 'https://example.com/a.png' }) }, found(block('paragraph', { text: plain('x') }))],
  ['block: append in version 2', 2, { resource: 'block', blockId: pageId, ...blocks(text('x', { type: 'paragraph' })) }, found(block('paragraph', { text: plain('x') }))],
  ['block: getAll', 2.2, { resource: 'block', operation: 'getAll', blockId: id(pageId) }, found(block('paragraph', { text: plain('x') }), block('child_page', { title: 'Sub' }), block('image', { type: 'external', external: { url: 'https://example.com/a.png' } }), block('to_do', { text: [...plain('a'), ...plain('b')], checked: true }), block('divider', {}), block('code', { text: plain('let a'), language: 'javascript' }), block('child_database', { title: 'Db' }))],
  ['block: getAll of all, not simple', 2.2, { resource: 'block', operation: 'getAll', blockId: id(pageId), returnAll: true, simplifyOutput: false }, found(block('paragraph', { text: plain('x') }))],
  ['block: getAll of all with blocks within', 2.2, { resource: 'block', operation: 'getAll', blockId: id(pageId), returnAll: true, fetchNestedBlocks: true }, [{ url: pageId, body: found(block('toggle', { text: plain('x') }, { has_children: true }))[0] }, found(block('paragraph', { text: plain('y') }))[0]]],
  ['block: getAll by a URL in version 2', 2, { resource: 'block', operation: 'getAll', blockId: pageId }, found(block('paragraph', { text: plain('x') }))],
  ['user: getAll', 2.2, { resource: 'user', operation: 'getAll' }, found({ object: 'user', id: 'u1', name: 'Ada', type: 'person' })],
  ['user: get', 2.2, { resource: 'user', userId: 'u1' }, [{ object: 'user', id: 'u1', name: 'Ada', type: 'person' }]],
]);

// ---- CRMs ----

const hubspotObject = (number, properties) => ({ id: String(number), properties, createdAt: '2026-01-02T03:04:05.000Z', updatedAt: '2026-01-02T03:04:05.000Z', archived: false });
const hubspotValue = (value) => ({ value, timestamp: 1, source: 'API', sourceId: null, versions: [] });
const hubspotContact = { vid: 512, 'canonical-vid': 512, 'is-contact': true, properties: { email: hubspotValue('ada@example.com'), firstname: hubspotValue('Ada') } };
const hubspotCompany = { portalId: 1, companyId: 12, isDeleted: false, properties: { name: hubspotValue('Acme'), domain: hubspotValue('acme.example') } };
const hubspotDeal = { portalId: 1, dealId: 13, isDeleted: false, associations: { associatedVids: [], associatedCompanyIds: [], associatedDealIds: [], associatedTicketIds: [] }, properties: { dealname: hubspotValue('Big'), dealstage: hubspotValue('s1') } };
const hubspotTicket = { objectType: 'TICKET', portalId: 1, objectId: 14, properties: { subject: hubspotValue('Help') }, version: 1, isDeleted: false };
const app = { authentication: 'appToken' };
const hubspotUpsert = [{ method: 'POST', url: '/contact/createOrUpdate', body: { vid: 512, isNew: true } }, { method: 'POST', url: 'batch/upsert', body: { results: [{ ...hubspotObject(512, { email: 'ada@example.com' }), new: true }] } }, hubspotContact];
const custom = (values) => ({ customPropertiesUi: { customPropertiesValues: Object.entries(values).map(([property, value]) => ({ property, value })) } });
const hubspotWhere = (...groups) => ({ filterGroupsUi: { filterGroupsValues: groups.map((each) => ({ filtersUi: { filterValues: each.map(([propertyName, operator, value]) => ({ propertyName, ...(operator && { operator }), ...(value !== undefined && { value }) })) } })) } });
const hubspotFound = (...results) => [{ total: results.length, results }];

const hubspot = of('hubspot', [
  ['contact: upsert', 2.1, { ...app, email: '={{ $json.email }}', options: {}, additionalFields: { firstName: 'Ada', lastName: 'L', companyName: 'Acme' } }, hubspotUpsert, [{ email: 'ada@example.com' }]],
  ['contact: upsert of version 2', 2, { ...app, email: 'ada@example.com', options: {}, additionalFields: { firstName: 'Ada', jobTitle: 'CEO', phoneNumber: '+1', country: 'UK', websiteUrl: 'https://a.example', city: 'London', industry: 'IT' } }, hubspotUpsert],
  ['contact: upsert of version 2.2 with own properties', 2.2, { ...app, email: 'ada@example.com', options: {}, additionalFields: { linkedinUrl: 'https://l.example', companySize: '5', message: 'hi', mobilePhoneNumber: '+2', streetAddress: 'S', postalCode: '1', ...custom({ own: '={{ $json.n }}' }) } }, hubspotUpsert],
  ['contact: upsert with more fields', 2.1, { ...app, email: 'ada@example.com', options: {}, additionalFields: { salutation: 'Mrs', gender: 'f', jobFunction: 'x', twitterUsername: 't', school: 's', leadStatus: 'NEW', membershipNote: 'm', contactOwner: 7, lifeCycleStage: 'lead', stateRegion: 'CA', associatedCompanyId: 12 } }, hubspotUpsert],
  ['contact: upsert without data of the answer', 2.1, { ...app, email: 'ada@example.com', options: { resolveData: false }, additionalFields: {} }, hubspotUpsert],
  ['contact: upsert of version 1', 1, { ...app, resource: 'contact', email: 'ada@example.com', resolveData: true, additionalFields: { firstName: 'Ada' } }, hubspotUpsert],
  ['contact: get', 2.1, { ...app, operation: 'get', contactId: id('={{ $json.id }}'), additionalFields: {} }, [hubspotContact], [{ id: 512 }]],
  ['contact: get with properties', 2.1, { ...app, operation: 'get', contactId: id('512'), additionalFields: { propertiesCollection: { propertiesValues: { properties: ['email', 'firstname'], propertyMode: 'valueOnly' } } } }, [hubspotContact]],
  ['contact: get of version 1', 1, { ...app, resource: 'contact', operation: 'get', contactId: '512', additionalFields: {} }, [hubspotContact]],
  ['contact: getAll', 2.1, { ...app, operation: 'getAll', limit: 2, additionalFields: {} }, [{ contacts: [hubspotContact], 'has-more': false, 'vid-offset': 1, results: [] }]],
  ['contact: getAll of all', 2.1, { ...app, operation: 'getAll', returnAll: true, additionalFields: {} }, [{ contacts: [hubspotContact], 'has-more': false, 'vid-offset': 1, results: [] }]],
  ['contact: search', 2.1, { ...app, operation: 'search', ...hubspotWhere([['email|string', undefined, '={{ $json.email }}']]), additionalFields: {} }, hubspotFound(hubspotObject(512, { email: 'ada@example.com' })), [{ email: 'ada@example.com' }]],
  ['contact: search with operators and properties', 2.1, { ...app, operation: 'search', limit: 5, ...hubspotWhere([['createdate|datetime', 'GTE', '2026-01-01'], ['email|string', 'HAS_PROPERTY']], [['firstname|string', 'CONTAINS_TOKEN', 'Ada']]), additionalFields: { properties: ['email', 'firstname'], query: 'ada', direction: 'ASCENDING', sortBy: 'createdate' } }, hubspotFound(hubspotObject(512, { email: 'ada@example.com' }))],
  ['contact: search of all', 2.1, { ...app, operation: 'search', returnAll: true, ...hubspotWhere([['email|string', 'EQ', 'ada@example.com']]), additionalFields: {} }, hubspotFound(hubspotObject(512, { email: 'ada@example.com' }))],
  ['contact: search of version 1', 1, { ...app, resource: 'contact', operation: 'search', ...hubspotWhere([['email', 'EQ', 'ada@example.com']]), additionalFields: {} }, hubspotFound(hubspotObject(512, { email: 'ada@example.com' }))],
  ['contact: getRecentlyCreatedUpdated', 2.1, { ...app, operation: 'getRecentlyCreatedUpdated', limit: 2, additionalFields: {} }, [{ contacts: [hubspotContact], results: [] }]],
  ['contact: delete', 2.1, { ...app, operation: 'delete', contactId: id('512') }, [{ vid: 512, deleted: true, reason: 'OK' }]],
  ['company: create', 2.1, { ...app, resource: 'company', name: '={{ $json.name }}', additionalFields: { companyDomainName: 'acme.example', description: 'd', countryRegion: 'UK', websiteUrl: 'https://acme.example', yearFounded: '1990', numberOfEmployees: 5, city: 'London' } }, [{ body: hubspotCompany }], [{ name: 'Acme' }]],
  ['company: create with more fields', 2.1, { ...app, resource: 'company', name: 'Acme', additionalFields: { postalCode: '1', phoneNumber: '+1', streetAddress: 's', twitterHandle: 't', annualRevenue: 10, stateRegion: 'r', timezone: 'z', linkedInCompanyPage: 'l', totalMoneyRaised: '5', twitterFollowers: 4, twitterBio: 'b', lifecycleStatus: 'lead', companyOwner: 7, ...custom({ own: 'x' }) } }, [hubspotCompany]],
  ['company: update', 2.1, { ...app, resource: 'company', operation: 'update', companyId: id('={{ $json.id }}'), updateFields: { description: 'd', countryRegion: 'UK', city: 'L', name: 'Acme', ...custom({ own: 'x' }) } }, [hubspotCompany], [{ id: 12 }]],
  ['company: get', 2.1, { ...app, resource: 'company', operation: 'get', companyId: id('12'), additionalFields: {} }, [hubspotCompany]],
  ['company: getAll', 2.1, { ...app, resource: 'company', operation: 'getAll', limit: 2, options: {} }, [{ companies: [hubspotCompany], 'has-more': false, offset: 1, results: [] }]],
  ['company: getAll with properties', 2.1, { ...app, resource: 'company', operation: 'getAll', returnAll: true, options: { propertiesCollection: { propertiesValues: { properties: ['name'], propertyMode: 'properties' } } } }, [{ companies: [hubspotCompany], 'has-more': false, offset: 1, results: [] }]],
  ['company: searchByDomain', 2.1, { ...app, resource: 'company', operation: 'searchByDomain', domain: '={{ $json.d }}', limit: 1, options: {} }, hubspotFound(hubspotCompany), [{ d: 'acme.example' }]],
  ['company: getRecentlyCreatedUpdated', 2.1, { ...app, resource: 'company', operation: 'getRecentlyCreatedUpdated', limit: 2, additionalFields: {} }, hubspotFound(hubspotCompany)],
  ['company: delete', 2.1, { ...app, resource: 'company', operation: 'delete', companyId: id('12') }, [{ companyId: 12, deleted: true }]],
  ['deal: create', 2.1, { ...app, resource: 'deal', stage: 's1', additionalFields: { dealName: 'Big', amount: '={{ $json.n }}', pipeline: 'default', description: 'd', closeDate: '2026-03-14T00:00:00' } }, [hubspotDeal]],
  ['deal: create with associations', 2.1, { ...app, resource: 'deal', stage: 's1', additionalFields: { dealName: 'Big', associatedVids: [512], associatedCompany: [12] } }, [hubspotDeal]],
  ['deal: create of version 1', 1, { ...app, stage: 's1', additionalFields: { dealName: 'Big', amount: '5' } }, [hubspotDeal]],
  ['deal: update', 2.1, { ...app, resource: 'deal', operation: 'update', dealId: id('13'), updateFields: { stage: 's2', dealOwner: id('7'), dealName: 'B' } }, [hubspotDeal]],
  ['deal: get', 2.1, { ...app, resource: 'deal', operation: 'get', dealId: id('13'), additionalFields: {} }, [hubspotDeal]],
  ['deal: getAll', 2.1, { ...app, resource: 'deal', operation: 'getAll', returnAll: true, filters: { propertiesCollection: { propertiesValues: { properties: ['dealname'] } } } }, [{ deals: [hubspotDeal], hasMore: false, offset: 1, results: [] }]],
  ['deal: getAll with a limit', 2.1, { ...app, resource: 'deal', operation: 'getAll', limit: 2, filters: {} }, [{ deals: [hubspotDeal], hasMore: false, offset: 1, results: [] }]],
  ['deal: search', 2.1, { ...app, resource: 'deal', operation: 'search', ...hubspotWhere([['dealname', 'EQ', 'Big']]), additionalFields: {} }, hubspotFound(hubspotObject(13, { dealname: 'Big' }))],
  ['deal: delete', 2.1, { ...app, resource: 'deal', operation: 'delete', dealId: id('13') }, [{ body: '' }]],
  ['ticket: create', 2.1, { ...app, resource: 'ticket', pipelineId: '0', stageId: '1', ticketName: 'Help', additionalFields: { description: 'd', priority: 'HIGH' } }, [hubspotTicket]],
  ['ticket: create with an owner and contacts', 2.1, { ...app, resource: 'ticket', pipelineId: '0', stageId: '1', ticketName: 'Help', additionalFields: { ticketOwnerId: 7, associatedContactIds: [512] } }, [hubspotTicket]],
  ['ticket: update', 2.1, { ...app, resource: 'ticket', operation: 'update', ticketId: id('14'), updateFields: { ticketName: 'H', stageId: '2' } }, [hubspotTicket]],
  ['ticket: get', 2.1, { ...app, resource: 'ticket', operation: 'get', ticketId: id('14'), additionalFields: {} }, [hubspotTicket]],
  ['ticket: getAll', 2.1, { ...app, resource: 'ticket', operation: 'getAll', limit: 2, additionalFields: {} }, [{ objects: [hubspotTicket], hasMore: false, offset: 1, results: [] }]],
  ['ticket: delete', 2.1, { ...app, resource: 'ticket', operation: 'delete', ticketId: id('14') }, [{ body: '' }]],
  ['engagement: create a task', 2.1, { ...app, resource: 'engagement', type: 'task', metadata: { body: 'b', subject: 's', status: 'NOT_STARTED', forObjectType: 'CONTACT' }, additionalFields: { associations: { contactIds: '={{ $json.id }}' } } }, [{ engagement: { id: 9, type: 'TASK' }, associations: {}, metadata: {} }], [{ id: 512 }]],
  ['engagement: create a meeting', 2.1, { ...app, resource: 'engagement', type: 'meeting', metadata: { body: 'b', title: 't', startTime: '2026-03-14T10:00:00Z', endTime: '2026-03-14T11:00:00Z' }, additionalFields: { associations: { contactIds: '512, 513', dealIds: '13' } } }, [{ engagement: { id: 9, type: 'MEETING' }, associations: {}, metadata: {} }]],
  ['engagement: create an e-mail', 2.1, { ...app, resource: 'engagement', type: 'email', metadata: { subject: 's', html: '<p>x</p>', fromEmail: 'a@example.com', firstName: 'A', toEmail: ['b@example.com'] }, additionalFields: { associations: { contactIds: '512' } } }, [{ engagement: { id: 9, type: 'EMAIL' }, associations: {}, metadata: {} }]],
  ['engagement: create a call', 2.1, { ...app, resource: 'engagement', type: 'call', metadata: { body: 'b', status: 'COMPLETED' }, additionalFields: {} }, [{ engagement: { id: 9, type: 'CALL' }, associations: {}, metadata: {} }]],
]);

const pipedriveDone = (data) => [{ success: true, data }];
const pipedrivePages = (data) => [{ success: true, data, additional_data: { pagination: { start: 0, limit: 100, more_items_in_collection: false } } }];
const pipedriveFound = (...items) => [{ success: true, data: { items: items.map((item) => ({ result_score: 0.5, item })) }, additional_data: { pagination: { start: 0, limit: 100, more_items_in_collection: false } } }];
const customs = (values) => ({ customProperties: { property: Object.entries(values).map(([name, value]) => ({ name, value })) } });

const pipedrive = of('pipedrive', [
  ['person: create', 1, { resource: 'person', name: '={{ $json.name }}', additionalFields: { email: ['ada@example.com'] } }, pipedriveDone({ id: 1, name: 'Ada' }), [{ name: 'Ada' }]],
  ['person: create with more', 1, { resource: 'person', name: 'Ada', additionalFields: { email: ['a@example.com', 'b@example.com'], phone: ['+1'], org_id: 3, owner_id: 4, label: 5, visible_to: '3', ...customs({ abc: 'x' }) } }, pipedriveDone({ id: 1, name: 'Ada' })],
  ['person: update', 1, { resource: 'person', operation: 'update', personId: '={{ $json.id }}', updateFields: { name: 'Ada', phone: ['+1'] } }, pipedriveDone({ id: 1, name: 'Ada' }), [{ id: 1 }]],
  ['person: update own properties', 1, { resource: 'person', operation: 'update', personId: 1, updateFields: { email: ['a@example.com'], ...customs({ abc: 'x' }) } }, pipedriveDone({ id: 1, name: 'Ada' })],
  ['person: get', 1, { resource: 'person', operation: 'get', personId: '={{ $json.id }}' }, pipedriveDone({ id: 1, name: 'Ada' }), [{ id: 1 }]],
  ['person: getAll', 1, { resource: 'person', operation: 'getAll', additionalFields: {} }, pipedrivePages([{ id: 1, name: 'Ada' }])],
  ['person: getAll of all', 1, { resource: 'person', operation: 'getAll', returnAll: true, additionalFields: {} }, pipedrivePages([{ id: 1, name: 'Ada' }])],
  ['person: search', 1, { resource: 'person', operation: 'search', term: '={{ $json.t }}', additionalFields: {} }, pipedriveFound({ id: 1, name: 'Ada' }), [{ t: 'ada' }]],
  ['person: search in fields', 1, { resource: 'person', operation: 'search', term: 'ada', limit: 1, additionalFields: { fields: 'email', exactMatch: true } }, pipedriveFound({ id: 1, name: 'Ada' })],
  ['person: search that finds nothing', 1, { resource: 'person', operation: 'search', term: 'ada', additionalFields: {} }, pipedriveFound()],
  ['person: delete', 1, { resource: 'person', operation: 'delete', personId: 1 }, pipedriveDone({ id: 1 })],
  ['deal: create', 1, { title: '={{ $json.t }}', associateWith: 'person', person_id: 5, additionalFields: { value: 100, currency: 'EUR', status: 'open' } }, pipedriveDone({ id: 2, title: 'Big' }), [{ t: 'Big' }]],
  ['deal: create for an organization', 1, { title: 'Big', org_id: '3', additionalFields: { ...customs({ abc: 'x' }) } }, pipedriveDone({ id: 2, title: 'Big' })],
  ['deal: update', 1, { operation: 'update', dealId: 2, updateFields: { title: 'Big', value: 5, status: 'won', probability: 50 } }, pipedriveDone({ id: 2, title: 'Big' })],
  ['deal: get', 1, { operation: 'get', dealId: '={{ $json.id }}' }, pipedriveDone({ id: 2, title: 'Big' }), [{ id: 2 }]],
  ['deal: getAll', 1, { operation: 'getAll', filters: {} }, pipedrivePages([{ id: 2, title: 'Big' }])],
  ['deal: getAll of all', 1, { operation: 'getAll', returnAll: true, filters: {} }, pipedrivePages([{ id: 2, title: 'Big' }])],
  ['deal: search', 1, { operation: 'search', term: 'big', additionalFields: {} }, pipedriveFound({ id: 2, title: 'Big' })],
  ['deal: delete', 1, { operation: 'delete', dealId: 2 }, pipedriveDone({ id: 2 })],
  ['organization: create', 1, { resource: 'organization', name: 'Acme', additionalFields: {} }, pipedriveDone({ id: 3, name: 'Acme' })],
  ['organization: create with own properties', 1, { resource: 'organization', name: 'Acme', additionalFields: { label: 5, ...customs({ abc: 'x' }) } }, pipedriveDone({ id: 3, name: 'Acme' })],
  ['organization: get', 1, { resource: 'organization', operation: 'get', organizationId: 3 }, pipedriveDone({ id: 3, name: 'Acme' })],
  ['organization: getAll', 1, { resource: 'organization', operation: 'getAll', filters: {} }, pipedrivePages([{ id: 3, name: 'Acme' }])],
  ['organization: search', 1, { resource: 'organization', operation: 'search', term: 'acme', additionalFields: {} }, pipedriveFound({ id: 3, name: 'Acme' })],
  ['organization: update', 1, { resource: 'organization', operation: 'update', organizationId: 3, updateFields: { name: 'Acme' } }, pipedriveDone({ id: 3, name: 'Acme' })],
  ['note: create', 1, { resource: 'note', content: '={{ $json.c }}', additionalFields: { person_id: 1 } }, pipedriveDone({ id: 4, content: 'x' }), [{ c: 'x' }]],
  ['note: create for a lead and an organization', 1, { resource: 'note', content: 'x', additionalFields: { lead_id: 'l1', org_id: 3, deal_id: 2 } }, pipedriveDone({ id: 4, content: 'x' })],
  ['note: getAll', 1, { resource: 'note', operation: 'getAll', limit: 1, additionalFields: { deal_id: 2 } }, pipedrivePages([{ id: 4, content: 'x' }])],
  ['lead: create', 1, { resource: 'lead', title: 'L', associateWith: 'person', person_id: 1, additionalFields: {} }, pipedriveDone({ id: 'l1', title: 'L' })],
  ['lead: create for an organization', 1, { resource: 'lead', title: 'L', organization_id: 3, additionalFields: { owner_id: 4, person_id: 1 } }, pipedriveDone({ id: 'l1', title: 'L' })],
  ['lead: getAll', 1, { resource: 'lead', operation: 'getAll', filters: {} }, pipedrivePages([{ id: 'l1', title: 'L' }])],
  ['activity: create', 1, { resource: 'activity', subject: 'Call', type: 'call', additionalFields: { person_id: 1, deal_id: 2 } }, pipedriveDone({ id: 5, subject: 'Call' })],
  ['activity: getAll', 1, { resource: 'activity', operation: 'getAll', additionalFields: {} }, pipedrivePages([{ id: 5, subject: 'Call' }])],
]);

const salesforceId = [{ id: '00Q1', success: true, errors: [] }];
const salesforceFound = [{ totalSize: 1, done: true, records: [{ attributes: { type: 'Lead' }, Id: '00Q1' }] }];
const salesforceFields = (values) => ({ customFieldsUi: { customFieldsValues: Object.entries(values).map(([fieldId, value]) => ({ fieldId, value })) } });

const salesforce = of('salesforce', [
  ['lead: create', 1, { company: 'Acme', lastname: '={{ $json.l }}', additionalFields: { email: 'a@example.com', firstname: 'Ada', description: 'd', mobilePhone: '+1', leadSource: 'Web' } }, salesforceId, [{ l: 'L' }]],
  ['lead: create with more', 1, { company: 'Acme', lastname: 'L', additionalFields: { title: 't', phone: '+1', country: 'UK', website: 'w', state: 's', city: 'c', ...salesforceFields({ own__c: 'x' }) } }, salesforceId],
  ['lead: update', 1, { operation: 'update', leadId: '00Q1', updateFields: { email: 'a@example.com', city: 'c', company: 'A', ...salesforceFields({ own__c: 'x' }) } }, [{ status: 204, body: '' }]],
  ['lead: upsert', 1, { operation: 'upsert', externalId: 'own__c', externalIdValue: '7', company: 'Acme', lastname: 'L', additionalFields: {} }, [{ id: '00Q1', success: true, created: true }]],
  ['lead: get', 1, { operation: 'get', leadId: '00Q1' }, [{ Id: '00Q1', LastName: 'L' }]],
  ['lead: getAll', 1, { operation: 'getAll', limit: 5, options: {} }, salesforceFound],
  ['lead: delete', 1, { operation: 'delete', leadId: '00Q1' }, [{ status: 204, body: '' }]],
  ['search: query', 1, { resource: 'search', query: "=SELECT Id FROM Lead WHERE Email = '{{ $json.e }}'" }, salesforceFound, [{ e: 'a@example.com' }]],
  ['account: create', 1, { resource: 'account', name: 'Acme', additionalFields: {} }, salesforceId],
  ['account: upsert', 1, { resource: 'account', operation: 'upsert', externalId: 'tax__c', externalIdValue: '={{ $json.t }}', name: 'Acme', additionalFields: {} }, [{ id: '0011', success: true, created: false }], [{ t: '7' }]],
  ['account: getAll with conditions', 1, { resource: 'account', operation: 'getAll', limit: 1, options: { conditionsUi: { conditionValues: [{ field: 'Name', value: 'Acme' }] } } }, salesforceFound],
  ['account: get', 1, { resource: 'account', operation: 'get', accountId: '0011' }, [{ Id: '0011', Name: 'Acme' }]],
  ['contact: create', 1, { resource: 'contact', lastname: 'L', additionalFields: { email: 'a@example.com', firstName: 'Ada', acconuntId: '0011' } }, salesforceId],
  ['contact: upsert', 1, { resource: 'contact', operation: 'upsert', externalId: 'Email', externalIdValue: 'a@example.com', lastname: 'L', additionalFields: { email: 'a@example.com', firstName: 'Ada', acconuntId: '0011' } }, [{ id: '0031', success: true, created: true }]],
  ['contact: getAll', 1, { resource: 'contact', operation: 'getAll', options: {} }, salesforceFound],
  ['opportunity: create', 1, { resource: 'opportunity', name: 'Big', closeDate: '2026-03-14T00:00:00', stageName: 'New', additionalFields: { amount: 5 } }, salesforceId],
  ['opportunity: get', 1, { resource: 'opportunity', operation: 'get', opportunityId: '0061' }, [{ Id: '0061', Name: 'Big' }]],
  ['opportunity: update', 1, { resource: 'opportunity', operation: 'update', opportunityId: '0061', updateFields: { stageName: 'Won' } }, [{ status: 204, body: '' }]],
  ['task: create', 1, { resource: 'task', status: 'New', additionalFields: { description: 'd', subject: 's' } }, salesforceId],
  ['case: create', 1, { resource: 'case', type: 'Mechanical', additionalFields: { subject: 's', description: 'd' } }, salesforceId],
  ['customObject: create', 1, { resource: 'customObject', customObject: 'Own__c', ...salesforceFields({ Name: 'x' }), additionalFields: {} }, salesforceId],
  ['customObject: update', 1, { resource: 'customObject', operation: 'update', customObject: 'Own__c', recordId: 'a01', ...salesforceFields({ Name: 'x' }), updateFields: {} }, [{ status: 204, body: '' }]],
  ['customObject: get', 1, { resource: 'customObject', operation: 'get', customObject: 'Own__c', recordId: 'a01' }, [{ Id: 'a01', Name: 'x' }]],
  ['customObject: getAll with conditions and fields', 1, { resource: 'customObject', operation: 'getAll', returnAll: true, customObject: 'Own__c', options: { fields: ['Id', 'Name'], conditionsUi: { conditionValues: [{ field: 'Size__c', operation: '>=', value: 5 }, { field: 'Name', value: "O'x" }] } } }, salesforceFound],
]);

// ---- Code and trackers ----

const repo = { owner: id('acme', 'name'), repository: id('app', 'name') };
const ofFile = { ...repo, resource: 'file', filePath: '={{ $json.path }}', commitMessage: 'Change it' };
const path = [{ path: 'docs/a b.md', text: 'Hé' }];
const saved = { content: { name: 'a b.md', path: 'docs/a b.md', sha: 's2' }, commit: { sha: 'c1' } };
const gitFile = { name: 'a b.md', path: 'docs/a b.md', sha: 's1', size: 3, type: 'file', content: 'SMOp\n', encoding: 'base64' };
const issue = { id: 1, number: 7, title: 'Bug', state: 'open' };

const github = of('github', [
  ['file: create', 1, { ...ofFile, fileContent: '={{ $json.text }}' }, [saved], path],
  ['file: create in a branch', 1.1, { ...ofFile, fileContent: 'x', additionalParameters: { branch: { branch: 'dev' } } }, [saved], path],
  ['file: create with an author', 1, { ...ofFile, fileContent: 'x', additionalParameters: { author: { name: 'Ada', email: 'a@example.com' } } }, [saved], path],
  ['file: edit', 1, { ...ofFile, operation: 'edit', fileContent: '={{ $json.text }}' }, [{ method: 'GET', body: gitFile }, saved], path],
  ['file: edit in a branch', 1.1, { ...ofFile, operation: 'edit', fileContent: 'x', additionalParameters: { branch: { branch: 'dev' } } }, [{ method: 'GET', body: gitFile }, saved], path],
  ['file: get as JSON', 1, { ...repo, resource: 'file', operation: 'get', filePath: '={{ $json.path }}', asBinaryProperty: false, additionalParameters: {} }, [gitFile], path],
  ['file: get as a file', 1, { ...repo, resource: 'file', operation: 'get', filePath: '={{ $json.path }}', additionalParameters: {} }, [gitFile], path],
  ['file: get from a branch', 1.1, { ...repo, resource: 'file', operation: 'get', filePath: 'a.md', asBinaryProperty: false, additionalParameters: { reference: 'dev' } }, [gitFile]],
  ['file: delete', 1, { ...ofFile, operation: 'delete' }, [{ method: 'GET', body: gitFile }, { content: null, commit: { sha: 'c1' } }], path],
  ['file: list', 1, { ...repo, resource: 'file', operation: 'list', filePath: 'docs' }, [{ body: [{ name: 'a', path: 'docs/a' }, { name: 'b', path: 'docs/b' }] }]],
  ['file: list of the root', 1.1, { ...repo, resource: 'file', operation: 'list', filePath: '' }, [{ body: [{ name: 'a', path: 'a' }] }]],
  ['issue: create', 1, { ...repo, title: '={{ $json.t }}', body: 'text', labels: [{ label: 'bug' }], assignees: [{ assignee: 'ada' }] }, [issue], [{ t: 'Bug' }]],
  ['issue: create without labels', 1.1, { ...repo, title: 'Bug', body: 'text', labels: [], assignees: [] }, [issue]],
  ['issue: create by URLs', 1.1, { owner: id('https://github.com/acme', 'url'), repository: id('https://github.com/acme/app', 'url'), title: 'Bug', body: 'text' }, [issue]],
  ['issue: createComment', 1, { ...repo, operation: 'createComment', issueNumber: '={{ $json.n }}', body: 'x' }, [{ body: { id: 2, body: 'x' } }], [{ n: 7 }]],
  ['issue: edit', 1, { ...repo, operation: 'edit', issueNumber: 7, editFields: { title: 'B', body: 'b', state: 'closed', labels: [{ label: 'bug' }], assignees: [{ assignee: 'ada' }] } }, [issue]],
  ['issue: get', 1, { ...repo, operation: 'get', issueNumber: '={{ $json.n }}' }, [issue], [{ n: 7 }]],
  ['repository: get', 1, { ...repo, resource: 'repository', operation: 'get' }, [{ id: 1, full_name: 'acme/app' }]],
  ['repository: getIssues', 1.1, { ...repo, resource: 'repository', limit: 5, getRepositoryIssuesFilters: { state: 'closed', labels: 'bug,ui', sort: 'updated' } }, [{ body: [issue] }]],
  ['repository: getIssues by default', 1, { ...repo, resource: 'repository', getRepositoryIssuesFilters: {} }, [{ body: [issue] }]],
  ['repository: getIssues of all', 1, { ...repo, resource: 'repository', returnAll: true, getRepositoryIssuesFilters: {} }, [{ body: [issue] }]],
  ['repository: getPullRequests', 1.1, { ...repo, resource: 'repository', operation: 'getPullRequests', limit: 5, getRepositoryPullRequestsFilters: { state: 'open', direction: 'asc' } }, [{ body: [issue] }]],
  ['repository: getProfile', 1, { ...repo, resource: 'repository', operation: 'getProfile' }, [{ health_percentage: 5 }]],
  ['release: create', 1, { ...repo, resource: 'release', releaseTag: 'v1', additionalFields: { name: 'One', body: 'b', draft: true } }, [{ id: 1, tag_name: 'v1' }]],
  ['release: getAll', 1, { ...repo, resource: 'release', operation: 'getAll', limit: 2 }, [{ body: [{ id: 1, tag_name: 'v1' }] }]],
  ['review: create', 1, { ...repo, resource: 'review', pullRequestNumber: 7, event: 'requestChanges', body: 'x' }, [{ id: 1, state: 'CHANGES_REQUESTED' }]],
  ['user: getRepositories', 1, { owner: id('acme', 'name'), resource: 'user', operation: 'getRepositories' }, [{ body: [{ id: 1 }] }]],
]);

const project = { owner: 'acme', repository: 'app' };
const gitlabFile = { ...project, resource: 'file', filePath: 'docs/a.md', branch: 'main', commitMessage: 'Change it' };

const gitlab = of('gitlab', [
  ['issue: create', 1, { ...project, title: '={{ $json.t }}', body: 'b', labels: [], assignee_ids: [] }, [{ id: 1, iid: 7 }], [{ t: 'Bug' }]],
  ['issue: create with labels', 1, { ...project, title: 'Bug', body: 'b', due_date: '2026-03-14T00:00:00', labels: [{ label: 'bug' }], assignee_ids: [{ assignee: 4 }] }, [{ id: 1, iid: 7 }]],
  ['issue: createComment', 1, { ...project, operation: 'createComment', issueNumber: 7, body: 'x' }, [{ body: { id: 1, body: 'x' } }]],
  ['issue: edit', 1, { ...project, operation: 'edit', issueNumber: 7, editFields: { title: 'B', description: 'd', state: 'closed' } }, [{ id: 1, iid: 7 }]],
  ['issue: get', 1, { ...project, operation: 'get', issueNumber: 7 }, [{ id: 1, iid: 7 }]],
  ['issue: lock', 1, { ...project, operation: 'lock', issueNumber: 7 }, [{ id: 1, iid: 7 }]],
  ['file: create', 1, { ...gitlabFile, fileContent: '={{ $json.text }}', additionalParameters: {} }, [{ file_path: 'docs/a.md', branch: 'main' }], path],
  ['file: create with an author', 1, { ...gitlabFile, fileContent: 'x', additionalParameters: { author: { name: 'Ada', email: 'a@example.com' } } }, [{ file_path: 'docs/a.md', branch: 'main' }]],
  ['file: edit', 1, { ...gitlabFile, operation: 'edit', fileContent: 'x', additionalParameters: {} }, [{ file_path: 'docs/a.md', branch: 'main' }]],
  ['file: get', 1, { ...project, resource: 'file', operation: 'get', filePath: 'docs/a.md', asBinaryProperty: false, additionalParameters: { reference: 'main' } }, [{ file_path: 'docs/a.md', content: 'eA==', encoding: 'base64' }]],
  ['file: get as a file', 1, { ...project, resource: 'file', operation: 'get', filePath: 'docs/a.md', additionalParameters: { reference: 'main' } }, [{ file_name: 'a.md', file_path: 'docs/a.md', content: 'eA==', encoding: 'base64' }]],
  ['file: list', 1, { ...project, resource: 'file', operation: 'list', returnAll: true, filePath: 'docs', additionalParameters: {} }, [{ body: [{ name: 'a.md' }] }]],
  ['repository: get', 1, { ...project, resource: 'repository', operation: 'get' }, [{ id: 1 }]],
]);

const inFolder = { team: 't1', space: 's1', folder: 'f1', list: 'l1' };
const inSpace = { team: 't1', space: 's1', folderless: true, list: 'l1' };

const clickUp = of('clickUp', [
  ['task: create', 1, { ...inSpace, name: '={{ $json.t }}', additionalFields: {} }, [{ id: 'c1', name: 'Task' }], [{ t: 'Task' }]],
  ['task: create with fields', 1, { ...inFolder, name: 'Task', additionalFields: { content: 'text', priority: 2, dueDate: '2026-03-14T10:00:00.000Z', status: 'open', tags: ['a'] } }, [{ id: 'c1' }]],
  ['task: create with assignees and a parent', 1, { ...inFolder, name: 'Task', additionalFields: { assignees: [7], parentId: 'c0', dueDate: '={{ $json.d }}', dueDateTime: true, customFieldsJson: '[{"id":"x","value":1}]' } }, [{ id: 'c1' }], [{ d: '2026-03-14' }]],
  ['task: create with Markdown', 1, { ...inFolder, name: 'Task', additionalFields: { content: '# a', markdownContent: true } }, [{ id: 'c1' }]],
  ['task: update', 1, { operation: 'update', id: '={{ $json.id }}', updateFields: { name: 'T', content: 'c', status: 'done', priority: 1, dueDate: '2026-03-14T10:00:00.000Z' } }, [{ id: 'c1' }], [{ id: 'c1' }]],
  ['task: get', 1, { operation: 'get', id: '={{ $json.id }}' }, [{ id: 'c1' }], [{ id: 'c1' }]],
  ['task: getAll', 1, { ...inFolder, operation: 'getAll', filters: {} }, [{ body: { tasks: [{ id: 'c1' }, { id: 'c2' }] }, times: 1 }, { tasks: [] }]],
  ['task: getAll with filters', 1, { ...inFolder, operation: 'getAll', limit: 1, filters: { subtasks: true, statuses: ['open'], assignees: ['7'], dueDateGt: '2026-03-14T10:00:00.000Z', includeClosed: true, orderBy: 'updated' } }, [{ body: { tasks: [{ id: 'c1' }, { id: 'c2' }] }, times: 1 }, { tasks: [] }]],
  ['task: getAll of all', 1, { ...inFolder, operation: 'getAll', returnAll: true, filters: {} }, [{ body: { tasks: [{ id: 'c1' }] }, times: 1 }, { tasks: [] }]],
  ['task: delete', 1, { operation: 'delete', id: 'c1' }, [{ status: 204, body: '' }]],
  ['task: setCustomField', 1, { operation: 'setCustomField', task: 'c1', field: 'x', value: '={{ $json.v }}' }, [{}], [{ v: 'a' }]],
  ['task: setCustomField as JSON', 1, { operation: 'setCustomField', task: 'c1', field: 'x', jsonParse: true, value: '{"a":1}' }, [{}]],
  ['comment: create', 1, { resource: 'comment', commentOn: 'task', id: 'c1', commentText: '={{ $json.t }}', additionalFields: {} }, [{ id: 1, hist_id: 'h' }], [{ t: 'x' }]],
  ['comment: create on a list', 1, { resource: 'comment', commentOn: 'list', id: 'l1', commentText: 'x', additionalFields: { notifyAll: true, assignee: '7' } }, [{ id: 1 }]],
  ['list: create', 1, { team: 't1', space: 's1', folder: 'f1', resource: 'list', operation: 'create', name: 'L', additionalFields: { content: 'c' } }, [{ id: 'l1' }]],
  ['list: create without folder', 1, { team: 't1', space: 's1', folderless: true, resource: 'list', operation: 'create', name: 'L', additionalFields: {} }, [{ id: 'l1' }]],
  ['list: getAll', 1, { team: 't1', space: 's1', folder: 'f1', resource: 'list', operation: 'getAll', filters: {} }, [{ lists: [{ id: 'l1' }, { id: 'l2' }] }]],
  ['list: getAll without folder', 1, { team: 't1', space: 's1', folderless: true, resource: 'list', operation: 'getAll', limit: 1, filters: {} }, [{ lists: [{ id: 'l1' }, { id: 'l2' }] }]],
  ['list: delete', 1, { ...inFolder, resource: 'list', operation: 'delete' }, [{}]],
  ['folder: create', 1, { team: 't1', space: 's1', resource: 'folder', name: 'F' }, [{ id: 'f1' }]],
  ['folder: delete', 1, { team: 't1', space: 's1', folder: 'f1', resource: 'folder', operation: 'delete' }, [{}]],
  ['folder: getAll', 1, { team: 't1', space: 's1', resource: 'folder', operation: 'getAll', filters: {} }, [{ folders: [{ id: 'f1' }] }]],
]);

const trello = of('trello', [
  ['card: create', 1, { listId: 'l1', name: '={{ $json.t }}', description: 'd', additionalFields: {} }, [{ id: 'c1' }], [{ t: 'Card' }]],
  ['card: create with more', 1, { listId: 'l1', name: 'Card', description: '', additionalFields: { due: '2026-03-14T10:00:00', idLabels: 'a,b', idMembers: 'm', urlSource: 'https://example.com', pos: 'top' } }, [{ id: 'c1' }]],
  ['card: update', 1, { operation: 'update', id: id('c1'), updateFields: { name: 'C', idList: 'l2', closed: true } }, [{ id: 'c1' }]],
  ['card: get', 1, { operation: 'get', id: id('c1'), additionalFields: {} }, [{ id: 'c1' }]],
  ['card: get by a URL', 1, { operation: 'get', id: id('https://trello.com/c/abc123/1-card', 'url'), additionalFields: {} }, [{ id: 'c1' }]],
  ['card: delete', 1, { operation: 'delete', id: id('c1') }, [{ limits: {} }]],
  ['cardComment: create', 1, { resource: 'cardComment', cardId: id('c1'), text: 'x' }, [{ id: 'a1' }]],
  ['list: getAll', 1, { resource: 'list', operation: 'getAll', id: 'b1', additionalFields: {} }, [{ body: [{ id: 'l1' }, { id: 'l2' }] }]],
  ['list: getAll with a limit', 1, { resource: 'list', operation: 'getAll', id: 'b1', returnAll: false, limit: 1, additionalFields: {} }, [{ body: [{ id: 'l1' }, { id: 'l2' }] }]],
  ['list: getCards', 1, { resource: 'list', operation: 'getCards', id: '={{ $json.id }}', additionalFields: {} }, [{ body: [{ id: 'c1' }] }], [{ id: 'l1' }]],
  ['list: getCards with fields', 1, { resource: 'list', operation: 'getCards', id: 'l1', returnAll: true, additionalFields: { fields: 'id,name' } }, [{ body: [{ id: 'c1' }] }]],
  ['board: get', 1, { resource: 'board', operation: 'get', id: id('b1'), additionalFields: {} }, [{ id: 'b1' }]],
  ['board: get by a URL', 1, { resource: 'board', operation: 'get', id: id('https://trello.com/b/abc123/board', 'url'), additionalFields: { fields: 'name' } }, [{ id: 'b1' }]],
]);

const jiraIssue = { project: id('10000'), issueType: id('10003') };
const jiraNew = { id: '1', key: 'A-1', self: 'https://example.com/1' };

/** n8n asks for the types of issues first. */
const jiraTyped = (answer) => [{ url: '/issuetype', body: [{ id: '10003', name: 'Task', subtask: false }] }, answer];
const jira = of('jira', [
  ['issue: create', 1, { ...jiraIssue, summary: '={{ $json.t }}', additionalFields: {} }, jiraTyped(jiraNew), [{ t: 'Bug' }]],
  ['issue: create with a description', 1, { ...jiraIssue, summary: 'Bug', additionalFields: { description: 'one\n\ntwo' } }, jiraTyped(jiraNew)],
  ['issue: create with a priority and an assignee', 1, { ...jiraIssue, summary: 'Bug', additionalFields: { priority: id('2'), assignee: id('u1'), labels: ['a', 'b'] } }, jiraTyped(jiraNew)],
  ['issue: create with a parent, a reporter and own fields', 1, { ...jiraIssue, summary: 'Bug', additionalFields: { parentIssueKey: 'A-0', reporter: id('u1'), customFieldsUi: { customFieldsValues: [{ fieldId: id('customfield_1'), fieldValue: 'x' }] } } }, jiraTyped(jiraNew)],
  ['issue: update', 1, { operation: 'update', issueKey: '={{ $json.k }}', updateFields: { summary: 'B', labels: ['a'], priority: id('2') } }, jiraTyped({ status: 204, body: '' }), [{ k: 'A-1' }]],
  ['issue: update a description', 1, { operation: 'update', issueKey: 'A-1', updateFields: { description: 'd' } }, jiraTyped({ status: 204, body: '' })],
  ['issue: update the status', 1, { operation: 'update', issueKey: 'A-1', updateFields: { statusId: id('31') } }, jiraTyped({ status: 204, body: '' })],
  ['issue: get', 1, { operation: 'get', issueKey: '={{ $json.k }}', additionalFields: {} }, [{ ...jiraNew, fields: { summary: 'Bug' } }], [{ k: 'A-1' }]],
  ['issue: get with fields', 1, { operation: 'get', issueKey: 'A-1', additionalFields: { fields: 'summary', expand: 'changelog' } }, [{ ...jiraNew, fields: { summary: 'Bug' } }]],
  ['issue: getAll', 1, { operation: 'getAll', options: {} }, [{ issues: [{ ...jiraNew, fields: {} }], isLast: true }]],
  ['issue: getAll with JQL', 1, { operation: 'getAll', limit: 5, options: { jql: '=project = {{ $json.p }}' } }, [{ issues: [{ ...jiraNew, fields: {} }], isLast: true }], [{ p: 'A' }]],
  ['issue: getAll of all with fields', 1, { operation: 'getAll', returnAll: true, options: { jql: 'project = A', fields: 'summary,status' } }, [{ issues: [{ ...jiraNew, fields: {} }], isLast: true }]],
  ['issue: delete', 1, { operation: 'delete', issueKey: 'A-1' }, [{ status: 204, body: '' }]],
  ['issue: transitions', 1, { operation: 'transitions', issueKey: 'A-1', additionalFields: {} }, [{ transitions: [{ id: '31', name: 'Done' }] }]],
  ['issueComment: add', 1, { resource: 'issueComment', issueKey: '={{ $json.k }}', comment: 'x', options: {} }, [{ id: '2' }], [{ k: 'A-1' }]],
  ['issueComment: add in Wiki style', 1, { resource: 'issueComment', issueKey: 'A-1', comment: '*x*', options: { wikiMarkup: true } }, [{ id: '2' }]],
  ['issueComment: getAll', 1, { resource: 'issueComment', operation: 'getAll', issueKey: 'A-1', options: {} }, [{ comments: [{ id: '2' }], total: 1 }]],
  ['issueComment: getAll with an order', 1, { resource: 'issueComment', operation: 'getAll', issueKey: 'A-1', limit: 3, options: { orderBy: '-created' } }, [{ comments: [{ id: '2' }], total: 1 }]],
  ['user: get', 1, { resource: 'user', operation: 'get', accountId: 'u1', additionalFields: {} }, [{ accountId: 'u1' }]],
  ...['server', 'serverPat'].flatMap((jiraVersion) => [
    [`${jiraVersion}: create for a person`, 1, { jiraVersion, ...jiraIssue, summary: 'Bug', additionalFields: { assignee: id('ada'), reporter: id('bob'), ...(jiraVersion === 'server' && { serverLabels: ['a'] }) } }, jiraTyped(jiraNew)],
    [`${jiraVersion}: update the person`, 1, { jiraVersion, operation: 'update', issueKey: 'A-1', updateFields: { assignee: id('ada') } }, jiraTyped({ status: 204, body: '' })],
    [`${jiraVersion}: getAll with JQL`, 1, { jiraVersion, operation: 'getAll', limit: 5, options: { jql: 'project = A' } }, [{ issues: [{ ...jiraNew, fields: {} }], total: 1 }]],
    [`${jiraVersion}: add a comment`, 1, { jiraVersion, resource: 'issueComment', issueKey: 'A-1', comment: 'x', options: {} }, [{ id: '2' }]],
    [`${jiraVersion}: the comments`, 1, { jiraVersion, resource: 'issueComment', operation: 'getAll', issueKey: 'A-1', options: {} }, [{ comments: [{ id: '2' }], total: 1 }]],
  ]),
]);

const asana = of('asana', [
  ['task: create', 1, { workspace: 'w1', name: '={{ $json.t }}', otherProperties: { notes: 'n', projects: ['p1'] } }, [{ data: { gid: '1', name: 'Task' } }], [{ t: 'Task' }]],
  ['task: create with an assignee and a date', 1, { workspace: 'w1', name: 'Task', otherProperties: { assignee: 'u1', due_on: '2026-03-14', assignee_status: 'later' } }, [{ data: { gid: '1' } }]],
  ['task: create without properties', 1, { workspace: 'w1', name: 'Task', otherProperties: {} }, [{ data: { gid: '1' } }]],
  ['task: update', 1, { operation: 'update', id: '1', otherProperties: { name: 'T', completed: true, notes: 'n' } }, [{ data: { gid: '1' } }]],
  ['task: get', 1, { operation: 'get', id: '={{ $json.id }}' }, [{ data: { gid: '1' } }], [{ id: '1' }]],
  ['task: getAll', 1, { operation: 'getAll', filters: { project: 'p1' } }, [{ data: [{ gid: '1' }], next_page: null }]],
  ['task: getAll of an assignee', 1, { operation: 'getAll', returnAll: true, filters: { assignee: 'u1', workspace: 'w1' } }, [{ data: [{ gid: '1' }], next_page: null }]],
  ['task: delete', 1, { operation: 'delete', id: '1' }, [{ data: {} }]],
  ['taskComment: add', 1, { resource: 'taskComment', id: '1', text: 'x', additionalFields: {} }, [{ data: { gid: '2' } }]],
  ['project: getAll', 1, { resource: 'project', operation: 'getAll', workspace: 'w1', additionalFields: {} }, [{ data: [{ gid: 'p1' }], next_page: null }]],
]);

const monday = (data) => [{ data }];
const mondayItem = { id: '5', name: 'Item', created_at: '2026-01-02T03:04:05Z', state: 'active', column_values: [{ id: 'text', text: 'x', type: 'text', value: '"x"', column: { title: 'Text', archived: false, description: null, settings_str: '{}' } }] };

const mondayCom = of('mondayCom', [
  ['item: create', 1, { resource: 'boardItem', boardId: '1', groupId: 'g', name: '={{ $json.t }}', additionalFields: {} }, monday({ create_item: { id: '5' } }), [{ t: 'Item' }]],
  ['item: create with columns', 1, { resource: 'boardItem', boardId: '1', groupId: 'g', name: 'Item', additionalFields: { columnValues: '{"text":"x"}' } }, monday({ create_item: { id: '5' } })],
  ['item: get', 1, { resource: 'boardItem', operation: 'get', itemId: '={{ $json.id }}' }, monday({ items: [mondayItem] }), [{ id: '5' }]],
  ['item: getAll', 1, { resource: 'boardItem', operation: 'getAll', boardId: '1', groupId: 'g' }, monday({ boards: [{ groups: [{ id: 'g', items_page: { cursor: null, items: [mondayItem] } }] }] })],
  ['item: getAll of all', 1, { resource: 'boardItem', operation: 'getAll', returnAll: true, boardId: '1', groupId: 'g' }, monday({ boards: [{ groups: [{ id: 'g', items_page: { cursor: null, items: [mondayItem] } }] }] })],
  ['item: getByColumnValue', 1, { resource: 'boardItem', operation: 'getByColumnValue', boardId: '1', columnId: 'text', columnValue: 'x' }, monday({ items_page_by_column_values: { cursor: null, items: [mondayItem] } })],
  ['item: changeColumnValue', 1, { resource: 'boardItem', operation: 'changeColumnValue', boardId: '1', itemId: '5', columnId: 'text', value: '"x"' }, monday({ change_column_value: { id: '5' } })],
  ['item: changeMultipleColumnValues', 1, { resource: 'boardItem', operation: 'changeMultipleColumnValues', boardId: '1', itemId: '5', columnValues: '{"text":"x"}' }, monday({ change_multiple_column_values: { id: '5' } })],
  ['item: addUpdate', 1, { resource: 'boardItem', operation: 'addUpdate', itemId: '5', value: 'x' }, monday({ create_update: { id: '6' } })],
  ['board: get', 1, { operation: 'get', boardId: '1' }, monday({ boards: [{ id: '1', name: 'Board' }] })],
]);

const linearIssue = { id: 'i1', title: 'Bug' };
const linear = of('linear', [
  ['issue: create', 1, { teamId: 't1', title: '={{ $json.t }}', additionalFields: { description: 'd', priorityId: 2 } }, [{ data: { issueCreate: { success: true, issue: linearIssue } } }], [{ t: 'Bug' }]],
  ['issue: create with a state and an assignee', 1.1, { teamId: 't1', title: 'Bug', additionalFields: { stateId: 's1', assigneeId: 'u1' } }, [{ data: { issueCreate: { success: true, issue: linearIssue } } }]],
  ['issue: update', 1.1, { operation: 'update', issueId: 'i1', updateFields: { teamId: 't2', title: 'B' } }, [{ data: { issueUpdate: { success: true, issue: linearIssue } } }]],
  ['issue: get', 1, { operation: 'get', issueId: 'i1' }, [{ data: { issue: linearIssue } }]],
  ['issue: getAll', 1, { operation: 'getAll', limit: 5 }, [{ data: { issues: { nodes: [linearIssue], pageInfo: { hasNextPage: false, endCursor: null } } } }]],
  ['issue: delete', 1, { operation: 'delete', issueId: 'i1' }, [{ data: { issueDelete: { success: true } } }]],
]);

const zendesk = of('zendesk', [
  ['ticket: create', 1, { description: '={{ $json.d }}', additionalFields: { subject: 's' } }, [{ ticket: { id: 1 } }], [{ d: 'x' }]],
  ['ticket: create with more', 1, { description: 'x', additionalFields: { subject: 's', tags: ['a'], externalId: 'e', status: 'open', type: 'problem' } }, [{ ticket: { id: 1 } }]],
  ['ticket: create with JSON', 1, { description: 'x', jsonParameters: true, additionalFieldsJson: '{"priority":"high"}' }, [{ ticket: { id: 1 } }]],
  ['ticket: update', 1, { operation: 'update', id: '={{ $json.id }}', updateFields: { subject: 's', tags: ['a'], status: 'solved', assigneeEmail: 'a@example.com' } }, [{ ticket: { id: 1 } }], [{ id: 1 }]],
  ['ticket: update with a note and own fields', 1, { operation: 'update', id: '1', updateFields: { internalNote: 'n', customFieldsUi: { customFieldsValues: [{ id: 5, value: 'x' }] } } }, [{ ticket: { id: 1 } }]],
  ['ticket: update with an answer', 1, { operation: 'update', id: '1', updateFields: { publicReply: 'r' } }, [{ ticket: { id: 1 } }]],
  ['ticket: get', 1, { operation: 'get', id: '={{ $json.id }}' }, [{ ticket: { id: 1 } }], [{ id: 1 }]],
  ['ticket: getAll', 1, { operation: 'getAll', options: {} }, [{ results: [{ id: 1 }], next_page: null }]],
  ['ticket: getAll with a query and an order', 1, { operation: 'getAll', returnAll: true, options: { query: 'assignee:none status<pending', sortBy: 'created_at', sortOrder: 'desc' } }, [{ results: [{ id: 1 }], next_page: null }]],
  ['ticket: getAll with a status and a group', 1, { operation: 'getAll', limit: 2, options: { status: 'open', group: 5 } }, [{ results: [{ id: 1 }], next_page: null }]],
  ['ticket: delete', 1, { operation: 'delete', id: '1' }, [{ status: 204, body: '' }]],
  ['user: get', 1, { resource: 'user', operation: 'get', id: '={{ $json.id }}' }, [{ user: { id: 2 } }], [{ id: 2 }]],
  ['user: create', 1, { resource: 'user', name: 'Ada', additionalFields: { email: 'a@example.com' } }, [{ user: { id: 2 } }]],
  ['user: search', 1, { resource: 'user', operation: 'search', filters: { query: 'ada' } }, [{ users: [{ id: 2 }], next_page: null, results: [{ id: 2 }] }]],
  ['user: update', 1, { resource: 'user', operation: 'update', id: '2', updateFields: { name: 'Ada', phone: '+1' } }, [{ user: { id: 2 } }]],
]);

const todoistTask = { id: '1', content: 'Task', project_id: 'p1' };
const todoist = of('todoist', [
  ['task: create', 2.1, { project: id('p1'), content: '={{ $json.t }}', options: {} }, [todoistTask], [{ t: 'Task' }]],
  ['task: create with options', 2.1, { project: id('p1'), content: 'Task', labels: ['a'], options: { description: 'd', priority: 3, dueString: 'tomorrow', dueLang: 'en' } }, [todoistTask]],
  ['task: create with a date', 2.1, { project: id('p1'), content: 'Task', options: { dueDateTime: '2026-03-14T10:00:00.000Z' } }, [todoistTask]],
  ['task: create in a section', 2, { project: id('p1'), content: 'Task', options: { section: 's1', parentId: 't0' } }, [todoistTask]],
  ['task: create of version 1', 1, { authentication: 'apiKey', project: 'p1', content: 'Task', options: {} }, [todoistTask]],
  ['task: update', 2.1, { operation: 'update', taskId: '={{ $json.id }}', updateFields: { content: 'T', description: 'd', priority: 2, labels: ['a'] } }, [{ status: 204, body: '' }], [{ id: '1' }]],
  ['task: update a date', 2.1, { operation: 'update', taskId: '1', updateFields: { dueDateTime: '2026-03-14T10:00:00.000Z' } }, [{ status: 204, body: '' }]],
  ['task: get', 2.1, { operation: 'get', taskId: '={{ $json.id }}' }, [todoistTask], [{ id: '1' }]],
  ['task: getAll', 2.1, { operation: 'getAll', filters: { projectId: 'p1' } }, [{ body: [todoistTask] }]],
  ['task: getAll with a filter', 2.1, { operation: 'getAll', returnAll: true, filters: { filter: 'today' } }, [{ body: [todoistTask] }]],
  ['task: getAll with a filter in version 2.2', 2.2, { authentication: 'apiKey', operation: 'getAll', returnAll: true, filters: { projectId: 'p1' } }, [{ results: [todoistTask], next_cursor: null }]],
  ['task: close', 2.1, { operation: 'close', taskId: '1' }, [{ status: 204, body: '' }]],
  ['task: reopen', 2.1, { operation: 'reopen', taskId: '1' }, [{ status: 204, body: '' }]],
  ['task: delete', 2.1, { operation: 'delete', taskId: '1' }, [{ status: 204, body: '' }]],
]);

// ---- Shops and sites ----

const wooCommerce = of('wooCommerce', [
  ['product: getAll', 1, { operation: 'getAll', options: {} }, [{ body: [{ id: 1 }] }]],
  ['product: getAll with options', 1, { operation: 'getAll', limit: 5, options: { search: 'cup', sku: 's', minPrice: '1', maxPrice: '9', stockStatus: 'instock' } }, [{ body: [{ id: 1 }] }]],
  ['product: getAll of all', 1, { operation: 'getAll', returnAll: true, options: {} }, [{ headers: { link: '' }, body: [{ id: 1 }] }]],
  ['product: get', 1, { operation: 'get', productId: '={{ $json.id }}' }, [{ id: 1 }], [{ id: 1 }]],
  ['product: create', 1, { resource: 'product', operation: 'create', name: '={{ $json.t }}', additionalFields: { description: 'd', regularPrice: '5', sku: 's', manageStock: true, stockQuantity: 3, categories: [4], catalogVisibility: 'visible', shortDescription: 'x', salePrice: '4' }, imagesUi: { imagesValues: [{ src: 'https://example.com/a.png', alt: 'a', name: 'n' }] }, metadataUi: {}, dimensionsUi: {} }, [{ id: 1 }], [{ t: 'Cup' }]],
  ['product: update', 1, { resource: 'product', operation: 'update', productId: '1', updateFields: { regularPrice: '6', stockQuantity: 2 }, imagesUi: {}, metadataUi: { metadataValues: [{ key: 'k', value: 'v' }] }, dimensionsUi: {} }, [{ id: 1 }]],
  ['product: delete', 1, { operation: 'delete', productId: '1' }, [{ id: 1 }]],
  ['order: getAll', 1, { resource: 'order', operation: 'getAll', options: {} }, [{ body: [{ id: 2 }] }]],
  ['order: getAll with options', 1, { resource: 'order', operation: 'getAll', options: { after: '2026-03-01T00:00:00', before: '2026-03-14T00:00:00', status: 'processing', search: 'x' } }, [{ body: [{ id: 2 }] }]],
  ['order: get', 1, { resource: 'order', operation: 'get', orderId: '2' }, [{ id: 2 }]],
  ['order: create', 1, { resource: 'order', additionalFields: { status: 'pending', currency: 'EUR' }, billingUi: { billingValues: { firstName: 'Ada' } }, shippingUi: {}, couponLinesUi: {}, feeLinesUi: {}, lineItemsUi: { lineItemsValues: [{ productId: 1, quantity: 2 }] }, metadataUi: {}, shippingLinesUi: {} }, [{ id: 2 }]],
  ['order: update', 1, { resource: 'order', operation: 'update', orderId: '2', updateFields: { status: 'completed' } }, [{ id: 2 }]],
  ['customer: getAll', 1, { resource: 'customer', operation: 'getAll', filters: {} }, [{ body: [{ id: 3 }] }]],
  ['customer: getAll with an e-mail', 1, { resource: 'customer', operation: 'getAll', limit: 1, filters: { email: '={{ $json.e }}' } }, [{ body: [{ id: 3 }] }], [{ e: 'a@example.com' }]],
  ['customer: get', 1, { resource: 'customer', operation: 'get', customerId: '3' }, [{ id: 3 }]],
  ['customer: create', 1, { resource: 'customer', email: 'a@example.com', additionalFields: { first_name: 'Ada' } }, [{ id: 3 }]],
  ['customer: update', 1, { resource: 'customer', operation: 'update', customerId: '3', updateFields: { first_name: 'Ada' } }, [{ id: 3 }]],
]);

const wordpress = of('wordpress', [
  ['post: create', 1, { title: '={{ $json.t }}', additionalFields: { content: '<p>x</p>', status: 'draft' } }, [{ id: 1 }], [{ t: 'Post' }]],
  ['post: create with more', 1, { title: 'Post', additionalFields: { authorId: 2, slug: 's', categories: [3], tags: [4], commentStatus: 'open', format: 'standard', sticky: true } }, [{ id: 1 }]],
  ['post: update', 1, { operation: 'update', postId: '={{ $json.id }}', updateFields: { status: 'publish', title: 'T', content: 'c', tags: [4], categories: [3] } }, [{ id: 1 }], [{ id: 1 }]],
  ['post: get', 1, { operation: 'get', postId: '1', options: {} }, [{ id: 1 }]],
  ['post: get in a context', 1, { operation: 'get', postId: '1', options: { context: 'edit' } }, [{ id: 1 }]],
  ['post: getAll', 1, { operation: 'getAll', options: {} }, [{ body: [{ id: 1 }] }]],
  ['post: getAll with options', 1, { operation: 'getAll', limit: 5, options: { status: 'draft', order: 'asc', orderBy: 'title', search: 'x', after: '2026-03-01T00:00:00', context: 'edit' } }, [{ body: [{ id: 1 }] }]],
  ['post: getAll of all', 1, { operation: 'getAll', returnAll: true, options: {} }, [{ headers: { 'x-wp-totalpages': '1' }, body: [{ id: 1 }] }]],
  ['page: create', 1, { resource: 'page', title: 'Page', additionalFields: { content: 'c', status: 'publish' } }, [{ id: 1 }]],
  ['page: update', 1, { resource: 'page', operation: 'update', pageId: '1', updateFields: { title: 'T' } }, [{ id: 1 }]],
  ['page: getAll', 1, { resource: 'page', operation: 'getAll', options: {} }, [{ body: [{ id: 1 }] }]],
  ['user: get', 1, { resource: 'user', operation: 'get', userId: '1', options: {} }, [{ id: 1 }]],
]);

const shop = { authentication: 'accessToken' };
const shopify = of('shopify', [
  ['product: getAll', 1, { ...shop, resource: 'product', operation: 'getAll', additionalFields: {} }, [{ products: [{ id: 1 }] }]],
  ['product: getAll of all', 1, { ...shop, resource: 'product', operation: 'getAll', returnAll: true, additionalFields: {} }, [{ products: [{ id: 1 }] }]],
  ['product: getAll with options', 1, { ...shop, resource: 'product', operation: 'getAll', limit: 5, additionalFields: { title: 't', handle: 'h' } }, [{ products: [{ id: 1 }] }]],
  ['product: get', 1, { ...shop, resource: 'product', operation: 'get', productId: '1', additionalFields: {} }, [{ product: { id: 1 } }]],
  ['product: get with fields', 1, { ...shop, resource: 'product', operation: 'get', productId: '1', additionalFields: { fields: 'id,title' } }, [{ product: { id: 1 } }]],
  ['product: create', 1, { ...shop, resource: 'product', title: '={{ $json.t }}', additionalFields: { body_html: 'b', product_type: 't', vendor: 'v', tags: 'a,b', handle: 'h', images: [{ src: 'https://example.com/a.png' }] } }, [{ product: { id: 1 } }], [{ t: 'Cup' }]],
  ['product: update', 1, { ...shop, resource: 'product', operation: 'update', productId: '1', updateFields: { title: 'T', body_html: 'b' } }, [{ product: { id: 1 } }]],
  ['product: delete', 1, { ...shop, resource: 'product', operation: 'delete', productId: '1' }, [{}]],
  ['order: getAll', 1, { ...shop, operation: 'getAll', options: {} }, [{ orders: [{ id: 2 }] }]],
  ['order: getAll with options', 1, { ...shop, operation: 'getAll', limit: 5, options: { status: 'any', createdAtMin: '2026-03-01T00:00:00', createdAtMax: '2026-03-14T00:00:00', fulfillmentStatus: 'shipped', financialStatus: 'paid' } }, [{ orders: [{ id: 2 }] }]],
  ['order: get', 1, { ...shop, operation: 'get', orderId: '2', options: {} }, [{ order: { id: 2 } }]],
  ['order: get with fields', 1, { ...shop, operation: 'get', orderId: '2', options: { fields: 'id' } }, [{ order: { id: 2 } }]],
  ['order: update', 1, { ...shop, operation: 'update', orderId: '2', updateFields: { note: 'n', tags: 'a', email: 'a@example.com' } }, [{ order: { id: 2 } }]],
  ['order: create', 1, { ...shop, additionalFields: { email: 'a@example.com' }, limeItemsUi: { lineItemValues: [{ productId: '1', title: 't', price: '5', quantity: 2 }] } }, [{ order: { id: 2 } }]],
]);

const stripe = of('stripe', [
  ['charge: getAll', 1, { resource: 'charge', operation: 'getAll', limit: 5 }, [{ data: [{ id: 'ch_1' }], has_more: false }]],
  ['charge: getAll of all', 1, { resource: 'charge', operation: 'getAll', returnAll: true }, [{ data: [{ id: 'ch_1' }], has_more: false }]],
  ['charge: get', 1, { resource: 'charge', chargeId: 'ch_1' }, [{ id: 'ch_1' }]],
  ['customer: get', 1, { resource: 'customer', customerId: '={{ $json.id }}' }, [{ id: 'cus_1' }], [{ id: 'cus_1' }]],
  ['customer: create', 1, { resource: 'customer', operation: 'create', name: 'Ada', additionalFields: { email: 'a@example.com', phone: '+1', description: 'd' } }, [{ id: 'cus_1' }]],
  ['customer: create with an address', 1, { resource: 'customer', operation: 'create', name: 'Ada', additionalFields: { address: { details: { city: 'L', country: 'UK' } } } }, [{ id: 'cus_1' }]],
  ['customer: getAll', 1, { resource: 'customer', operation: 'getAll', limit: 5, filters: { email: 'a@example.com' } }, [{ data: [{ id: 'cus_1' }], has_more: false }]],
  ['coupon: getAll', 1, { resource: 'coupon', operation: 'getAll' }, [{ data: [{ id: 'c' }], has_more: false }]],
]);

const mailchimp = of('mailchimp', [
  ['member: create', 1, { list: 'l1', email: '={{ $json.e }}', status: 'subscribed', options: {}, mergeFieldsUi: { mergeFieldsValues: [{ name: 'FNAME', value: 'Ada' }] } }, [{ id: 'm1' }], [{ e: 'a@example.com' }]],
  ['member: create with tags', 1, { list: 'l1', email: 'a@example.com', status: 'pending', options: { tags: 'a, b' } }, [{ id: 'm1' }]],
  ['member: getAll', 1, { operation: 'getAll', list: 'l1', limit: 5, options: { status: 'subscribed' } }, [{ members: [{ id: 'm1' }] }]],
  ['member: get', 1, { operation: 'get', list: 'l1', email: 'a@example.com', options: {} }, [{ id: 'm1' }]],
  ['member: delete', 1, { operation: 'delete', list: 'l1', email: 'a@example.com' }, [{ status: 204, body: '' }]],
]);

const intercom = of('intercom', [
  ['lead: create', 1, { resource: 'lead', email: 'a@example.com', additionalFields: { name: 'Ada', phone: '+1' } }, [{ id: 'i1' }]],
  ['user: create', 1, { identifierType: 'email', idValue: 'a@example.com', additionalFields: { name: 'Ada' } }, [{ id: 'i1' }]],
  ['user: get', 1, { operation: 'get', selectBy: 'id', value: 'i1' }, [{ id: 'i1' }]],
]);

// ---- Networks and knowledge ----

const tweet = { id: '1', text: 'Hello' };
const twitter = of('twitter', [
  ['tweet: create', 2, { text: '={{ $json.t }}', additionalFields: {} }, [{ data: tweet }], [{ t: 'Hello' }]],
  ['tweet: create as an answer', 2, { text: 'Hello', additionalFields: { inReplyToStatusId: id('9') } }, [{ data: tweet }]],
  ['tweet: create as an answer to a URL', 2, { text: 'Hello', additionalFields: { inReplyToStatusId: id('https://x.com/ada/status/9', 'url') } }, [{ data: tweet }]],
  ['tweet: create with a medium', 2, { text: 'Hello', additionalFields: { attachments: '7' } }, [{ data: tweet }]],
  ['tweet: search', 2, { operation: 'search', searchText: 'x', limit: 10, additionalFields: {} }, [{ data: [tweet], meta: {} }]],
  ['tweet: search by default', 2, { operation: 'search', searchText: '={{ $json.t }}', additionalFields: {} }, [{ data: [tweet], meta: {} }], [{ t: 'x' }]],
  ['tweet: search with fields', 2, { operation: 'search', searchText: 'x', limit: 20, additionalFields: { sortOrder: 'recency', tweetFieldsObject: ['created_at'] } }, [{ data: [tweet], meta: {} }]],
  ['tweet: delete', 2, { operation: 'delete', tweetDeleteId: id('1') }, [{ data: { deleted: true } }]],
  ['tweet: like', 2, { operation: 'like', tweetId: id('1') }, [{ url: '/users/me', body: { data: { id: 'u1' } } }, { data: { liked: true } }]],
  ['tweet: retweet', 2, { operation: 'retweet', tweetId: id('1') }, [{ url: '/users/me', body: { data: { id: 'u1' } } }, { data: { retweeted: true } }]],
]);

const children = (...things) => ({ data: { after: null, children: things.map((data) => ({ kind: 't3', data })) } });
const reddit = of('reddit', [
  ['post: search', 1, { operation: 'search', subreddit: 'rust', keyword: '={{ $json.k }}', limit: 5, additionalFields: { sort: 'new' } }, [children({ id: 'a', title: 'A' })], [{ k: 'x' }]],
  ['post: search everywhere', 1, { operation: 'search', location: 'allReddit', keyword: 'x', limit: 5, additionalFields: { sort: 'hot' } }, [children({ id: 'a', title: 'A' })]],
  ['post: search by default', 1, { operation: 'search', subreddit: 'rust', keyword: 'x', additionalFields: {} }, [children({ id: 'a', title: 'A' })]],
  ['post: search of all', 1, { operation: 'search', subreddit: 'rust', keyword: 'x', returnAll: true, additionalFields: {} }, [children({ id: 'a', title: 'A' })]],
  ['post: getAll', 1, { operation: 'getAll', subreddit: 'rust', limit: 5, filters: { category: 'new' } }, [children({ id: 'a', title: 'A' })]],
  ['post: getAll by default', 1, { operation: 'getAll', subreddit: 'rust', filters: {} }, [children({ id: 'a', title: 'A' })]],
  ['post: get', 1, { operation: 'get', subreddit: 'rust', postId: 'a' }, [{ body: [children({ id: 'a', title: 'A' }), children({ id: 'c' })] }]],
  ['post: create', 1, { subreddit: 'rust', title: 'T', text: 'x' }, [{ json: { errors: [], data: { id: 'a', name: 't3_a' } } }]],
  ['post: create a link', 1, { subreddit: 'rust', kind: 'link', title: 'T', url: 'https://example.com' }, [{ json: { errors: [], data: { id: 'a', name: 't3_a' } } }]],
  ['postComment: getAll', 1, { resource: 'postComment', operation: 'getAll', subreddit: 'rust', postId: 'a', limit: 5 }, [{ body: [children({ id: 'a' }), children({ id: 'c', body: 'C' })] }]],
  ['postComment: create', 1, { resource: 'postComment', postId: 'a', commentText: 'x' }, [{ json: { errors: [], data: { things: [{ data: { id: 'c' } }] } } }]],
  ['postComment: reply', 1, { resource: 'postComment', operation: 'reply', commentId: 'c', replyText: 'x' }, [{ json: { errors: [], data: { things: [{ data: { id: 'd' } }] } } }]],
  ['subreddit: about', 1, { resource: 'subreddit', subreddit: 'rust' }, [{ kind: 't5', data: { id: 's', display_name: 'rust' } }]],
  ['subreddit: rules', 1, { resource: 'subreddit', subreddit: 'rust', content: 'rules' }, [{ rules: [{ kind: 'all' }] }]],
  ['user: about', 1, { resource: 'user', username: 'ada' }, [{ kind: 't2', data: { id: 'u' } }]],
]);

const parameters = (values) => ({ queryParameters: { parameter: Object.entries(values).map(([name, value]) => ({ name, value })) } });
const facebookGraphApi = of('facebookGraphApi', [
  ['get', 1, { graphApiVersion: 'v22.0', node: 'me', options: {} }, [{ id: '1', name: 'Ada' }]],
  ['get an edge with fields', 1, { graphApiVersion: 'v23.0', node: '={{ $json.id }}', edge: 'posts', options: { fields: { field: [{ name: 'id' }, { name: 'message' }] } } }, [{ data: [{ id: '1' }] }], [{ id: '12' }]],
  ['post with parameters', 1, { httpRequestMethod: 'POST', graphApiVersion: 'v22.0', node: '12', edge: 'photos', options: parameters({ message: '={{ $json.m }}', url: 'https://example.com/a b.png' }) }, [{ id: '1' }], [{ m: 'Hé & more' }]],
  ['post with parameters in JSON', 1, { httpRequestMethod: 'POST', graphApiVersion: 'v22.0', node: '12', edge: 'media', options: { queryParametersJson: '={"caption":"{{ $json.m }}"}' } }, [{ id: '1' }], [{ m: 'Hi' }]],
  ['to a host for videos', 1, { hostUrl: 'graph-video.facebook.com', httpRequestMethod: 'POST', graphApiVersion: 'v22.0', node: '12', edge: 'videos', options: parameters({ file_url: 'https://example.com/a.mp4' }) }, [{ id: '1' }]],
  ['delete', 1, { httpRequestMethod: 'DELETE', graphApiVersion: 'v22.0', node: '12', options: {} }, [{ success: true }]],
]);

const posted = [{ status: 201, headers: { 'x-restli-id': 'urn:li:share:1' }, body: '' }];
const linkedIn = of('linkedIn', [
  ['post as a person', 1, { person: 'p1', text: '={{ $json.t }}', additionalFields: {} }, posted, [{ t: 'Hello (all) #x' }]],
  ['post as an organization', 1, { postAs: 'organization', organization: '7', text: 'Hello', additionalFields: {} }, posted],
  ['post to connections', 1, { person: 'p1', text: 'Hello', additionalFields: { visibility: 'CONNECTIONS' } }, posted],
  ['post an article', 1, { person: 'p1', text: 'Hello', shareMediaCategory: 'ARTICLE', additionalFields: { originalUrl: 'https://example.com', title: 't', description: 'd' } }, posted],
]);

const graphql = of('graphql', [
  ['a query', 1.1, { endpoint: 'https://api.example/graphql', query: 'query { me { id } }' }, [{ data: { me: { id: 1 } } }]],
  ['variables', 1.1, { endpoint: 'https://api.example/graphql', query: 'query ($id: ID!) { one(id: $id) { id } }', variables: '={{ { id: $json.n } }}' }, [{ data: { one: { id: 1 } } }]],
  ['variables as a text', 1.1, { endpoint: 'https://api.example/graphql', query: 'query ($id: ID!) { one(id: $id) { id } }', variables: '={ "id": {{ $json.n }} }' }, [{ data: { one: { id: 1 } } }]],
  ['an operation', 1.1, { endpoint: 'https://api.example/graphql', query: 'query A { a } query B { b }', operationName: 'B' }, [{ data: { b: 1 } }]],
  ['version 1', 1, { endpoint: 'https://api.example/graphql', requestFormat: 'json', query: '=query { one(id: {{ $json.n }}) { id } }' }, [{ data: { one: { id: 1 } } }]],
  ['version 1 without a format', 1, { endpoint: 'https://api.example/graphql', query: 'query { me { id } }' }, [{ data: { me: { id: 1 } } }]],
  ['GET', 1.1, { endpoint: 'https://api.example/graphql', requestMethod: 'GET', query: 'query { me { id } }' }, [{ data: { me: { id: 1 } } }]],
  ['an answer as a text', 1.1, { endpoint: 'https://api.example/graphql', query: 'query { me { id } }', responseFormat: 'string' }, [{ data: { me: { id: 1 } } }]],
  ['headers', 1.1, { endpoint: 'https://api.example/graphql', query: 'query { me { id } }', headerParametersUi: { parameter: [{ name: 'x-a', value: '1' }] } }, [{ data: { me: { id: 1 } } }]],
  ['an answer with errors', 1.1, { endpoint: 'https://api.example/graphql', query: 'query { me { id } }' }, [{ errors: [{ message: 'no' }] }]],
]);

const weather = { main: { temp: 5 }, name: 'London' };
const openWeatherMap = of('openWeatherMap', [
  ['the weather of a city', 1, { cityName: '={{ $json.c }}', language: 'en' }, [weather], [{ c: 'London' }]],
  ['the weather by default', 1, { cityName: 'London' }, [weather]],
  ['the weather at coordinates', 1, { locationSelection: 'coordinates', latitude: '51.5', longitude: '-0.1', format: 'imperial' }, [weather]],
  ['the forecast of a city', 1, { operation: '5DayForecast', cityName: 'London', language: 'en' }, [{ list: [weather] }]],
  ['the forecast at coordinates', 1, { operation: '5DayForecast', locationSelection: 'coordinates', latitude: '51.5', longitude: '-0.1' }, [{ list: [weather] }]],
]);

const hackerNews = of('hackerNews', [
  ['all', 1, { resource: 'all', limit: 5, additionalFields: {} }, [{ hits: [{ objectID: '1' }], nbPages: 1 }]],
  ['all with a keyword and tags', 1, { resource: 'all', limit: 5, additionalFields: { keyword: '={{ $json.k }}', tags: ['story', 'front_page'] } }, [{ hits: [{ objectID: '1' }], nbPages: 1 }], [{ k: 'rust' }]],
  ['all of all', 1, { resource: 'all', returnAll: true, additionalFields: {} }, [{ hits: [{ objectID: '1' }], nbPages: 1 }]],
  ['an article', 1, { articleId: '={{ $json.id }}', additionalFields: {} }, [{ id: 1, title: 'A', children: [{ id: 2 }] }], [{ id: '1' }]],
  ['an article with comments', 1, { articleId: '1', additionalFields: { includeComments: true } }, [{ id: 1, title: 'A', children: [{ id: 2 }] }]],
  ['a user', 1, { resource: 'user', username: 'ada' }, [{ username: 'ada' }]],
]);

const deepL = of('deepL', [
  ['translate', 1, { text: '={{ $json.t }}', translateTo: 'FR', additionalFields: {} }, [{ translations: [{ detected_source_language: 'EN', text: 'Salut' }] }], [{ t: 'Hi' }]],
  ['translate with options', 1, { text: 'Hi', translateTo: 'DE', additionalFields: { sourceLang: 'EN', formality: 'less', preserveFormatting: '1', splitSentences: 'nonewlines' } }, [{ translations: [{ detected_source_language: 'EN', text: 'Hallo' }] }]],
]);

export const cases = [
  airtable, asana, clickUp, deepL, facebookGraphApi, github, gitlab, graphql, hackerNews, hubspot, intercom, jira, linear, linkedIn, mailchimp, mondayCom,
  nocoDb, notion, openWeatherMap, pipedrive, reddit, salesforce, shopify, stripe, supabase, todoist, trello, twitter, wooCommerce, wordpress, zendesk,
].flat();
