import "./browser.mjs";
import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { Draft, findLeft, keepLeft } from "../src/screens/editor/draft";
import { updateNode } from "../src/screens/editor/model/graph";

const node = (id, changes = {}) => ({ id, type: "template", name: id, config: {}, position: { x: 0, y: 0 }, ...changes });
const graphOf = (...nodes) => ({ nodes, connections: [], notes: [] });
const rename = (id, name) => (graph) => updateNode(graph, id, { name });

/** A platform with one workflow. `answers` replaces its answers, one for each request. */
let platform;
beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  localStorage.clear();
  platform = { version: 1, name: "Mine", graph: graphOf(node("a"), node("b")), requests: [], answers: [] };
  globalThis.fetch = async (request) => {
    const body = request.method === "PATCH" ? await request.json() : null;
    platform.requests.push({ method: request.method, body, match: request.headers.get("if-match") });
    return (platform.answers.shift() ?? ((apply) => apply()))(() => answer(request, body));
  };
});
afterEach(() => mock.timers.reset());

const workflow = () => ({
  id: "w", name: platform.name, state: "draft", revision: platform.version, hasUnpublishedChanges: true,
  access: { owner: "me", role: "owner" }, activeRelease: null, graph: platform.graph, problems: [],
});
const reply = (status, body) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", etag: `"${platform.version}"` } });

function answer(request, body) {
  if (request.url.endsWith("/validate")) return reply(200, { data: { valid: true, problems: [] } });
  if (body === null) return reply(200, { data: workflow() });
  if (request.headers.get("if-match") !== `"${platform.version}"`) {
    return reply(412, { error: { code: "version_mismatch", message: "changed", details: { current: workflow() } } });
  }
  change(body);
  return reply(200, { data: workflow() });
}

/** What another person, or the request, stores. */
function change({ name = platform.name, graph = platform.graph }) {
  Object.assign(platform, { name, graph, version: platform.version + 1 });
}

function open(canEdit = true) {
  const { graph, problems, ...head } = structuredClone(workflow());
  return new Draft({ head, graph, problems, etag: '"1"' }, new Map(), canEdit);
}

/** Lets the time pass, and the requests that begin then end. */
async function wait(ms) {
  mock.timers.tick(ms);
  for (let turn = 0; turn < 50; turn += 1) await new Promise((done) => setImmediate(done));
}
const patches = () => platform.requests.filter(({ method }) => method === "PATCH");
const nameOf = (graph, id) => graph.nodes.find((node) => node.id === id)?.name;

test("saves a moment after the last change, with the version that it changes", async () => {
  const draft = open();
  draft.change(rename("a", "A"));
  await wait(500);
  draft.change(rename("b", "B"));
  await wait(500);
  assert.deepEqual([patches().length, draft.read().save.kind], [0, "changed"]);
  await wait(300);
  assert.deepEqual(patches().map(({ match }) => match), ['"1"']);
  assert.deepEqual([nameOf(platform.graph, "a"), nameOf(platform.graph, "b")], ["A", "B"]);
  assert.deepEqual([draft.read().save.kind, draft.isSettled], ["saved", true]);
  // A change back to what is stored needs no request.
  draft.change(rename("a", "again"));
  draft.undo();
  await wait(2000);
  assert.deepEqual([patches().length, draft.read().save.kind], [1, "saved"]);
});

test("what is changed while a save is in flight is saved next", async () => {
  const draft = open();
  let release;
  platform.answers.push((apply) => new Promise((done) => { release = () => done(apply()); }));
  draft.change(rename("a", "A"));
  await wait(800);
  draft.change(rename("a", "AA"));
  release();
  await wait(0);
  assert.equal(draft.read().save.kind, "changed");
  await wait(800);
  assert.deepEqual(patches().map(({ body }) => nameOf(body.graph, "a")), ["A", "AA"]);
  assert.deepEqual([patches()[1].match, draft.isSettled], ['"2"', true]);
});

