// Runs a workflow with n8n's own engine and nodes, in this process, and returns the items of every node.
//
// n8n is only the oracle of the tests: it is installed from npm, and nothing of it is part of the platform.
// HTTP requests go to a stub on a loopback port, which answers from a list. The clock stands still at `NOW`.

import { createRequire } from 'node:module';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The instant of every run: a Saturday in March, at which New York and Madrid have different offsets from UTC. */
export const NOW = '2026-03-14T15:09:26.535Z';

const clock = globalThis.Date;
const instant = clock.parse(NOW);
/** The date of the workflows. `setTimeout` keeps the real clock, so that retries and waits still end. */
class StoppedDate extends clock {
  constructor(...parts) {
    if (parts.length === 0) super(instant);
    else super(...parts);
  }
  static now() {
    return instant;
  }
}

const folder = mkdtempSync(path.join(tmpdir(), 'n8n-oracle-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
Object.assign(process.env, {
  N8N_USER_FOLDER: folder,
  N8N_ENCRYPTION_KEY: 'oracle',
  N8N_DIAGNOSTICS_ENABLED: 'false',
  N8N_LOG_LEVEL: 'silent',
  N8N_RUNNERS_ENABLED: 'true',
  N8N_BLOCK_ENV_ACCESS_IN_NODE: 'true',
  GENERIC_TIMEZONE: 'America/New_York',
  // The zone of the process must not decide: scripts that use the local zone of `Date` get UTC.
  TZ: 'UTC',
});

const require = createRequire(import.meta.url);
require('reflect-metadata');
const { Container } = require('@n8n/di');
const { InstanceSettings, WorkflowExecute } = require('n8n-core');
const { SSHClientsManager } = require('n8n-core/dist/execution-engine/ssh-clients-manager.js');
const { NodeHelpers, Workflow, createRunExecutionData, setGlobalState } = require('n8n-workflow');
// The package of the runner exports only its start, which opens a socket.
const runnerFile = (file) => require(path.join(path.dirname(require.resolve('@n8n/task-runner')), file));
const { JsTaskRunner } = runnerFile('js-task-runner/js-task-runner.js');
const { EXPOSED_RPC_METHODS } = runnerFile('runner-types.js');
const { DataRequestResponseReconstruct } = runnerFile('data-request/data-request-response-reconstruct.js');
const { createRequireResolver } = runnerFile('js-task-runner/require-resolver.js');
const axios = createRequire(require.resolve('n8n-core'))('axios');
const RssParser = createRequire(require.resolve('n8n-nodes-base/dist/nodes/RssFeedRead/RssFeedRead.node.js'))('rss-parser');

Container.get(InstanceSettings);
// The manager of SSH connections would keep this process alive, with a timer.
Container.set(SSHClientsManager, {});
setGlobalState({ defaultTimezone: 'America/New_York' });

// ---- Node types ----

const base = path.dirname(require.resolve('n8n-nodes-base/package.json'));
const known = JSON.parse(readFileSync(path.join(base, 'dist/known/nodes.json'), 'utf8'));
const loaded = new Map();

/** Loads each type when a workflow uses it for the first time: all of them together take many seconds. */
function nodeType(name) {
  if (!loaded.has(name)) {
    const [scope, short] = name.split('.');
    const entry = scope === 'n8n-nodes-base' ? known[short] : undefined;
    if (!entry) throw new Error(`no node type ${name}`);
    loaded.set(name, new (require(path.join(base, entry.sourcePath))[entry.className])());
  }
  return loaded.get(name);
}

const nodeTypes = {
  getByName: nodeType,
  getByNameAndVersion: (name, version) => NodeHelpers.getVersionedNodeType(nodeType(name), version),
  getKnownTypes: () => known,
};

// ---- Code nodes ----

/** What a value becomes on its way to the task runner of n8n and back: the two processes exchange JSON. */
const overTheWire = (value) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

/** n8n's runner of JavaScript, without its process and its socket: both ends are in this process. */
function taskRunner(functions) {
  const runner = Object.create(JsTaskRunner.prototype);
  return Object.assign(runner, {
    mode: 'secure',
    taskTimeout: 60,
    taskDataReconstruct: new DataRequestResponseReconstruct(),
    nodeTypes,
    requireResolver: createRequireResolver({ allowedBuiltInModules: new Set(), allowedExternalModules: new Set() }),
    async makeRpcCall(_task, method, parameters) {
      if (!EXPOSED_RPC_METHODS.includes(method)) return undefined;
      const [helpers, name] = method.split('.');
      return await functions[helpers][name](...parameters);
    },
  });
}

async function startRunnerTask(
  additionalData, _type, settings, functions, inputData, node, workflow, runExecutionData, runIndex, itemIndex,
  activeNodeName, _connectionInputData, siblingParameters, mode, envProviderState, executeData,
) {
  const { executionId, webhookWaitingBaseUrl, formWaitingBaseUrl, variables } = additionalData;
  const runner = taskRunner(functions);
  // The runner makes the items of the code from `inputData`, which `executeOnce` has cut to one item.
  const data = runner.reconstructTaskData(overTheWire({
    node, inputData, runExecutionData, runIndex, itemIndex, activeNodeName, siblingParameters, mode, envProviderState,
    connectionInputSource: executeData?.source,
    contextNodeName: node.name,
    defaultReturnRunIndex: -1,
    selfData: {},
    additionalData: { executionId, webhookWaitingBaseUrl, formWaitingBaseUrl, variables },
    workflow: {
      id: workflow.id, name: workflow.name, active: workflow.active, settings: workflow.settings,
      nodes: Object.values(workflow.nodes), connections: workflow.connectionsBySourceNode,
      staticData: workflow.staticData, pinData: workflow.pinData,
    },
  }), settings.chunk);
  const copy = new Workflow({ ...data.workflow, nodeTypes });
  const settled = {
    ...settings,
    additionalProperties: { Date: StoppedDate, ...settings.additionalProperties },
  };
  try {
    const signal = new AbortController().signal;
    const result = settings.nodeMode === 'runOnceForAllItems'
      ? await runner.runForAllItems('task', settled, data, copy, signal)
      : await runner.runForEachItem('task', settled, data, copy, signal);
    if (copy.staticData.__dataChanged) Object.assign(workflow.staticData, copy.staticData);
    return { ok: true, result: overTheWire({ result }).result };
  } catch (error) {
    // The sandbox's errors carry their message and stack as plain fields, which is what the wire keeps.
    return { ok: false, error: { ...overTheWire(error), name: error.name, message: error.message, stack: error.stack } };
  }
}

// ---- HTTP ----

/** The stub of the current run: `answers` in the order of the case, and the `requests` that it has received. */
let stub = { answers: [], requests: [] };

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const url = new URL(request.headers['x-oracle-url']);
    stub.requests.push(seen(request, url, Buffer.concat(chunks)));
    const answer = answerTo(request.method, url);
    const { status = 200, headers = {}, body } = answer ?? { status: 599, body: `no answer for ${request.method} ${url}` };
    if (answer?.drop) {
      request.socket.destroy();
      return;
    }
    const text = typeof body === 'string' || body === undefined;
    const bytes = body?.base64 !== undefined && Object.keys(body).length === 1
      ? Buffer.from(body.base64, 'base64')
      : Buffer.from(text ? body ?? '' : JSON.stringify(body));
    const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    if (given['content-type'] === undefined && !text) given['content-type'] = 'application/json';
    response.sendDate = false;
    response.writeHead(status, { ...given, connection: 'close' });
    response.end(bytes);
  });
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
server.unref();

