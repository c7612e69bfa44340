import assert from "node:assert/strict";
import { test } from "node:test";
import { fromUnits, toUnits } from "../src/api/money";
import { completeSpans, parentOf } from "../src/screens/run/events";
import { follow, isBehind, nothing } from "../src/screens/run/follow";
import { buildHistory, momentAt, spanStateAt, stateOf, timeAt } from "../src/screens/run/history";
import { fitsSteps } from "../src/screens/run/timeline";

const START = Date.parse("2026-01-01T00:00:00.000Z");
const at = (ms) => new Date(START + ms).toISOString();
const span = (step, begin, end, changes = {}) => ({
  step, nodeId: step.split("/").at(-1), nodeType: "model", attempt: 1, repeats: 0, state: end === null ? "running" : "completed",
  startedAt: at(begin), endedAt: end === null ? null : at(end), durationMs: end === null ? null : end - begin, action: null, runId: null,
  port: end === null ? null : "out", input: null, output: null, omitted: [], error: null, usage: null, children: [], ...changes,
});
const cost = (costExact) => ({ requests: 1, inputTokens: 3, outputTokens: 4, cost: Number(costExact), costExact });
const edge = (from, to, port = "out") => ({ from: { node: from, port }, to: { node: to, port: "in" } });
const graph = {
  nodes: ["ask", "each", "send", "end", "other"].map((id) => ({ id, type: id === "each" ? "loop" : "model" })),
  connections: [edge("ask", "each"), edge("each", "send", "item"), edge("send", "each"), edge("each", "end", "done"), edge("ask", "other", "error")],
};
/** Asks, sends twice in a loop of which the first try fails once, and ends. */
const spans = [
  span("ask", 0, 10, { usage: cost("0.0000000001") }),
  span("each", 10, 40, {
    nodeType: "loop",
    port: "done",
    children: [
      span("each[0]/send", 10, 20, { state: "failed", port: null }),
      span("each[1]/send", 10, 30, { usage: cost("0.2") }),
      span("each[0]/send", 25, 40, { attempt: 2, usage: cost("0.1") }),
    ],
  }),
  span("other", 40, 40, { state: "skipped", port: null }),
  span("end", 40, 40),
];
const states = (history, position) =>
  Object.fromEntries([...momentAt(history, position).nodes].map(([id, figures]) => [id, stateOf(figures)]));

test("goes through the changes of a run in their order", () => {
  const history = buildHistory(graph, spans);
  assert.equal(history.length, 12);
  assert.deepEqual(states(history, 0), {});
  assert.deepEqual(states(history, 1), { ask: "running" });
  assert.deepEqual(states(history, 2), { ask: "completed" });
  assert.deepEqual(states(history, 5), { ask: "completed", each: "running", send: "running" });
  assert.deepEqual(states(history, history.length), { ask: "completed", each: "completed", send: "completed", end: "completed", other: "skipped" });
});

test("counts executions once, however often they are tried, and adds costs exactly", () => {
  const history = buildHistory(graph, spans);
  const { nodes, cost } = momentAt(history, history.length);
  assert.equal(nodes.get("send").executions, 2);
  assert.equal(nodes.get("send").failed, 0);
  assert.equal(nodes.get("send").durationMs, 10 + 20 + 15);
  assert.equal(nodes.get("send").tokens, 14);
  assert.equal(fromUnits(nodes.get("send").cost), "0.3");
  assert.equal(fromUnits(cost), "0.3000000001");
});

test("the executions of a node with `each` are its elements", () => {
  const graph = { nodes: [{ id: "send", type: "http" }, { id: "end", type: "send_result" }], connections: [edge("send", "end")] };
  const elements = [span("send[0]/send", 0, 10), span("send[1]/send", 0, 20, { state: "failed", port: null })];
  const history = buildHistory(graph, [span("send", 0, 20, { children: elements }), span("end", 20, 20)]);
  const ended = [...Array(history.length).keys()].find((position) => momentAt(history, position).nodes.get("send")?.completed === 1);
  // The connection after the list is taken at its end, not after its first element.
  assert.deepEqual([...momentAt(history, ended).taken], []);
  const { nodes, taken } = momentAt(history, history.length);
  const { executions, completed, failed, durationMs } = nodes.get("send");
  assert.deepEqual([executions, completed, failed, durationMs, [...taken]], [2, 1, 1, 30, [0]]);
  const empty = momentAt(buildHistory(graph, [span("send", 0, 0)]), 2).nodes.get("send");
  assert.deepEqual([empty?.executions, empty?.completed], [1, 1]);
});