test("a save that fails is tried again, unless the platform refuses it", async () => {
  const draft = open();
  platform.answers.push(() => Promise.reject(new TypeError("offline")), () => reply(503, { error: { code: "busy", message: "busy" } }));
  draft.change(rename("a", "A"));
  await wait(800);
  assert.deepEqual([draft.read().save.kind, draft.read().save.error.isConnection], ["failed", true]);
  await wait(5000);
  assert.equal(draft.read().save.error.code, "busy");
  await wait(5000);
  assert.deepEqual([draft.read().save.kind, nameOf(platform.graph, "a")], ["saved", "A"]);

  platform.answers.push(() => reply(400, { error: { code: "invalid_body", message: "no" } }));
  draft.change(rename("a", "B"));
  await wait(800);
  await wait(60_000);
  assert.deepEqual([patches().length, draft.read().save.kind], [4, "failed"]);
});

test("the changes of another person are merged, and undoing keeps them", async () => {
  const draft = open();
  change({ graph: graphOf(node("a"), node("b", { name: "Theirs" })) });
  draft.change(rename("a", "A"));
  await wait(800);
  assert.deepEqual([draft.read().conflicts, draft.isSettled], [[], true]);
  assert.deepEqual(platform.graph.nodes.map(({ name }) => name), ["A", "Theirs"]);
  draft.undo();
  await wait(800);
  assert.deepEqual(platform.graph.nodes.map(({ name }) => name), ["a", "Theirs"]);
  draft.redo();
  await wait(800);
  assert.deepEqual(platform.graph.nodes.map(({ name }) => name), ["A", "Theirs"]);
});

test("contradicting changes wait for a decision, and nothing is saved until then", async () => {
  for (const side of ["mine", "theirs"]) {
    Object.assign(platform, { version: 1, graph: graphOf(node("a"), node("b")), requests: [] });
    const draft = open();
    change({ graph: graphOf(node("a", { name: "Theirs" }), node("b")) });
    draft.change(rename("a", "Mine"));
    await wait(800);
    assert.deepEqual(draft.read().conflicts.map(({ kind, id }) => `${kind} ${id}`), ["node a"]);
    await wait(60_000);
    assert.deepEqual([patches().length, draft.read().save.kind], [1, "conflict"]);
    draft.resolve(() => side);
    await wait(0);
    assert.equal(nameOf(platform.graph, "a"), side === "mine" ? "Mine" : "Theirs");
    assert.deepEqual([draft.read().conflicts, draft.isSettled], [[], true]);
  }
});

test("two new names of the workflow are a conflict, and one is not", async () => {
  for (const side of ["mine", "theirs"]) {
    Object.assign(platform, { version: 1, name: "Mine", requests: [] });
    const draft = open();
    change({ name: "Theirs" });
    draft.rename("New");
    await wait(800);
    assert.deepEqual(draft.read().conflicts, [{ kind: "name", id: "", mine: "New", theirs: "Theirs" }]);
    draft.resolve(() => side);
    await wait(0);
    assert.equal(platform.name, side === "mine" ? "New" : "Theirs");
    assert.equal(draft.read().head.name, platform.name);
  }
  const draft = open();
  draft.change(rename("a", "A"));
  Object.assign(platform, { version: 1 });
  change({ name: "Theirs" });
  await wait(800);
  assert.deepEqual([draft.read().head.name, draft.read().conflicts], ["Theirs", []]);
});

test("a change whose answer was lost is not the change of another person", async () => {
  const draft = open();
  platform.answers.push(async (apply) => {
    await apply();
    throw new TypeError("lost");
  });
  draft.change(rename("a", "A"));
  await wait(800);
  assert.equal(draft.read().save.kind, "failed");
  draft.change(rename("a", "AA"));
  await wait(800);
  assert.deepEqual([draft.read().conflicts, nameOf(platform.graph, "a"), draft.isSettled], [[], "AA", true]);
});