/** The first answer whose method and part of the URL match. An answer with `times` is used that often. */
function answerTo(method, url) {
  const fits = (answer) => (answer.method ?? method).toUpperCase() === method && url.href.includes(answer.url ?? answer.path ?? '');
  const answer = stub.answers.find((each) => fits(each) && (each.times ?? Infinity) > 0);
  if (answer?.times !== undefined) answer.times -= 1;
  return answer;
}

/** The headers that the client adds by itself. They say nothing about the node. */
const TRANSPORT = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'accept-encoding', 'x-oracle-url']);

/** A mail that is sent in Base64, as a text, without its random id and boundaries. */
const withoutRandom = (mail) => mail.replace(/^Message-ID: .*\r\n/m, '').replace(/_NmP-[0-9a-f]+-/g, 'NmP-');

function seen(request, url, bytes) {
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !TRANSPORT.has(name)).sort());
  if (headers['user-agent']?.startsWith('axios/')) delete headers['user-agent'];
  let body = bytes.toString('utf8');
  const boundary = /boundary=(.+)$/.exec(headers['content-type'] ?? '')?.[1];
  if (boundary) {
    headers['content-type'] = headers['content-type'].replace(boundary, 'BOUNDARY');
    body = body.replaceAll(boundary, 'BOUNDARY');
  }
  body = body.replace(/"raw":"([\w-]+)"/, (_, mail) => `"raw":${JSON.stringify(withoutRandom(Buffer.from(mail, 'base64url').toString()))}`);
  const query = {};
  for (const name of new Set(url.searchParams.keys())) {
    const values = url.searchParams.getAll(name);
    query[name] = values.length === 1 ? values[0] : values;
  }
  return { method: request.method, url: url.href, query, headers, ...(bytes.length > 0 && { body }) };
}

