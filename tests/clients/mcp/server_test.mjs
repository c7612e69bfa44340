// The platform as an MCP server, used by the official clients for Node in both eras of the protocol.

import assert from "node:assert/strict";
import { test } from "node:test";

import { BASE_URL, CLIENTS, Oauth, Proxy, Rest, SERVER, STAGE, TOOLS, User, call, openGate, until } from "./stage.mjs";

const listed = async (client) => (await client.listTools()).tools.map((tool) => tool.name).sort();

/** The output of a run that has completed. */
function output({ isError, structuredContent, content }) {
  assert(!isError && structuredContent.state === "completed", JSON.stringify({ structuredContent, content }));
  return structuredContent.output;
}

for (const name of Object.keys(CLIENTS)) {
  const user = new User(name);
  const { ids, rest } = user;

  test(`${name}: a client initializes`, async (t) => {
    const [client, transport] = await user.connect(t);
    assert.equal(client.getServerVersion().name, "atelier");
    assert(client.getServerCapabilities().tools);
    assert.equal(client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion, user.kind.version);
  });

  test(`${name}: the list has the marked tools of the caller`, async (t) => {
    const [client] = await user.connect(t);
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((tool) => tool.name).sort(), TOOLS);
    const add = tools.find((tool) => tool.name === "add");
    assert.equal(add.description, "Adds two numbers.");
    assert.deepEqual(add.inputSchema.required, ["a", "b"]);
    assert.equal(add.inputSchema.properties.a.description, "The first number");
    assert.match(JSON.stringify(add.outputSchema.properties.output), /"sum"/);
  });

  test(`${name}: a call is a run`, async (t) => {
    const [client] = await user.connect(t);
    // With the list, the client validates results against their output schemas.
    await client.listTools();
    const result = await call(client, "add", { a: 40, b: 2 });
    assert.deepEqual(output(result), { sum: 42 });
    const run = await rest.run(ids.add, result.structuredContent.runId);
    assert.deepEqual([run.state, run.input, run.output], ["completed", { a: 40, b: 2 }, { sum: 42 }]);
    user.checkCaller(run);
  });

  test(`${name}: progress arrives while the run goes on`, async (t) => {
    const [client] = await user.connect(t);
    const gate = crypto.randomUUID();
    const reported = [];
    const called = call(client, "wait", { gate }, { onprogress: (progress) => reported.push(progress) });
    await until(() => reported.some(({ message }) => message.includes("call")), "the progress of the step");
    await openGate(gate);
    assert.deepEqual(output(await called), { passed: gate });
    const numbers = reported.map(({ progress }) => progress);
    assert.deepEqual(numbers, [...new Set(numbers)].sort((a, b) => a - b), "progress increases");
  });

  test(`${name}: a cancelled call cancels its run`, async (t) => {
    const [client] = await user.connect(t);
    const before = await rest.runs(ids.sleep);
    const abort = new AbortController();
    const called = call(client, "sleep", {}, { signal: abort.signal });
    const { id } = await rest.newRun(ids.sleep, before);
    abort.abort("the user has changed their mind");
    await assert.rejects(called);
    const run = await rest.endedRun(ids.sleep, id);
    assert.equal(run.state, "cancelled");
    user.checkCaller(run);
    assert.deepEqual(output(await call(client, "add", { a: 1, b: 1 })), { sum: 2 });
  });

  test(`${name}: a run that waits for a person is asked for later`, async (t) => {
    const [client] = await user.connect(t);
    const asked = (await call(client, "ask", {})).structuredContent;
    assert.deepEqual([asked.state, asked.output], ["paused", null]);
    await rest.approve(ids.ask, asked.runId);
    await rest.endedRun(ids.ask, asked.runId);
    assert.deepEqual(output(await call(client, "get_run", { runId: asked.runId })), { decision: "approved" });
  });

  test(`${name}: a failed run is an error of the tool`, async (t) => {
    const [client] = await user.connect(t);
    const result = await call(client, "refuse", {});
    assert(result.isError);
    assert.match(result.content[0].text, /the shop is closed/);
  });

  test(`${name}: an agent answers`, async (t) => {
    const [client] = await user.connect(t);
    const result = await call(client, "scout", { message: "Where is my order?" });
    assert.match(result.content[0].text, /You said: Where is my order\?/);
  });

  test(`${name}: wrong calls are refused and start nothing`, async (t) => {
    const [client] = await user.connect(t);
    const before = await rest.runs(ids.add);
    for (const wrong of ["missing", "unmarked", ids.add]) {
      await assert.rejects(call(client, wrong, { a: 1, b: 2 }), { code: -32602 }, wrong);
    }
    const unfit = await call(client, "add", { a: "one", b: 2 });
    assert(unfit.isError);
    assert.match(unfit.content[0].text, /input\.a/);
    assert((await call(client, "paused", { a: 1, b: 2 })).isError);
    assert.deepEqual(await rest.runs(ids.add), before);
    assert.deepEqual([await rest.runs(ids.unmarked), await rest.runs(ids.paused)], [[], []]);
  });

  test(`${name}: a person signs in with a browser`, async (t) => {
    const authProvider = new Oauth("ada");
    const options = { token: null, authProvider };
    const refused = await user.connect(t, options).catch((error) => error);
    assert.equal(refused.constructor.name, "UnauthorizedError", String(refused));
    const { Transport } = user.kind;
    const [code, iss] = ["code", "iss"].map((name) => authProvider.answer.get(name) ?? undefined);
    await new Transport(new URL(SERVER), { authProvider }).finishAuth(code, iss);
    assert(authProvider.registered.client_id && authProvider.stored.refresh_token);
    const [client] = await user.connect(t, options);
    assert.deepEqual(await listed(client), TOOLS);
    const result = await call(client, "add", { a: 2, b: 3 });
    assert.deepEqual(output(result), { sum: 5 });
    const { ada } = STAGE.people;
    user.checkCaller(await new Rest(ada.token).run(ada.ids.add, result.structuredContent.runId), ada.user);
  });
}

// A session keeps what a client has missed. The newer protocol has no such thing.
test("node-sdk: a cut stream goes on", async (t) => {
  const user = new User("node-sdk");
  const { ids, rest } = user;
  const proxy = await Proxy.start(t);
  const [client] = await user.connect(t, { url: SERVER.replace(BASE_URL, proxy.url) });
  const before = await rest.runs(ids.wait);
  const gate = crypto.randomUUID();
  const reported = [];
  const called = call(client, "wait", { gate }, { onprogress: ({ progress }) => reported.push(progress) });
  await until(() => reported.length, "the first progress");
  proxy.cut();
  await openGate(gate);
  const { id } = await rest.newRun(ids.wait, before);
  assert.equal((await rest.endedRun(ids.wait, id)).state, "completed", "a lost connection does not stop the run");
  proxy.release();
  const result = await called;
  assert.deepEqual([output(result), result.structuredContent.runId], [{ passed: gate }, id]);
  assert(proxy.isResumed);
  assert.deepEqual(reported, [...new Set(reported)].sort((a, b) => a - b), "each progress arrives once");
  assert.equal((await rest.runs(ids.wait)).length, before.length + 1, "the call started one run");
});