test("changes of one group are undone together, and a save does not end the history", async () => {
  const draft = open();
  for (const name of ["x", "xy", "xyz"]) draft.change(rename("a", name), { group: "name a" });
  await wait(2000);
  draft.change(rename("b", "B"), { group: "name b" });
  draft.undo();
  assert.deepEqual([nameOf(draft.read().graph, "b"), nameOf(draft.read().graph, "a")], ["b", "xyz"]);
  draft.undo();
  assert.deepEqual([nameOf(draft.read().graph, "a"), draft.read().canUndo, draft.read().canRedo], ["a", false, true]);
  await wait(800);
  assert.equal(nameOf(platform.graph, "a"), "a");
  draft.redo();
  draft.redo();
  await wait(800);
  assert.deepEqual([nameOf(platform.graph, "a"), nameOf(platform.graph, "b")], ["xyz", "B"]);
});

test("a person who leaves finds what could not be stored", async () => {
  const draft = open();
  platform.answers.push(() => Promise.reject(new TypeError("offline")), () => Promise.reject(new TypeError("offline")), () => Promise.reject(new TypeError("offline")));
  draft.change(rename("a", "A"));
  const flushed = draft.flush();
  await wait(0);
  assert.equal(await flushed, false);
  keepLeft(draft);
  // The screen may look for it more than once.
  assert.equal(findLeft("w"), draft);
  assert.equal(findLeft("w"), draft);
  assert.equal(await draft.flush(), true);
  assert.equal(findLeft("w"), null);
});

test("what needs a stored draft says why it is not stored", async () => {
  const draft = open();
  await draft.store();
  draft.change(rename("a", "A"));
  platform.answers = Array(3).fill(() => reply(422, { error: { code: "too_large", message: "It is too large." } }));
  await assert.rejects(draft.store(), { code: "too_large", message: "It is too large." });
  change({ graph: graphOf(node("a", { name: "Theirs" }), node("b")) });
  await assert.rejects(draft.store(), { code: "draft_not_saved" });
});

test("what a publication returns does not undo a new name", () => {
  const draft = open();
  const { head } = draft.read();
  draft.rename("Later");
  draft.setHead({ ...head, state: "active" });
  assert.deepEqual([draft.read().head.name, draft.read().head.state], ["Later", "active"]);
});

test("a person who may not edit changes nothing", async () => {
  const draft = open(false);
  draft.change(rename("a", "A"));
  await wait(5000);
  assert.deepEqual([nameOf(draft.read().graph, "a"), platform.requests.length], ["a", 0]);
});

test("what others changed is loaded when the person comes back", async () => {
  const draft = open();
  change({ graph: graphOf(node("a", { name: "Theirs" }), node("b")) });
  await draft.refresh();
  assert.deepEqual([nameOf(draft.read().graph, "a"), draft.read().canUndo, patches().length], ["Theirs", false, 0]);
});

test("pins are kept in the browser, never sent, and removed with their node", async () => {
  const draft = open();
  assert.equal(draft.pin("a", { port: null, value: "my pin" }), true);
  assert.deepEqual([...open().read().pins], [["a", { port: null, value: "my pin" }]]);
  draft.change(rename("b", "B"));
  await wait(800);
  assert.ok(!JSON.stringify(patches()).includes("my pin"));
  const step = (nodeId) => ({ step: nodeId, nodeId, state: "completed", action: null, port: "out", output: 1, outputBytes: null });
  draft.setTried({ at: "2026-01-01", input: {}, result: { nodes: [step("a"), step("b"), step("gone")] } });
  assert.deepEqual([...draft.read().previewed.keys()], ["a", "b"]);
  draft.select(new Set(["a"]));
  draft.removeSelected();
  assert.deepEqual([draft.read().pins.size, [...draft.read().previewed.keys()], open().read().pins.size], [0, ["b"], 0]);
});
