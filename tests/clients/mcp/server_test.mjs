// The platform as an MCP server, used by the official clients for Node in both eras of the protocol.

import assert from "node:assert/strict";
import { test } from "node:test";

import { BASE_URL, CLIENTS, Oauth, Proxy, Rest, SERVER, STAGE, User, until } from "./stage.mjs";

const TOOLS = ["add", "ask", "refuse", "scout", "sleep"];
const names = async (client) => (await client.listTools()).tools.map((tool) => tool.name).sort();
const call = (client, name, args, options) => client.callTool({ name, arguments: args }, ...arity(client, options));
/** The older client takes a schema of the result before the options. */
const arity = (client, options) => (client instanceof CLIENTS["node-sdk"].Client ? [undefined, options] : [options]);

/** The message with which a call was refused: as an error of the protocol, or as one of the tool. */
async function refusal(called) {
  const result = await called.catch((error) => error);
  if (result instanceof Error) return `${result.code} ${result.message}`;
  assert(result.isError, JSON.stringify(result));
  return result.content[0].text;
}

for (const name of Object.keys(CLIENTS)) {
  const user = new User(name);
  const { ids, rest } = user;

  test(`${name}: a client initializes`, async (t) => {
    const [client] = await user.connect(t);
    assert(client.getServerVersion().name);
    assert(client.getServerCapabilities().tools);
    assert.equal(negotiated(client), user.kind.version);
  });

  test(`${name}: the list has the marked tools of the caller`, async (t) => {
    const [client] = await user.connect(t);
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((tool) => tool.name).sort(), TOOLS);
    const add = tools.find((tool) => tool.name === "add");
    assert.equal(add.description, "Adds two numbers.");
    assert.deepEqual(add.inputSchema.required, ["a", "b"]);
    assert.equal(add.inputSchema.properties.a.description, "The first number");
    assert.equal(add.outputSchema.type, "object");
  });

  test(`${name}: a call is a run`, async (t) => {
    const [client] = await user.connect(t);
    await client.listTools();
    const result = await call(client, "add", { a: 40, b: 2 });
    assert.deepEqual(result.structuredContent, { sum: 42 });
    const [{ id }] = await rest.runs(ids.add);
    const run = await rest.run(ids.add, id);
    assert.deepEqual([run.state, run.input, run.output], ["completed", { a: 40, b: 2 }, { sum: 42 }]);
    user.checkRun(run);
  });

  test(`${name}: progress arrives while the run goes on`, async (t) => {
    const [client] = await user.connect(t);
    const before = await rest.runs(ids.ask);
    const reported = [];
    const called = call(client, "ask", {}, { onprogress: ({ progress }) => reported.push(progress) });
    const { id } = await rest.newRun(ids.ask, before, "paused");
    await until(() => reported.length, "the progress");
    await rest.approve(ids.ask, id);
    assert.deepEqual((await called).structuredContent, { decision: "approved" });
    assert.deepEqual(reported, [...new Set(reported)].sort((a, b) => a - b), "progress increases");
  });

  test(`${name}: a cancelled call cancels its run`, async (t) => {
    const [client] = await user.connect(t);
    const abort = new AbortController();
    const called = call(client, "sleep", {}, { signal: abort.signal });
    const { id } = await rest.newRun(ids.sleep, []);
    abort.abort("the user has changed their mind");
    await assert.rejects(called);
    const run = await rest.endedRun(ids.sleep, id);
    assert.equal(run.state, "cancelled");
    user.checkRun(run);
    assert.deepEqual((await call(client, "add", { a: 1, b: 1 })).structuredContent, { sum: 2 });
  });

  test(`${name}: a failed run is an error of the tool`, async (t) => {
    const [client] = await user.connect(t);
    const result = await call(client, "refuse", {});
    assert(result.isError);
    assert.match(result.content[0].text, /the shop is closed/);
  });

  test(`${name}: an agent answers`, async (t) => {
    const [client] = await user.connect(t);
    const { tools } = await client.listTools();
    const [argument] = tools.find((tool) => tool.name === "scout").inputSchema.required;
    const result = await call(client, "scout", { [argument]: "Where is my order?" });
    assert.match(result.content[0].text, /You said: Where is my order\?/);
  });

  test(`${name}: wrong calls are refused and start nothing`, async (t) => {
    const [client] = await user.connect(t);
    const before = (await rest.runs(ids.add)).length;
    for (const wrong of ["missing", "unmarked", "paused", ids.add]) {
      assert.match(await refusal(call(client, wrong, { a: 1, b: 2 })), /-32602/, wrong);
    }
    assert.match(await refusal(call(client, "add", { a: "one", b: 2 })), /input\.a/);
    assert.equal((await rest.runs(ids.add)).length, before);
    assert.deepEqual([await rest.runs(ids.unmarked), await rest.runs(ids.paused)], [[], []]);
  });

  test(`${name}: a person signs in with a browser`, async (t) => {
    const authProvider = new Oauth("ada");
    const options = { token: null, authProvider };
    const refused = await user.connect(t, options).catch((error) => error);
    assert.equal(refused.constructor.name, "UnauthorizedError");
    const { Transport } = user.kind;
    await new Transport(new URL(SERVER), { authProvider }).finishAuth(authProvider.answer.get("code"), authProvider.answer.get("iss") ?? undefined);
    assert(authProvider.registered.client_id && authProvider.stored.access_token);
    const [client] = await user.connect(t, options);
    assert.deepEqual(await names(client), TOOLS);
    const ada = STAGE.people.ada;
    const before = await new Rest(ada.token).runs(ada.ids.add);
    assert.deepEqual((await call(client, "add", { a: 2, b: 3 })).structuredContent, { sum: 5 });
    const { id } = await new Rest(ada.token).newRun(ada.ids.add, before);
    user.checkRun(await new Rest(ada.token).run(ada.ids.add, id), ada.user);
  });
}

// A session keeps what a client has missed. The newer protocol has no such thing.
test("node-sdk: a cut stream goes on", async (t) => {
  const user = new User("node-sdk");
  const { ids, rest } = user;
  const proxy = await Proxy.start(t);
  const [client] = await user.connect(t, { url: SERVER.replace(BASE_URL, proxy.url) });
  const before = await rest.runs(ids.ask);
  const called = call(client, "ask", {});
  const { id } = await rest.newRun(ids.ask, before, "paused");
  proxy.cut();
  await rest.approve(ids.ask, id);
  await rest.endedRun(ids.ask, id);
  proxy.release();
  assert.deepEqual((await called).structuredContent, { decision: "approved" });
  assert(proxy.isResumed);
  assert.equal((await rest.runs(ids.ask)).length, before.length + 1, "the call started one run");
});

/** The version of the protocol that both sides speak. */
function negotiated(client) {
  return client.getNegotiatedProtocolVersion?.() ?? client.transport.protocolVersion;
}