test("shows the failed attempt until the next one begins, and what goes on until the moment", () => {
  const history = buildHistory(graph, spans);
  const failed = [...Array(history.length).keys()].find((position) => momentAt(history, position).nodes.get("send")?.failed === 1);
  assert.equal(timeAt(history, failed), START + 20);
  const { failed: count, running, durationMs } = momentAt(history, failed).nodes.get("send");
  assert.deepEqual([count, running, durationMs], [1, 1, 10 + 10]);
});

test("highlights the connections that were taken", () => {
  const history = buildHistory(graph, spans);
  assert.deepEqual([...momentAt(history, 2).taken], [0]);
  assert.deepEqual([...momentAt(history, 4).taken], [0, 1]);
  assert.deepEqual([...momentAt(history, history.length).taken], [0, 1, 2, 3]);
});

test("knows the state of each step at each position", () => {
  const history = buildHistory(graph, spans);
  const [ask, each] = spans;
  assert.equal(spanStateAt(history, ask, 0), null);
  assert.equal(spanStateAt(history, ask, 1), "running");
  assert.equal(spanStateAt(history, each, 2), null);
  assert.equal(spanStateAt(history, each, history.length), "completed");
  const review = span("ask", 0, 10, { nodeType: "review" });
  assert.equal(spanStateAt(buildHistory(graph, [review]), review, 1), "waiting");
});

test("counts what has not ended until now", () => {
  const history = buildHistory(graph, [span("ask", 5, null)]);
  const { nodes } = momentAt(history, history.length, START + 105);
  assert.deepEqual([nodes.get("ask").running, nodes.get("ask").durationMs], [1, 100]);
});

test("the calls of an agent cost, but are no executions of their node", () => {
  const call = span("ask[0]", 1, 5, { nodeId: "ask", action: { kind: "model", name: "m", agentId: "a" }, usage: cost("0.5") });
  const history = buildHistory(graph, [span("ask", 0, 9, { children: [call] })]);
  const { executions, cost: paid, completed } = momentAt(history, history.length).nodes.get("ask");
  assert.deepEqual([executions, fromUnits(paid), completed], [1, "0.5", 1]);
});

test("a moment of a long run is the same by snapshots as change by change", () => {
  const children = Array.from({ length: 4000 }, (_, index) => span(`each[${index}]/send`, index, index + 7, { usage: cost("0.001") }));
  const history = buildHistory(graph, [span("each", 0, 5000, { children })]);
  for (const position of [511, 512, 513, 4100, history.length]) {
    const { executions, running, completed, cost } = momentAt(history, position).nodes.get("send");
    assert.equal(executions, running + completed);
    assert.equal(fromUnits(cost), fromUnits(BigInt(completed) * toUnits("0.001")));
  }
  assert.equal(momentAt(history, history.length).nodes.get("send").executions, 4000);
});

test("amounts become whole numbers and back without a rounded digit", () => {
  for (const exact of ["0", "1", "0.000000000001", "12.5", "-3.25"]) assert.equal(fromUnits(toUnits(exact)), exact);
});

const events = [
  { type: "run_queued" },
  { type: "step_started", step: "ask", nodeId: "ask", attempt: 1 },
  { type: "step_completed", step: "ask", nodeId: "ask", port: "out", usage: cost("0.1") },
  { type: "step_started", step: "each[0]/send", nodeId: "send", attempt: 1 },
  { type: "step_retried", step: "each[0]/send", nodeId: "send", attempt: 1, error: { code: "e", message: "m" } },
  { type: "step_started", step: "each[0]/send", nodeId: "send", attempt: 2 },
  { type: "step_failed", step: "each[0]/send", nodeId: "send", error: { code: "e", message: "m" } },
  { type: "step_completed", step: "each[0]/send", nodeId: "send", port: "error" },
  { type: "step_completed", step: "each", nodeId: "each", port: "done" },
  { type: "step_asked", step: "end", nodeId: "end" },
  { type: "step_skipped", step: "other", nodeId: "other" },
  { type: "run_cancelled" },
].map((event, index) => ({ ...event, number: index + 1, at: at(index) }));

