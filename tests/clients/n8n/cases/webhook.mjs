// Webhooks: what a call gives the workflow, and what it is answered.

import { add, code, http, noOp, node, set, show, start, when, workflow } from './build.mjs';

const hook = (parameters = {}) => node('Webhook', 'webhook', 2, { httpMethod: 'POST', path: 'orders', responseMode: 'responseNode', options: {}, ...parameters });
const order = {
  headers: { host: 'n8n.example', 'content-type': 'application/json', 'x-shop': 'north' },
  params: {},
  query: { page: '2', tag: ['a', 'b'] },
  body: { id: 7, customer: { name: 'Ada', mail: 'ada@example.com' }, lines: [{ sku: 'x', count: 2 }, { sku: 'y', count: 1 }] },
  webhookUrl: 'https://n8n.example/webhook/orders',
  executionMode: 'production',
};

/** Webhook → the nodes, one behind the other. */
const chain = (name, nodes, input = [order], first = hook()) => {
  const names = [first.name, ...nodes.map((each) => each.name)];
  return {
    name: `webhook: ${name}`,
    workflow: workflow([first, ...nodes], names.slice(1).map((each, index) => [names[index], each])),
    input,
  };
};

const respond = (parameters, version = 1.4, more) => node('Respond', 'respondToWebhook', version, { options: {}, ...parameters }, more);
const lines = code('Lines', 'return $json.body.lines.map((json) => ({ json }))');

const calls = [
  chain('body, query and headers', [show('Show', '{ id: $json.body.id, name: $json.body.customer.name, first: $json.body.lines[0].sku, page: $json.query.page, tags: $json.query.tag, shop: $json.headers["x-shop"], params: $json.params }')]),
  chain('fields of the body in texts', [set('Show', { text: '=Order {{ $json.body.id }} of {{ $json.body.customer.name }} ({{ $json.body.lines.length }} lines)' })]),
  chain('later nodes name the webhook', [noOp('Between'), show('Show', '{ item: $("Webhook").item.json.body.id, first: $("Webhook").first().json.query.page, node: $node["Webhook"].json.headers["x-shop"] }')]),
  chain('a list in the body becomes items', [node('Split', 'splitOut', 1, { fieldToSplitOut: 'body.lines', options: {} }), show('Show', '{ sku: $json["body.lines"]?.sku ?? $json.sku ?? null, id: $("Webhook").item.json.body.id, keys: Object.keys($json) }')]),
  chain('code reads the body', [code('Show', 'const { body, query } = $input.first().json; return [{ json: { total: body.lines.reduce((sum, line) => sum + line.count, 0), page: Number(query.page) } }]')]),
  chain('a condition on a header', [when('If', [['={{ $json.headers["x-shop"] }}', 'string', 'equals', 'north']]), set('North', { shop: 'north' })]),
  chain('a body that is missing', [show('Show', '{ id: $json.body?.id ?? null, name: $json.body.customer?.name ?? null }')], [{ ...order, body: {} }]),
  chain('version 1', [show('Show', '{ id: $json.body.id }')], [order], node('Webhook', 'webhook', 1, { path: 'orders', httpMethod: 'POST' })),
  chain('$prevNode, $execution and $workflow', [show('Show', '{ from: $prevNode.name, mode: $execution.mode, workflow: $workflow.name }')]),
];