/** Sends the requests of n8n's client to the stub, and keeps everything else of the client as it is. */
const http = axios.getAdapter('http');
let last = Promise.resolve();
/** The RSS node has a client of its own. Here it sends its requests as the other nodes do. */
RssParser.prototype.parseURL = async function (url) {
  const { data, status } = await axios.get(url, { headers: this.options.headers, transformResponse: (body) => body, validateStatus: null });
  if (status >= 300) throw new Error(`Status code ${status}`);
  return this.parseString(data);
};
/** n8n sends the requests of all items at once. Here each waits for the one before, so that their order is always the same. */
axios.defaults.adapter = (config) => {
  const answer = last.then(() => sendToStub(config));
  last = answer.catch(() => {});
  return answer;
};

async function sendToStub(config) {
  let url = axios.getUri(config);
  const { port } = server.address();
  const toStub = { protocol: 'http:', hostname: '127.0.0.1', host: '127.0.0.1', port, path: '/', agent: undefined, agents: {} };
  const changed = {
    ...config,
    url: `http://127.0.0.1:${port}/`,
    baseURL: undefined,
    params: undefined,
    httpAgent: undefined,
    httpsAgent: undefined,
    beforeRedirect(options, ...details) {
      // A location without a host is resolved against the stub. Here it is resolved against the URL of the request.
      const to = new URL(options.href);
      url = to.port === String(port) ? new URL(to.pathname + to.search, url).href : to.href;
      config.beforeRedirect?.(options, ...details);
      Object.assign(options, toStub);
      options.headers['x-oracle-url'] = url;
    },
  };
  changed.headers.set('x-oracle-url', url);
  try {
    const response = await http(changed);
    // n8n names files after the URL that answered.
    for (const message of [response.data, response.request?.res]) if (message?.responseUrl) message.responseUrl = url;
    // How the stub sends its bytes says nothing about the node.
    for (const name of ['connection', 'transfer-encoding']) response.headers.delete(name);
    response.config = config;
    return response;
  } catch (error) {
    if (error.config) error.config = config;
    throw error;
  }
}

// ---- Runs ----

/** A credential whose token is valid. */
const oauth = (more = {}) => ({
  oauthTokenData: { access_token: 'secret', token_type: 'bearer' },
  clientId: 'a', clientSecret: 'b', accessTokenUrl: 'https://x/y', authUrl: 'https://x/z', scope: '',
  authentication: 'header', grantType: 'authorizationCode',
  ...more,
});

