import assert from "node:assert/strict";
import { test } from "node:test";
import { setConfig } from "../src/screens/editor/model/graph";
import { inputNames, outputNames } from "../src/screens/editor/model/ports";

const edge = (from, to, port = "out") => ({ from: { node: from, port }, to: { node: to, port: "in" } });
const cases = (...names) => ({ cases: names.map((name) => ({ name, expression: "true" })) });
const start = (ports, ...names) => ({
  nodes: [{ id: "s", type: "switch", name: "", config: cases(...names) }, { id: "b", type: "template" }],
  connections: ports.map((port) => edge("s", "b", port)),
  notes: [],
});
/** The ports of the connections after each of these names of the cases. */
const write = (graph, ...steps) =>
  steps.reduce((graph, names) => setConfig(graph, "s", cases(...names)), graph).connections.map(({ from }) => from.port);

test("the connections of a renamed case follow its name", () => {
  assert.deepEqual(write(start(["urgent", "other"], "urgent", "other"), ["now", "other"]), ["now", "other"]);
});

test("a name can be cleared and written again", () => {
  const graph = start(["urgent", "other", "default"], "urgent", "other");
  assert.deepEqual(write(graph, ["", "other"]), ["urgent", "other", "default"]);
  assert.deepEqual(write(graph, ["", "other"], ["n", "other"], ["now", "other"]), ["now", "other", "default"]);
});

test("a name can be that of another case while it is written", () => {
  const graph = start(["a", "ab"], "a", "ab");
  assert.deepEqual(write(graph, ["a", "a"], ["a", "ac"]), ["a", "ac"]);
  assert.deepEqual(write(start(["x"], "x"), ["default"], ["defaults"]), ["defaults"]);
});

test("with two cases without a name, nothing is guessed", () => {
  assert.deepEqual(write(start(["a", "b"], "a", "b"), ["", "b"], ["", ""], ["c", ""]), ["a", "b"]);
  assert.deepEqual(write(start(["a", "b"], "a", "b"), ["b"]), ["a", "b"]);
});

test("a case without a name has no port", () => {
  const type = { outputs: [{ name: "example" }], errorOutput: { name: "error" } };
  assert.deepEqual(outputNames({ id: "s", type: "switch", config: cases("a", "", "b") }, type), ["a", "b", "default"]);
  assert.deepEqual(outputNames({ id: "s", type: "guard", config: { each: { items: "input" } } }, type), ["out"]);
});

test("a node that works on items has one output, and one for the items that fail", () => {
  const type = { outputs: [{ name: "safe" }, { name: "flagged" }], errorOutput: { name: "error" }, configSchema: { properties: { each: {} } } };
  const names = (itemMode) => outputNames({ id: "s", type: "guard", config: { itemMode } }, type);
  assert.deepEqual(names({}), ["out"]);
  assert.deepEqual(names({ run: "first", onItemError: "branch" }), ["out", "error"]);
  assert.deepEqual(names({ run: "all" }), ["safe", "flagged"]);
});

test("the code of a node names its ports", () => {
  const type = { inputs: [{ name: "in" }], outputs: [{ name: "out" }], errorOutput: { name: "error" } };
  const node = { id: "c", type: "code", config: { inputs: ["in", "in2"], outputs: ["true", "false"], onError: "branch" } };
  assert.deepEqual(outputNames(node, type), ["true", "false", "error"]);
  assert.deepEqual(inputNames(node, type), ["in", "in2"]);
  assert.deepEqual(inputNames({ ...node, config: {} }, type), ["in"]);
});