const responses = [
  chain('respond: the first item, the items continue', [lines, respond({ respondWith: 'firstIncomingItem' }), noOp('Next')]),
  chain('respond: all items', [lines, respond({ respondWith: 'allIncomingItems' }), noOp('Next')]),
  chain('respond: all items, in a field', [lines, respond({ respondWith: 'allIncomingItems', options: { responseKey: 'data.rows' } }), noOp('Next')]),
  chain('respond: the first item is the default', [lines, respond({})]),
  chain('respond: the first item, in a field', [lines, respond({ respondWith: 'firstIncomingItem', options: { responseKey: 'row' } })]),
  chain('respond: JSON text with expressions', [lines, respond({ respondWith: 'json', responseBody: '={ "sku": "{{ $json.sku }}", "count": {{ $json.count }} }' }), noOp('Next')]),
  chain('respond: JSON of one expression', [lines, respond({ respondWith: 'json', responseBody: '={{ { sku: $json.sku, all: $input.all().length } }}' })]),
  chain('respond: JSON that is not valid', [lines, respond({ respondWith: 'json', responseBody: '={ "sku": {{ $json.sku }} }' })]),
  chain('respond: JSON that is not valid continues', [lines, respond({ respondWith: 'json', responseBody: '={ "sku": {{ $json.sku }} }' }, 1.4, { onError: 'continueRegularOutput' }), noOp('Next')]),
  chain('respond: text', [lines, respond({ respondWith: 'text', responseBody: '=Thank you, {{ $("Webhook").item.json.body.customer.name }}' }), noOp('Next')]),
  chain('respond: no data', [lines, respond({ respondWith: 'noData' }), noOp('Next')]),
  chain('respond: a redirect', [respond({ respondWith: 'redirect', redirectURL: '=https://shop.example/{{ $json.body.id }}' }), noOp('Next')]),
  chain('respond: a status and headers', [respond({ respondWith: 'json', responseBody: '{"ok": true}', options: { responseCode: 201, responseHeaders: { entries: [{ name: 'X-Order', value: '={{ $json.body.id }}' }] } } })]),
  chain('respond: a file', [node('File', 'convertToFile', 1.1, { operation: 'toText', sourceProperty: 'body.customer.name', options: { fileName: 'name.txt' } }), respond({ respondWith: 'binary' })]),
  chain('respond: version 1', [lines, respond({ respondWith: 'firstIncomingItem' }, 1), noOp('Next')]),
  chain('respond: version 1.1 with all items', [lines, respond({ respondWith: 'allIncomingItems' }, 1.1), noOp('Next')]),
  {
    name: 'webhook: respond: the second output has the response',
    workflow: workflow([hook(), lines, respond({ respondWith: 'json', responseBody: '{"ok": true}', enableResponseOutput: true }), noOp('Items'), noOp('Response')],
      [['Webhook', 'Lines'], ['Lines', 'Respond'], ['Respond', 0, 'Items'], ['Respond', 1, 'Response']]),
    input: [order],
  },
  {
    name: 'webhook: respond: without a webhook node',
    workflow: workflow([start(), respond({ respondWith: 'json', responseBody: '{"ok": true}' })], [['Start', 'Respond']]),
  },
  {
    name: 'webhook: respond: without a webhook node, version 1',
    workflow: workflow([start(), respond({ respondWith: 'json', responseBody: '{"ok": true}' }, 1), noOp('Next')], [['Start', 'Respond'], ['Respond', 'Next']]),
  },
  {
    name: 'webhook: respond: one of two answers, by a condition',
    workflow: workflow([hook(), when('If', [['={{ $json.body.id }}', 'number', 'gt', 5]]), respond({ respondWith: 'text', responseBody: 'big' }),
      { ...respond({ respondWith: 'text', responseBody: 'small', options: { responseCode: 400 } }), name: 'Refuse' }],
    [['Webhook', 'If'], ['If', 0, 'Respond'], ['If', 1, 'Refuse']]),
    input: [order],
  },
  {
    name: 'webhook: an API behind a webhook',
    workflow: workflow([hook(), http('HTTP', { url: '=https://api.example/orders/{{ $json.body.id }}', method: 'POST', sendBody: true, specifyBody: 'json', jsonBody: '={{ $json.body.customer }}' }),
      add('Answer', { order: '={{ $("Webhook").item.json.body.id }}' }), respond({ respondWith: 'firstIncomingItem' })],
    [['Webhook', 'HTTP'], ['HTTP', 'Answer'], ['Answer', 'Respond']]),
    input: [order],
    http: [{ method: 'POST', url: '/orders/7', body: { state: 'open' } }],
  },
];

export const cases = [...calls, ...responses];
