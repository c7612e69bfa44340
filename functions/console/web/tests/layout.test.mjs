import assert from "node:assert/strict";
import { test } from "node:test";
import { arrange, placeNodes } from "../src/screens/editor/model/layout";

const graph = { nodes: [{ id: "a", type: "x" }, { id: "b", type: "x", position: { x: 7, y: 7 } }], connections: [], notes: [] };
const workers = [];
/** Fails at first, and then places all nodes at one point. */
globalThis.Worker = class extends EventTarget {
  constructor() {
    super();
    workers.push(this);
  }
  postMessage({ request, nodes }) {
    const event =
      workers.length === 1
        ? Object.assign(new Event("error"), { message: "not loaded" })
        : Object.assign(new Event("message"), { data: { request, positions: nodes.map(({ id }) => [id, { x: 1, y: 2 }]) } });
    queueMicrotask(() => this.dispatchEvent(event));
  }
  terminate() {
    this.isStopped = true;
  }
};

test("a layout that failed is tried again with another worker", async () => {
  const [first, second] = await Promise.allSettled([arrange(graph, new Map()), arrange(graph, new Map())]);
  assert.deepEqual([first.reason.message, second.reason.message], ["not loaded", "not loaded"]);
  assert.deepEqual([workers.length, workers[0].isStopped], [1, true]);
  assert.deepEqual(await arrange(graph, new Map()), new Map([["a", { x: 1, y: 2 }], ["b", { x: 1, y: 2 }]]));
  await arrange(graph, new Map());
  assert.equal(workers.length, 2);
});

test("nodes without a position get one, also if there is no layout", async () => {
  const places = async () => (await placeNodes(graph, new Map())).nodes.map(({ position }) => position);
  assert.deepEqual(await places(), [{ x: 1, y: 2 }, { x: 7, y: 7 }]);
  workers.at(-1).postMessage = function () {
    queueMicrotask(() => this.dispatchEvent(Object.assign(new Event("error"), { message: "stopped" })));
  };
  assert.deepEqual(await places(), [{ x: 0, y: 0 }, { x: 7, y: 7 }]);
});
