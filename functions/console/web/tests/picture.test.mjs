import assert from "node:assert/strict";
import { test } from "node:test";
import { drawLine, findNeighbour, placeNodes } from "../src/graph/picture";

const node = (id, x, y) => ({ id, name: id, x, y });

test("an arrow key leads to the nearest node in its direction", () => {
  const [a, b, c, d] = [node("a", 0, 0), node("b", 300, 0), node("c", 320, 200), node("d", 10, 220)];
  const next = (from, key) => findNeighbour([a, b, c, d], from, key)?.id;
  assert.equal(next(a, "ArrowRight"), "b");
  assert.equal(next(a, "ArrowDown"), "d");
  assert.equal(next(b, "ArrowDown"), "c");
  assert.equal(next(c, "ArrowLeft"), "d");
  assert.equal(next(d, "ArrowUp"), "a");
  assert.equal(next(a, "ArrowUp"), undefined);
  assert.equal(next(a, "Enter"), undefined);
});

test("nodes without a position are in columns, in the order of their connections", () => {
  const graph = {
    nodes: ["a", "b", "c"].map((id) => ({ id, type: "template" })),
    connections: [["a", "b"], ["b", "c"], ["c", "a"]].map(([from, to]) => ({ from: { node: from, port: "out" }, to: { node: to, port: "in" } })),
  };
  const placed = placeNodes(graph);
  assert.equal(placed.length, 3);
  assert.ok(placed[1].x < placed[2].x);
});

test("a line back to the left runs below its nodes", () => {
  assert.ok(!drawLine(node("a", 0, 0), node("b", 300, 0)).includes("H"));
  assert.ok(drawLine(node("b", 300, 0), node("a", 0, 0)).includes("H0"));
});
