import assert from "node:assert/strict";
import { test } from "node:test";
import { copyItems, isTooLarge, pasteItems, readItems } from "../src/screens/editor/model/clipboard";

const type = (inputs, outputs) => ({ inputs: inputs.map((name) => ({ name })), outputs: outputs.map((name) => ({ name })), errorOutput: { name: "error" } });
const types = new Map([
  ["input", type([], ["out"])],
  ["template", type(["in"], ["out"])],
  ["condition", type(["in"], ["true", "false"])],
]);
const node = (id, changes = {}) => ({ id, type: "template", name: "", config: {}, position: { x: 0, y: 0 }, ...changes });
const edge = (from, to, port = "out") => ({ from: { node: from, port }, to: { node: to, port: "in" } });
const graph = (nodes, connections = [], notes = []) => ({ nodes, connections, notes });
const read = (value) => readItems(JSON.stringify(value), types);

test("pasted nodes have ids of their own, and their expressions follow", () => {
  const text = `{{ nodes.a.output }} {{ nodes.ab.output }} {{ nodes["b-c"].output }} {{ nodes [ 'b-c' ] }} {{ other.nodes.a }} {{ nodes.a-1 }}`;
  const part = graph([node("a"), node("b-c"), node("d", { config: { template: text, list: [{ x: "nodes.a" }] } })], [edge("a", "b-c")]);
  const { graph: pasted, keys } = pasteItems(part, readItems(copyItems(part, new Set(["a", "b-c", "d"])), types).part, null);
  assert.deepEqual([...keys], ["a_2", "b-c_2", "d_2"]);
  assert.deepEqual(pasted.nodes[5].config, {
    template: `{{ nodes.a_2.output }} {{ nodes.ab.output }} {{ nodes["b-c_2"].output }} {{ nodes [ 'b-c_2' ] }} {{ other.nodes.a }} {{ nodes.a_2-1 }}`,
    list: [{ x: "nodes.a_2" }],
  });
  assert.deepEqual(pasted.connections[1], edge("a_2", "b-c_2"));
});

test("connections without ports are read as the platform reads them", () => {
  const nodes = [node("input", { type: "input" }), node("a"), node("c", { type: "condition" })];
  const { part, refused } = read({
    nodes,
    connections: [
      { from: "input", to: "a" },
      { from: { node: "a" }, to: { node: "c", port: "in" } },
      // The port must be named, because there are two.
      { from: "c", to: "a" },
      { from: "input", to: "gone" },
      { from: "input", to: "a" },
    ],
  });
  assert.deepEqual(part.connections, [edge("input", "a"), edge("a", "c")]);
  assert.equal(refused, 3);
});

test("what the platform cannot use is left out and counted", () => {
  const { part, refused } = read({
    nodes: [
      node("a", { name: 5, position: { x: "left" }, config: undefined }),
      node("unknown", { type: "nothing" }),
      node("text", { config: "text" }),
      node("list", { config: [] }),
      node("not an id"),
      null,
      "a",
    ],
    notes: [{ id: "n", text: 1, position: { x: 0, y: 0 }, size: { width: -1, height: 5 }, color: "red" }, { id: "m" }],
    connections: [null, "a", { from: {}, to: {} }, edge("a", "a")],
  });
  assert.deepEqual(part.nodes, [{ id: "a", type: "template", name: "", config: {}, position: null }]);
  assert.deepEqual(part.notes, [{ id: "n", text: "", position: { x: 0, y: 0 } }]);
  assert.deepEqual([part.connections, refused], [[], 11]);
});

test("a text without nodes or with too many is refused", () => {
  for (const text of ["not JSON", "{}", "null", "[]", '"text"', '{"graph": null}', '{"nodes": {}}']) assert.equal(readItems(text, types).kind, "none", text);
  assert.equal(read({ nodes: Array.from({ length: 501 }, (_, index) => node(`n${index}`)) }).kind, "tooLarge");
  assert.equal(readItems(" ".repeat(2 * 1024 * 1024 + 1), types).kind, "tooLarge");
  const many = graph(Array.from({ length: 300 }, (_, index) => node(`n${index}`)));
  assert.equal(isTooLarge(pasteItems(many, read(many).part, null).graph), true);
  assert.equal(read({ graph: graph([node("a")]) }).part.nodes.length, 1);
});

test("pasted nodes without a place are below each other", () => {
  const part = { nodes: [{ id: "a", type: "template" }, { id: "b", type: "template" }], notes: [], connections: [] };
  const placed = pasteItems({ nodes: [], notes: [], connections: [] }, part, { x: 10, y: 20 }).graph.nodes.map(({ position }) => position);
  assert.deepEqual(placed, [{ x: 10, y: 20 }, { x: 10, y: 160 }]);
});
