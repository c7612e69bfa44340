import "./browser.mjs";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { mergeValues } from "../src/screens/editor/lastValues";
import { previewSteps, runSteps } from "../src/screens/editor/model/nodeSteps";
import { pinPorts, planPreview } from "../src/screens/editor/model/partial";
import { personalKey, removePersonal, setPerson } from "../src/api/personal";
import { loadPins, storePins } from "../src/screens/editor/pins";

const type = (category, outputs) => ({ category, inputs: [], outputs: outputs.map((name) => ({ name })), errorOutput: null });
const types = new Map([
  ["input", type("trigger", ["out"])],
  ["webhook", type("trigger", ["out"])],
  ["step", type("data", ["out"])],
  ["condition", type("logic", ["true", "false"])],
  ["loop", type("logic", ["item", "done"])],
]);
/** `a:true>b` is a connection from the port `true` of `a`. */
function graphOf(nodes, ...connections) {
  return {
    nodes: nodes.split(" ").map((text) => {
      const [id, type = "step"] = text.split("=");
      return { id, type: types.has(id) ? id : type };
    }),
    connections: connections.map((text) => {
      const [, from, port = "out", to, input = "in"] = /^(\w+)(?::(\w+))?>(\w+)(?::(\w+))?$/.exec(text);
      return { from: { node: from, port }, to: { node: to, port: input } };
    }),
    notes: [],
  };
}
const valuesOf = (text) => new Map(text.split(" ").filter(Boolean).map((item) => {
  const [id, port = "out"] = item.split(":");
  return [id, { port, value: `${id}'s` }];
}));
function plan(graph, kind, nodeId, { pins = "", values = "" } = {}) {
  const { pinned, ...rest } = planPreview(graph, types, { kind, nodeId }, valuesOf(pins), valuesOf(values));
  return { ...rest, pinned: [...pinned.keys()].join(" ") };
}

const branches = graphOf("input a c=condition yes no end", "input>a", "a>c", "c:true>yes", "c:false>no", "yes>end");

test("a preview up to a node keeps the pins, and ends at the node", () => {
  assert.deepEqual(plan(branches, "until", "yes", { pins: "a", values: "a c:true" }),
    { trigger: null, until: "yes", missing: [], isReached: true, pinned: "a" });
});

test("a preview from a node pins what does not follow it", () => {
  assert.deepEqual(plan(branches, "from", "yes", { values: "input a c:true yes no end" }),
    { trigger: null, until: null, missing: [], isReached: true, pinned: "input a c no" });
  // The pin of the node itself does not count, and those of the nodes after it do.
  assert.equal(plan(branches, "from", "yes", { pins: "yes end", values: "input a c:true" }).pinned, "input a c end");
});

test("nodes without a value are named if the preview meets them", () => {
  assert.deepEqual(plan(branches, "from", "yes", { values: "input c:true" }).missing, ["a"]);
  assert.deepEqual(plan(branches, "from", "yes", { values: "a" }).missing, ["c", "no"]);
  // What another port leads to is not met.
  assert.deepEqual(plan(branches, "from", "yes", { values: "a c:true" }).missing, []);
  assert.deepEqual(plan(branches, "from", "no", { values: "a c:true" }), { trigger: null, until: null, missing: ["yes", "end"], isReached: false, pinned: "a c" });
});

test("a loop around the node has its iterations", () => {
  const graph = graphOf("input list l=loop first second end", "input>list", "list>l", "l:item>first", "first>second", "second>l:next", "l:done>end");
  const values = "input list l:done first second end";
  assert.equal(plan(graph, "from", "second", { values }).pinned, "input list first");
  assert.equal(plan(graph, "from", "end", { values }).pinned, "input list l first second");
  // What comes before a loop is before its whole body.
  assert.equal(plan(graph, "from", "list", { values }).pinned, "input");
  assert.equal(plan(graph, "from", "l", { values }).pinned, "input list");
  assert.equal(plan(graphOf("input l=loop a", "input>l", "l:item>a"), "from", "a", { values: "input l:done a" }).pinned, "input");
  assert.deepEqual(pinPorts(["item", "done", "error"], "loop"), ["done", "error"]);
});

test("the trigger is one that leads to the node", () => {
  const graph = graphOf("input webhook a b", "input>a", "webhook>b");
  assert.equal(plan(graph, "until", "a").trigger, null);
  assert.equal(plan(graph, "until", "b").trigger, "webhook");
  assert.equal(plan(graph, "from", "webhook").trigger, "webhook");
});

beforeEach(() => localStorage.clear());
const pins = new Map([["a", { port: "out", value: 1 }], ["b", { port: null, value: null }]]);

test("pins survive a reload, as far as their nodes exist and the storage is readable", () => {
  assert.equal(storePins("w", pins), true);
  assert.deepEqual(loadPins("w", new Set(["a", "b"])), pins);
  assert.deepEqual([...loadPins("w", new Set(["b", "c"])).keys()], ["b"]);
  assert.equal(loadPins("other", new Set(["a"])).size, 0);
  for (const text of ["", "no", "null", "5", '{"pins": 5}', '{"pins": {"a": 5, "b": null, "c": {}}}']) {
    localStorage.setItem(personalKey("pins.w"), text);
    assert.equal(loadPins("w", new Set(["a", "b", "c"])).size, 0, text);
  }
  storePins("w", new Map());
  assert.equal(localStorage.length, 0);
});