/** Credentials by type. Every node that names a credential of the type gets these. */
export const CREDENTIALS = {
  httpBasicAuth: { user: 'ada', password: 'secret' },
  httpHeaderAuth: { name: 'X-Api-Key', value: 'secret' },
  httpQueryAuth: { name: 'key', value: 'secret' },
  httpBearerAuth: { token: 'secret' },
  telegramApi: { accessToken: '123:secret', baseUrl: 'https://api.telegram.org' },
  // Hosts and accounts that the import cannot know are those that it writes.
  discordBotApi: { botToken: 'secret' },
  discordWebhookApi: { webhookUri: 'https://discord.com/api/webhooks/to-be-chosen' },
  gmailOAuth2: oauth(),
  googleCalendarOAuth2Api: oauth(),
  googleDocsOAuth2Api: oauth(),
  googleDriveOAuth2Api: oauth(),
  googleSheetsOAuth2Api: oauth(),
  googleTasksOAuth2Api: oauth(),
  mattermostApi: { accessToken: 'secret', baseUrl: 'https://to-be-chosen.invalid' },
  microsoftOneDriveOAuth2Api: oauth({ graphApiBaseUrl: 'https://graph.microsoft.com' }),
  microsoftOutlookOAuth2Api: oauth({ useShared: false, graphApiBaseUrl: 'https://graph.microsoft.com' }),
  microsoftTeamsOAuth2Api: oauth({ graphApiBaseUrl: 'https://graph.microsoft.com' }),
  sendGridApi: { apiKey: 'secret' },
  slackApi: { accessToken: 'secret' },
  slackOAuth2Api: oauth(),
  twilioApi: { authType: 'authToken', accountSid: 'to-be-chosen', authToken: 'secret' },
  whatsAppApi: { accessToken: 'secret', businessAccountId: '1' },
  youTubeOAuth2Api: oauth(),
  // Services whose address is in the credential have the one that the import writes.
  airtableTokenApi: { accessToken: 'secret' },
  airtableApi: { apiKey: 'secret' },
  airtableOAuth2Api: oauth(),
  githubOAuth2Api: oauth({ server: 'https://api.github.com' }),
  clickUpApi: { accessToken: 'secret' },
  deepLApi: { apiKey: 'secret', apiPlan: 'pro' },
  asanaApi: { accessToken: 'secret' },
  facebookGraphApi: { accessToken: 'secret' },
  githubApi: { server: 'https://api.github.com', user: 'ada', accessToken: 'secret' },
  gitlabApi: { server: 'https://to-be-chosen.invalid', accessToken: 'secret' },
  intercomApi: { apiKey: 'secret' },
  jiraSoftwareCloudApi: { domain: 'https://to-be-chosen.atlassian.net', email: 'ada@example.com', apiToken: 'secret' },
  jiraSoftwareServerApi: { domain: 'https://to-be-chosen.atlassian.net', email: 'ada@example.com', password: 'secret' },
  jiraSoftwareServerPatApi: { domain: 'https://to-be-chosen.atlassian.net', personalAccessToken: 'secret' },
  linearApi: { apiKey: 'secret' },
  linkedInOAuth2Api: oauth(),
  mailchimpApi: { apiKey: 'secret-us1' },
  mondayComApi: { apiToken: 'secret' },
  openWeatherMapApi: { accessToken: 'secret' },
  redditOAuth2Api: oauth(),
  shopifyAccessTokenApi: { shopSubdomain: 'to-be-chosen', accessToken: 'secret' },
  stripeApi: { secretKey: 'secret' },
  todoistApi: { apiKey: 'secret' },
  trelloApi: { apiKey: 'secret', apiToken: 'secret' },
  twitterOAuth2Api: oauth(),
  wooCommerceApi: { url: 'https://to-be-chosen.invalid', consumerKey: 'secret', consumerSecret: 'secret' },
  wordpressApi: { url: 'https://to-be-chosen.invalid', username: 'ada', password: 'secret' },
  zendeskApi: { subdomain: 'to-be-chosen', email: 'ada@example.com', apiToken: 'secret' },
  nocoDbApiToken: { apiToken: 'secret', host: 'https://to-be-chosen.invalid' },
  nocoDb: { apiToken: 'secret', host: 'https://to-be-chosen.invalid' },
  hubspotAppToken: { appToken: 'secret' },
  hubspotApi: { apiKey: 'secret' },
  pipedriveApi: { apiToken: 'secret' },
  salesforceOAuth2Api: oauth({
    oauthTokenData: { access_token: 'secret', token_type: 'bearer', instance_url: 'https://to-be-chosen.my.salesforce.com' },
  }),
  notionApi: { apiKey: 'secret' },
  supabaseApi: { host: 'https://tobechosen.supabase.co', serviceRole: 'secret' },
};

const credentialsHelper = {
  getDecrypted: async (_data, _node, type) => structuredClone(CREDENTIALS[type] ?? {}),
  getCredentialsProperties: () => [],
  getParentTypes: () => [],
  preAuthentication: async () => undefined,
  runPreAuthentication: async () => undefined,
  authenticate: async (_credentials, type, options) =>
    type === 'httpBearerAuth' ? { ...options, headers: { ...options.headers, Authorization: 'Bearer secret' } } : options,
};

/** A value of JSON becomes an item unless it is one already. */
const asItem = (value) => (value && typeof value === 'object' && 'json' in value ? value : { json: value });

/** A failed request is an object in the field `error`. Its stack names files of this machine. */
function withoutStack(json) {
  if (typeof json?.error?.stack !== 'string') return json;
  const { stack, ...error } = json.error;
  return { ...json, error };
}

/** What is kept of an item. Some nodes add an empty map of files, which means the same as none. */
function item({ json, binary, pairedItem, error }) {
  return overTheWire({
    json: withoutStack(overTheWire(json)),
    binary: binary && Object.keys(binary).length > 0 ? binary : undefined,
    pairedItem: position(pairedItem),
    error: error === undefined ? undefined : String(error.message ?? error),
  });
}

/** The positions of the items that an item comes from, without n8n's notes for loops. */
function position(paired) {
  if (Array.isArray(paired)) return paired.map(position);
  if (paired === null || typeof paired !== 'object') return paired;
  return { item: paired.item, ...(paired.input > 0 && { input: paired.input }) };
}