test("builds all steps from the events, and takes the values from the trace", () => {
  const traced = [span("ask", 1, 2, { input: "in", output: "out" })];
  const [ask, each, end, other] = completeSpans(graph, traced, events);
  assert.deepEqual([ask.output, ask.state, ask.durationMs, ask.usage.costExact], ["out", "completed", 1, "0.1"]);
  assert.deepEqual([each.startedAt, each.state, each.nodeType, each.port], [at(3), "completed", "loop", "done"]);
  assert.deepEqual(each.children.map(({ attempt, state, port, omitted }) => [attempt, state, port, omitted.length]), [
    [1, "failed", null, 2],
    [2, "failed", "error", 2],
  ]);
  assert.deepEqual([end.state, end.endedAt], ["canceled", at(11)]);
  assert.equal(other.state, "skipped");
});

test("finds what a step is part of", () => {
  assert.equal(parentOf("lines[2]/send"), "lines");
  assert.equal(parentOf("lines[2]/ask[0]"), "lines[2]/ask");
  assert.equal(parentOf("a[1]/b[2]/c"), "a[1]/b");
  assert.equal(parentOf("ask"), null);
});

test("the cost of a step with several attempts is counted once", () => {
  const traced = [span("each", 3, null, { children: [span("each[0]/send", 3, 4, { state: "failed", usage: cost("0.3") })] })];
  const retried = [...events.slice(0, 6), { ...events[6], usage: cost("0.3") }];
  for (const log of [retried, retried.slice(0, 6)]) {
    const spans = completeSpans(graph, traced, log);
    assert.equal(fromUnits(momentAt(buildHistory(graph, spans), 99).nodes.get("send").cost), "0.3");
  }
});

const BEFORE = START + 1000;
const event = (number, ms) => ({ type: "event", number, at: at(ms), before: BEFORE });
const after = (actions) => actions.reduce(follow, nothing);

test("what happened before the reads of the screen is not read again", () => {
  const state = after([event(1, 0), event(2, 999)]);
  assert.equal(isBehind(state), false);
  assert.equal(isBehind(follow(state, event(3, 1000))), true);
});

test("an event between the reads of the head and of the trace is read again", () => {
  assert.equal(isBehind(after([event(1, 1000)])), true);
  // It stays unread although later ones have an earlier time on another machine.
  assert.equal(isBehind(after([event(1, 1000), event(2, 999)])), true);
});

test("one read follows many events, and an event during the read another one", () => {
  const reading = after([event(1, 2000), event(2, 2001), { type: "read" }]);
  assert.equal(isBehind(reading), false);
  assert.equal(isBehind(follow(reading, { type: "done" })), false);
  const late = [event(3, 2002), { type: "done" }].reduce(follow, reading);
  assert.equal(isBehind(late), true);
  assert.equal(late.shown, 2);
});

test("a read that fails is repeated, and a stream that begins again changes nothing", () => {
  const failed = after([event(1, 2000), { type: "read" }, { type: "failed" }]);
  assert.equal(isBehind(failed), true);
  const shown = [{ type: "read" }, { type: "done" }].reduce(follow, failed);
  assert.deepEqual(follow(shown, event(1, 2000)), shown);
});

test("a run that pauses a moment after its last step began to wait is read again", () => {
  const waits = span("ask", 0, null, { state: "waiting" });
  const loop = (child) => span("each", 0, null, { children: [child] });
  for (const spans of [[waits], [loop(waits)], [span("ask", 0, 1)], []]) assert.equal(fitsSteps("running", spans), false);
  for (const spans of [[waits], [loop(waits)], [span("ask", 0, 1)]]) assert.equal(fitsSteps("paused", spans), true);
  for (const spans of [[waits, span("send", 0, null)], [loop(span("send", 0, null))], [loop(span("send", 0, 1))]]) {
    assert.deepEqual([fitsSteps("running", spans), fitsSteps("paused", spans)], [true, false]);
  }
  for (const state of ["completed", "failed", "cancelled"]) assert.equal(fitsSteps(state, [waits]), true);
});
