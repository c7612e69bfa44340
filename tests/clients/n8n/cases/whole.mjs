// Workflows of the size that people share: several nodes together.

import { add, code, codeEach, conditions, http, noOp, node, pairs, set, show, start, when, workflow } from './build.mjs';

const hook = (responseMode = 'responseNode') => node('Webhook', 'webhook', 2, { httpMethod: 'POST', path: 'in', responseMode, options: {} });
const called = (body, more = {}) => [{ headers: {}, params: {}, query: {}, body, webhookUrl: 'https://n8n.example/webhook/in', executionMode: 'production', ...more }];
const respond = (name, parameters) => node(name, 'respondToWebhook', 1.4, { options: {}, ...parameters });
const every = node('Every hour', 'scheduleTrigger', 1.2, { rule: { interval: [{ field: 'hours' }] } });

export const cases = [
  {
    name: 'whole: new entries of a list are posted, one by one',
    workflow: workflow([every, http('Entries', { url: 'https://api.example/entries' }),
      node('New', 'filter', 2.2, { conditions: conditions([['={{ $json.state }}', 'string', 'equals', 'new']]), options: {} }),
      node('Loop', 'splitInBatches', 3, { options: {} }),
      http('Post', { url: 'https://chat.example/messages', method: 'POST', sendBody: true, specifyBody: 'json', jsonBody: '={ "text": "{{ $json.title }} by {{ $json.author.name }}" }' }),
      set('Count', { 'posted:number': '={{ $items().length }}', 'last': '={{ $("New").last().json.title }}' }, { executeOnce: true })],
    [['Every hour', 'Entries'], ['Entries', 'New'], ['New', 'Loop'], ['Loop', 0, 'Count'], ['Loop', 1, 'Post'], ['Post', 'Loop']]),
    http: [
      { url: '/entries', body: [{ id: 1, state: 'new', title: 'One', author: { name: 'Ada' } }, { id: 2, state: 'old', title: 'Two', author: { name: 'Bob' } }, { id: 3, state: 'new', title: 'Three', author: { name: 'Cy' } }] },
      { method: 'POST', url: '/messages', body: { sent: true } },
    ],
  },
  {
    name: 'whole: a webhook refuses what is not valid',
    workflow: workflow([hook(), when('Valid', [['={{ $json.body.mail }}', 'string', 'contains', '@'], ['={{ $json.body.age }}', 'number', 'gte', 18]]),
      set('Customer', { mail: '={{ $json.body.mail.toLowerCase() }}', 'adult:boolean': '={{ true }}' }), respond('Welcome', { respondWith: 'firstIncomingItem' }),
      respond('Refuse', { respondWith: 'json', responseBody: '={ "error": "not valid: {{ $json.body.mail }}" }', options: { responseCode: 422 } })],
    [['Webhook', 'Valid'], ['Valid', 0, 'Customer'], ['Customer', 'Welcome'], ['Valid', 1, 'Refuse']]),
    input: called({ mail: 'ada.example', age: 20 }),
  },
  {
    name: 'whole: a webhook accepts what is valid',
    workflow: workflow([hook(), when('Valid', [['={{ $json.body.mail }}', 'string', 'contains', '@'], ['={{ $json.body.age }}', 'number', 'gte', 18]]),
      set('Customer', { mail: '={{ $json.body.mail.toLowerCase() }}', 'adult:boolean': '={{ true }}' }), respond('Welcome', { respondWith: 'firstIncomingItem' }),
      respond('Refuse', { respondWith: 'json', responseBody: '={ "error": "not valid: {{ $json.body.mail }}" }', options: { responseCode: 422 } })],
    [['Webhook', 'Valid'], ['Valid', 0, 'Customer'], ['Customer', 'Welcome'], ['Valid', 1, 'Refuse']]),
    input: called({ mail: 'Ada@Example.com', age: 36 }),
  },
  {
    name: 'whole: two APIs are joined by a field',
    workflow: workflow([start(), http('Users', { url: 'https://api.example/users' }), http('Orders', { url: 'https://api.example/orders' }),
      node('Join', 'merge', 3.1, { mode: 'combine', advanced: true, mergeByFields: { values: [{ field1: 'id', field2: 'user' }] }, joinMode: 'enrichInput1', options: {} }),
      node('Sum', 'summarize', 1.1, { fieldsToSummarize: { values: [{ aggregation: 'sum', field: 'total' }] }, fieldsToSplitBy: 'name', options: {} })],
    [['Start', 'Users'], ['Start', 'Orders'], ['Users', 'Join'], ['Orders', 0, 'Join', 1], ['Join', 'Sum']]),
    http: [{ url: '/users', body: [{ id: 1, name: 'Ada' }, { id: 2, name: 'Bob' }] }, { url: '/orders', body: [{ user: 1, total: 10 }, { user: 1, total: 5 }, { user: 3, total: 99 }] }],
  },
  {
    name: 'whole: a failing API is reported, the others continue',
    workflow: workflow([start(), code('Sites', 'return ["a", "b", "c"].map((site) => ({ json: { site } }))'), http('Check', { url: '=https://{{ $json.site }}.example/health' }, { onError: 'continueErrorOutput' }),
      set('Up', { site: '={{ $("Sites").item.json.site }}', state: 'up' }), set('Down', { site: '={{ $json.site }}', state: 'down', status: '={{ $json.error.status }}' }),
      http('Alarm', { url: 'https://chat.example/alarm', method: 'POST', sendBody: true, bodyParameters: pairs({ text: '={{ $json.site }} is down' }) })],
    [['Start', 'Sites'], ['Sites', 'Check'], ['Check', 0, 'Up'], ['Check', 1, 'Down'], ['Down', 'Alarm']]),
    http: [{ url: 'b.example', status: 503, body: 'maintenance', headers: { 'content-type': 'text/plain' } }, { url: 'chat.example', body: { ok: true } }, { body: { healthy: true } }],
  },
  {
    name: 'whole: orders are routed by their kind, and each way names the order',
    workflow: workflow([hook('onReceived'), node('Lines', 'splitOut', 1, { fieldToSplitOut: 'body.lines', options: {} }),
      node('Kind', 'switch', 3.2, { rules: { values: ['book', 'game'].map((kind) => ({ conditions: conditions([['={{ $json.kind }}', 'string', 'equals', kind]]), renameOutput: true, outputKey: kind })) }, options: { fallbackOutput: 'extra' } }),
      set('Book', { text: '=book {{ $json.title }} of order {{ $("Webhook").item.json.body.id }}' }), set('Game', { text: '=game {{ $json.title }} of order {{ $("Webhook").item.json.body.id }}' }),
      set('Other', { text: '=other {{ $json.title }} of order {{ $("Webhook").first().json.body.id }}' })],
    [['Webhook', 'Lines'], ['Lines', 'Kind'], ['Kind', 0, 'Book'], ['Kind', 1, 'Game'], ['Kind', 2, 'Other']]),
    input: called({ id: 7, lines: [{ kind: 'game', title: 'Go' }, { kind: 'book', title: 'Emma' }, { kind: 'pen', title: 'Blue' }, { kind: 'book', title: 'Dune' }] }),
  },
  {
    name: 'whole: pages are fetched with a cycle, and collected',
    workflow: workflow([start(), set('First', { 'page:number': '={{ 1 }}' }), http('Page', { url: 'https://api.example/rows', sendQuery: true, queryParameters: pairs({ page: '={{ $json.page }}' }) }),
      when('More', [['={{ $json.next }}', 'number', 'exists']]), set('Next page', { 'page:number': '={{ $json.next }}' }),
      code('Collect', 'const rows = []; for (let run = 0; ; run++) { try { const items = $("Page").all(0, run); if (items.length === 0) break; rows.push(...items.flatMap((item) => item.json.rows)); } catch { break; } } return [{ json: { rows } }]')],
    [['Start', 'First'], ['First', 'Page'], ['Page', 'More'], ['More', 0, 'Next page'], ['Next page', 'Page'], ['More', 1, 'Collect']]),
    http: [{ url: 'page=1', body: { rows: [1, 2], next: 2 } }, { url: 'page=2', body: { rows: [3], next: 3 } }, { url: 'page=3', body: { rows: [4] } }],
  },
  {
    name: 'whole: a digest of a day, in one text',
    workflow: { ...workflow([every, http('News', { url: 'https://api.example/news' }),
      node('Today', 'filter', 2.2, { conditions: conditions([['={{ DateTime.fromISO($json.at).toISODate() }}', 'string', 'equals', '={{ $today.toISODate() }}']]), options: {} }),
      node('All', 'aggregate', 1, { fieldsToAggregate: { fieldToAggregate: [{ fieldToAggregate: 'title' }] }, options: {} }),
      set('Digest', { subject: '=News of {{ $now.toFormat("d LLLL yyyy") }}', text: '={{ $json.title.map((title, index) => `${index + 1}. ${title}`).join("\\n") }}' })],
    [['Every hour', 'News'], ['News', 'Today'], ['Today', 'All'], ['All', 'Digest']]), settings: { executionOrder: 'v1', timezone: 'Europe/Madrid' } },
    http: [{ url: '/news', body: [{ title: 'Old', at: '2026-03-13T22:00:00Z' }, { title: 'Night', at: '2026-03-13T23:30:00Z' }, { title: 'Noon', at: '2026-03-14T12:00:00Z' }] }],
  },
  {
    name: 'whole: rows are cleaned, sorted, without duplicates',
    workflow: workflow([start(), codeEach('Clean', 'return { json: { mail: $json.mail.trim().toLowerCase(), points: Number($json.points) } }'),
      node('Unique', 'removeDuplicates', 2, { compare: 'selectedFields', fieldsToCompare: 'mail', options: {} }),
      node('Sort', 'sort', 1, { sortFieldsUi: { sortField: [{ fieldName: 'points', order: 'descending' }] }, options: {} }),
      node('Top', 'limit', 1, { maxItems: 2 }), add('Rank', { 'rank:number': '={{ $itemIndex + 1 }}', raw: '={{ $("Start").item.json.mail }}' })],
    [['Start', 'Clean'], ['Clean', 'Unique'], ['Unique', 'Sort'], ['Sort', 'Top'], ['Top', 'Rank']]),
    input: [{ mail: ' Ada@x.com', points: '3' }, { mail: 'bob@x.com ', points: '7' }, { mail: 'ADA@X.com', points: '9' }, { mail: 'cy@x.com', points: '5' }],
  },
  {
    name: 'whole: an answer is taken from either of two sources',
    workflow: workflow([start(), http('Cache', { url: '=https://cache.example/{{ $json.key }}', options: { response: { response: { neverError: true, fullResponse: true } } } }),
      when('Hit', [['={{ $json.statusCode }}', 'number', 'equals', 200]]), show('From cache', '{ value: $json.body.value, from: "cache" }'),
      http('Source', { url: '=https://source.example/{{ $("Start").item.json.key }}' }), show('From source', '{ value: $json.value, from: "source" }'), noOp('Answer'),
      show('Show', '{ value: $json.value, from: $json.from, key: $("Start").item.json.key }')],
    [['Start', 'Cache'], ['Cache', 'Hit'], ['Hit', 0, 'From cache'], ['Hit', 1, 'Source'], ['Source', 'From source'], ['From cache', 'Answer'], ['From source', 'Answer'], ['Answer', 'Show']]),
    input: [{ key: 'a' }, { key: 'b' }],
    http: [{ url: 'cache.example/a', body: { value: 1 } }, { url: 'cache.example/b', status: 404, body: {} }, { url: 'source.example/b', body: { value: 2 } }],
  },
];