/**
 * Runs a workflow of n8n once, from `start` or its only trigger, whose items are `input`.
 *
 * @param workflow n8n's JSON of a workflow
 * @param options.http the answers of the stub: `{ method?, url?: part of the URL, status?, headers?, body?, times?, drop? }`
 * @param options.input the items of the trigger: objects, or items with `json`
 * @param options.start the name of the trigger
 * @param options.mode n8n's mode: `trigger`, `webhook`, or `manual`, which uses the workflow's `pinData`
 * @param options.workflows the workflows that nodes of the type `executeWorkflow` call, by id
 * @returns `{ nodes, requests, responses, error, order }`: `nodes[name][run][output]` is a list of items
 */
export async function run(workflow, { http: answers = [], input, start, mode, workflows = {} } = {}) {
  stub = { answers: structuredClone(answers), requests: [] };
  globalThis.Date = StoppedDate;
  try {
    return await runStopped(structuredClone(workflow), { input, start, mode, workflows });
  } finally {
    globalThis.Date = clock;
  }
}

function built(definition) {
  return new Workflow({
    id: definition.id ?? 'oracle',
    name: definition.name ?? 'Oracle',
    nodes: definition.nodes,
    connections: definition.connections ?? {},
    active: definition.active ?? true,
    nodeTypes,
    staticData: definition.staticData ?? {},
    settings: definition.settings ?? {},
    pinData: definition.pinData ?? {},
  });
}

const isTrigger = (node) => /trigger$|\.webhook$|\.cron$|\.interval$|\.start$/i.test(node.type);

async function runStopped(definition, { input, start, mode, workflows }) {
  const order = [];
  const responses = [];
  const children = [];
  const additionalData = {
    credentialsHelper,
    executionId: '1',
    variables: {},
    currentNodeExecutionIndex: 0,
    restApiUrl: 'https://n8n.example/rest',
    instanceBaseUrl: 'https://n8n.example/',
    webhookBaseUrl: 'https://n8n.example/webhook',
    webhookTestBaseUrl: 'https://n8n.example/webhook-test',
    webhookWaitingBaseUrl: 'https://n8n.example/webhook-waiting',
    formWaitingBaseUrl: 'https://n8n.example/form-waiting',
    startRunnerTask,
    hooks: {
      handlers: {},
      async runHook(name, parameters) {
        if (name === 'nodeExecuteBefore') order.push(parameters[0]);
        if (name === 'sendResponse') responses.push(overTheWire(parameters[0]));
      },
    },
    setExecutionStatus() {},
    sendDataToUI() {},
    async executeWorkflow(info, _data, { inputData }) {
      const child = built(info.code ?? workflows[info.id]);
      const result = await execute(child, additionalData, { items: inputData, mode: 'integrated' });
      const { error, lastNodeExecuted, runData } = result.data.resultData;
      if (error) throw Object.assign(new Error(error.message), error);
      children.push(result.data);
      return { executionId: String(children.length), data: runData[lastNodeExecuted]?.at(-1)?.data?.main ?? [[]] };
    },
    getRunExecutionData: async (executionId) => children[Number(executionId) - 1],
  };
  let result;
  try {
    result = await execute(built(definition), additionalData, { items: input, start, mode });
  } catch (error) {
    return { nodes: {}, requests: stub.requests, responses, order, error: { message: error.message, node: error.node?.name } };
  }
  const { runData, error, lastNodeExecuted } = result.data.resultData;
  const nodes = {};
  for (const { name } of definition.nodes) {
    if (!runData[name]) continue;
    nodes[name] = runData[name].map((task) => (task.data?.main ?? []).map((output) => (output ?? []).map(item)));
  }
  return {
    nodes,
    requests: stub.requests,
    responses,
    order,
    ...(error && { error: { message: error.message, node: error.node?.name ?? lastNodeExecuted } }),
    ...(result.waitTill && { waiting: result.waitTill.toISOString() }),
  };
}

async function execute(workflow, additionalData, { items, start, mode }) {
  const triggers = Object.values(workflow.nodes).filter((node) => isTrigger(node) && !node.disabled);
  const node = start ? workflow.getNode(start) : triggers[0] ?? workflow.getStartNode();
  if (!node) throw new Error('the workflow has no trigger');
  const chosen = mode ?? (node.type.endsWith('.webhook') ? 'webhook' : 'trigger');
  const data = { main: [(items ?? [{}]).map(asItem)] };
  const runExecutionData = createRunExecutionData({
    executionData: { nodeExecutionStack: [{ node, data, source: null }] },
    resultData: { pinData: chosen === 'manual' ? workflow.pinData : undefined },
  });
  return await new WorkflowExecute(additionalData, chosen, runExecutionData).processRunExecutionData(workflow);
}