test("the pins of a browser are bounded, and the oldest make room", () => {
  const large = (size) => new Map([["a", { port: null, value: "x".repeat(size) }]]);
  assert.equal(storePins("w", large(1_000_001)), false);
  for (let index = 0; index < 25; index += 1) storePins(`w${index}`, pins);
  assert.equal(localStorage.length, 20);
  assert.equal(localStorage.getItem(personalKey("pins.w24")) === null, false);
  localStorage.clear();
  localStorage.setItem("console.language", "es");
  localStorage.room = 2500;
  assert.deepEqual([storePins("w1", large(1000)), storePins("w2", large(1000)), storePins("w3", large(1000)), storePins("w4", large(5000))], [true, true, true, false]);
  assert.equal(localStorage.getItem("console.language"), "es");
});

test("pins belong to one person in one organization, and go when that person signs out or another signs in", () => {
  localStorage.setItem("console.language", "es");
  assert.equal(setPerson("org", "ada"), true);
  storePins("w", pins);
  assert.equal(setPerson("org", "ada"), true);
  assert.equal(loadPins("w", new Set(["a"])).size, 1);
  for (const other of [["org", "bob"], ["other", "ada"]]) {
    setPerson("org", "ada");
    storePins("w", pins);
    assert.equal(setPerson(...other), false);
    assert.equal(localStorage.length, 1);
    assert.equal(loadPins("w", new Set(["a"])).size, 0);
  }
  storePins("w", pins);
  removePersonal();
  assert.deepEqual([localStorage.length, localStorage.getItem("console.language")], [1, "es"]);
});

const step = (path, changes = {}) => ({
  step: path, nodeId: path.replace(/^.*\//, "").replace(/\[\d+\]$/, ""), state: "completed", action: null, port: "out", output: `${path}!`,
  outputBytes: null, error: null, durationMs: null, ...changes,
});
const span = (path, changes = {}) => ({ ...step(path), attempt: 1, input: `${path}?`, omitted: [], children: [], ...changes });

test("a pin counts more than a preview, and a preview more than a run", () => {
  const previewed = new Map([
    ["a", { at: "", steps: [step("a")] }],
    ["b", { at: "", steps: [step("l[0]/b"), step("l[1]/b"), step("b[0]", { action: { kind: "model" } })] }],
    ["c", { at: "", steps: [step("c", { state: "failed", output: null })] }],
    ["d", { at: "", steps: [step("d", { output: null, outputBytes: 70_000 })] }],
  ]);
  const spans = [span("a"), span("c", { children: [span("e")] }), span("f", { omitted: ["output"] }), span("g", { state: "failed" })];
  assert.deepEqual(Object.fromEntries(mergeValues(new Map([["a", { port: null, value: 1 }]]), previewed, spans)), {
    a: { value: 1, port: null, source: "pinned" },
    b: { value: "l[1]/b!", port: "out", source: "preview" },
    c: { value: "c!", port: "out", source: "run" },
    e: { value: "e!", port: "out", source: "run" },
  });
});

test("the value of a node with `each` is its list, and not an element", () => {
  const previewed = new Map([["a", { at: "", steps: [step("a"), step("a[0]/a"), step("a[1]/a")] }]]);
  const spans = [span("b", { children: [span("b[0]/b"), span("b[1]/b")] })];
  assert.deepEqual(Object.fromEntries(mergeValues(new Map(), previewed, spans)), {
    a: { value: "a!", port: "out", source: "preview" },
    b: { value: "b!", port: "out", source: "run" },
  });
});

test("what went into a step of a preview are the outputs before it, in its own iteration", () => {
  const graph = graphOf("input l=loop a b", "input>l", "l:item>a", "a>b", "input>b", "b>l:next");
  const previewed = new Map(Object.entries({
    input: [step("input")], a: [step("l[0]/a"), step("l[1]/a", { output: null, outputBytes: 9 })], b: [step("l[0]/b"), step("l[1]/b")],
    l: [step("l", { port: "done" })],
  }).map(([id, steps]) => [id, { at: "", steps }]));
  assert.deepEqual(previewSteps(graph, "b", previewed).map(({ inputs }) => inputs), [
    [{ from: "a", shown: { kind: "value", value: "l[0]/a!" } }, { from: "input", shown: { kind: "value", value: "input!" } }],
    [{ from: "a", shown: { kind: "large", bytes: 9 } }, { from: "input", shown: { kind: "value", value: "input!" } }],
  ]);
  assert.deepEqual(previewSteps(graph, "a", previewed)[0].inputs, []);
  assert.deepEqual(previewSteps(graph, "l", previewed)[0].inputs.map(({ from }) => from), ["input"]);
});

test("the steps of a run have their values, or say why not", () => {
  const steps = runSteps([span("a"), span("a", { attempt: 2, state: "failed", omitted: ["input"] }), span("a", { state: "skipped" })]);
  assert.deepEqual(steps.map(({ step, inputs, output }) => [step, inputs[0]?.shown.kind, output.kind]), [
    ["a", "value", "value"],
    ["a #2", "large", "none"],
    ["a", undefined, "none"],
  ]);
});
