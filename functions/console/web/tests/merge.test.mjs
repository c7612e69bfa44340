import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeGraphs } from "../src/screens/editor/model/merge";

const node = (id, changes = {}) => ({ id, type: "template", name: "", config: {}, position: { x: 0, y: 0 }, ...changes });
const edge = (from, to, port = "out") => ({ from: { node: from, port }, to: { node: to, port: "in" } });
const graph = (nodes, connections = [], notes = []) => ({ nodes, connections, notes });
const ids = ({ nodes }) => nodes.map((node) => node.id);

test("keeps the nodes and connections that each person added", () => {
  const base = graph([node("a"), node("b")], [edge("a", "b")]);
  const mine = graph([...base.nodes, node("mine")], [...base.connections, edge("b", "mine")]);
  const theirs = graph([...base.nodes, node("theirs")], [...base.connections, edge("b", "theirs")]);
  const { graph: merged, conflicts } = mergeGraphs(base, mine, theirs);
  assert.deepEqual(ids(merged).sort(), ["a", "b", "mine", "theirs"]);
  assert.equal(merged.connections.length, 3);
  assert.deepEqual(conflicts, []);
});

test("merges different fields of one node", () => {
  const base = graph([node("a", { config: { x: 1, y: 1 } })]);
  const mine = graph([node("a", { name: "Mine", config: { x: 2, y: 1 } })]);
  const theirs = graph([node("a", { config: { x: 1, y: 3 }, position: { x: 9, y: 9 } })]);
  const { graph: merged, conflicts } = mergeGraphs(base, mine, theirs);
  assert.deepEqual(merged.nodes, [node("a", { name: "Mine", config: { x: 2, y: 3 }, position: { x: 9, y: 9 } })]);
  assert.deepEqual(conflicts, []);
});

test("reports the same field changed twice, and keeps what the person chooses", () => {
  const base = graph([node("a", { name: "Base" })]);
  const mine = graph([node("a", { name: "Mine" })]);
  const theirs = graph([node("a", { name: "Theirs" })]);
  const undecided = mergeGraphs(base, mine, theirs);
  assert.deepEqual(undecided.conflicts.map(({ id }) => id), ["a"]);
  assert.equal(undecided.graph.nodes[0].name, "Theirs");
  const decided = mergeGraphs(base, mine, theirs, () => "mine");
  assert.deepEqual(decided.conflicts, []);
  assert.equal(decided.graph.nodes[0].name, "Mine");
});

test("a removal wins over a move, and contradicts a change or a new connection", () => {
  const base = graph([node("a"), node("b")]);
  const removed = graph([node("b")]);
  const moved = graph([node("a", { position: { x: 5, y: 5 } }), node("b")]);
  assert.deepEqual(ids(mergeGraphs(base, moved, removed).graph), ["b"]);
  const changed = graph([node("a", { config: { x: 1 } }), node("b")]);
  assert.equal(mergeGraphs(base, changed, removed).conflicts.length, 1);
  const connected = graph(base.nodes, [edge("b", "a")]);
  assert.equal(mergeGraphs(base, connected, removed).conflicts.length, 1);
  const kept = mergeGraphs(base, connected, removed, () => "mine").graph;
  assert.deepEqual(kept.connections, [edge("b", "a")]);
});

test("removes the connections of a removed node", () => {
  const base = graph([node("a"), node("b")], [edge("a", "b")]);
  const theirs = graph([node("a")]);
  const mine = graph([node("a", { name: "Mine" }), node("b")], base.connections);
  const { graph: merged } = mergeGraphs(base, mine, theirs);
  assert.deepEqual(ids(merged), ["a"]);
  assert.deepEqual(merged.connections, []);
});

test("merges notes like nodes", () => {
  const note = (id, text) => ({ id, text, position: { x: 0, y: 0 } });
  const base = graph([], [], [note("n", "Base")]);
  const mine = graph([], [], [note("n", "Mine"), note("m", "")]);
  const theirs = graph([], [], [note("n", "Theirs")]);
  const { graph: merged, conflicts } = mergeGraphs(base, mine, theirs);
  assert.deepEqual(conflicts.map(({ kind, id }) => `${kind} ${id}`), ["note n"]);
  assert.deepEqual(merged.notes.map(({ id }) => id), ["n", "m"]);
});
