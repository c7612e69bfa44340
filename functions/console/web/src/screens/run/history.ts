import { toUnits } from "../../api/money";
import type { Span, WorkflowGraph } from "../../api/types";
import { keyOf } from "./timeline";

export type StepState = Span["state"];

/** The figures of a node that are counted. */
const COUNTED = ["executions", "running", "waiting", "completed", "failed", "skipped", "canceled", "tokens"] as const;
type Counted = (typeof COUNTED)[number];

/** What a node has done until a moment. */
export interface NodeFigures extends Record<Counted, number> {
  /** The sum of the durations of all attempts. They may overlap. */
  durationMs: number;
  cost: bigint;
}

/** A moment of a run: the state of the nodes after some changes. */
export interface Moment {
  at: number;
  nodes: ReadonlyMap<string, NodeFigures>;
  /** The connections that were taken, by their index. */
  taken: ReadonlySet<number>;
  cost: bigint;
}

/** A step begins or ends. */
interface Change {
  at: number;
  node: number;
  from: StepState | null;
  to: StepState;
  /** The first attempt of an execution begins. */
  isFirst: boolean;
  /** The begin and the end of an attempt change the sum of the durations: those that go on are counted until the moment. */
  begun: number;
  ended: number;
  cost: bigint;
  tokens: number;
  connections: readonly number[];
}

interface Totals {
  counts: Int32Array;
  /** The durations of what has ended, and the begins of what goes on. */
  endedMs: Float64Array;
  begins: Float64Array;
  costs: BigInt64Array;
  taken: Int32Array;
}

export interface History {
  /** The number of changes. A position in the history is the number of those that have taken place. */
  length: number;
  changes: readonly Change[];
  ids: readonly string[];
  /** When each span begins and ends, as positions. */
  places: ReadonlyMap<string, { begin: number; end: number }>;
  snapshots: readonly Totals[];
  start: number;
}

/** A moment is computed from the last snapshot before it. So a move costs the same in a run of any length. */
const SNAPSHOT = 512;

/** Between its begin and its end, a step of these types waits. */
const waiting = new Set(["review", "delay", "workflow"]);

/** The changes of a run in their order, from the tree of its steps. */
export function buildHistory(graph: WorkflowGraph, spans: readonly Span[]): History {
  const ids = (graph.nodes ?? []).map(({ id }) => id);
  const indexes = new Map(ids.map((id, index) => [id, index]));
  const connectionsOf = groupConnections(graph);
  const states = new Map<string, StepState>();
  const places = new Map<string, { begin: number; end: number }>();
  const changes: Change[] = [];
  for (const { span, parent, at, isEnd, isInstant } of orderChanges(spans)) {
    const place = places.get(keyOf(span)) ?? { begin: changes.length + 1, end: Number.POSITIVE_INFINITY };
    if (isEnd) place.end = changes.length + 1;
    places.set(keyOf(span), place);
    const node = indexes.get(span.nodeId);
    if (node === undefined) {
      // Only the name of the node is unknown: the change still has a position.
      changes.push({ at, node: -1, from: null, to: span.state, isFirst: false, begun: 0, ended: 0, cost: 0n, tokens: 0, connections: [] });
      continue;
    }
    const from = states.get(span.step) ?? null;
    const to = isEnd || span.endedAt === null ? span.state : waiting.has(span.nodeType) ? "waiting" : "running";
    // What an agent does is part of its node: it costs, but it is no execution.
    const isStep = span.action === null && !span.step.endsWith("]");
    // The elements of a node with `each` are its executions, and the list is not.
    const isElement = isStep && parent?.nodeId === span.nodeId;
    const isOwn = isStep && !span.children.some(({ step, nodeId }) => nodeId === span.nodeId && !step.endsWith("]"));
    if (isOwn) states.set(span.step, to);
    const connections: number[] = [];
    if (isEnd && span.port !== null && !isElement) connections.push(...(connectionsOf.get(`${span.nodeId} ${span.port}`) ?? []));
    if ((!isEnd || isInstant) && isStep && !isElement && from === null && to !== "skipped" && parent !== null) {
      connections.push(...(connectionsOf.get(`${parent.nodeId} > ${span.nodeId}`) ?? []));
    }
    const isPaid = span.usage !== null && (isEnd || span.endedAt === null);
    changes.push({
      at,
      node,
      from: isOwn ? from : to,
      to,
      isFirst: isOwn && from === null && to !== "skipped",
      begun: isOwn && !isEnd ? at : 0,
      ended: isOwn && isEnd && !isInstant ? Date.parse(span.startedAt) : 0,
      cost: isPaid && span.usage ? toUnits(span.usage.costExact) : 0n,
      tokens: isPaid && span.usage ? span.usage.inputTokens + span.usage.outputTokens : 0,
      connections,
    });
  }
  const totals = createTotals(ids.length, graph.connections?.length ?? 0);
  const snapshots = [copyTotals(totals)];
  changes.forEach((change, index) => {
    applyChange(totals, change);
    if ((index + 1) % SNAPSHOT === 0) snapshots.push(copyTotals(totals));
  });
  return { length: changes.length, changes, ids, places, snapshots, start: changes[0]?.at ?? 0 };
}

/** The state of the nodes after so many changes. What goes on is counted until `now`. */
export function momentAt(history: History, position: number, now?: number): Moment {
  const { changes, snapshots, ids } = history;
  const last = Math.min(position, history.length);
  const base = Math.floor(last / SNAPSHOT);
  const totals = copyTotals(snapshots[base] as Totals);
  for (let index = base * SNAPSHOT; index < last; index++) applyChange(totals, changes[index] as Change);
  const at = now ?? timeAt(history, position);
  const nodes = new Map<string, NodeFigures>();
  let cost = 0n;
  ids.forEach((id, node) => {
    const count = (name: Counted) => totals.counts[node * COUNTED.length + COUNTED.indexOf(name)] ?? 0;
    const figures = Object.fromEntries(COUNTED.map((name) => [name, count(name)])) as Record<Counted, number>;
    const ongoing = figures.running + figures.waiting;
    const own = totals.costs[node] ?? 0n;
    cost += own;
    if (figures.executions + figures.skipped === 0 && own === 0n) return;
    const open = ongoing === 0 ? 0 : Math.max(0, ongoing * at - (totals.begins[node] ?? 0));
    nodes.set(id, { ...figures, durationMs: (totals.endedMs[node] ?? 0) + open, cost: own });
  });
  const taken = new Set<number>();
  totals.taken.forEach((count, index) => count > 0 && taken.add(index));
  return { at, nodes, taken, cost };
}

/** The time of the last change before a position. */
export function timeAt({ changes, start }: History, position: number): number {
  return changes[Math.min(position, changes.length) - 1]?.at ?? start;
}

/** A node has many executions in a loop. It shows what is most urgent. */
export function stateOf(figures: NodeFigures): StepState {
  const order = ["running", "waiting", "failed", "canceled", "completed", "skipped"] as const;
  return order.find((state) => figures[state] > 0) ?? "running";
}

/** The state of a step at a position. Null before it begins. */
export function spanStateAt(history: History, span: Span, position: number): StepState | null {
  const place = history.places.get(keyOf(span));
  if (place === undefined || position < place.begin) return null;
  if (position >= place.end || span.endedAt === null) return span.state;
  return waiting.has(span.nodeType) ? "waiting" : "running";
}

interface Ordered {
  span: Span;
  parent: Span | null;
  at: number;
  rank: number;
  isEnd: boolean;
  isInstant: boolean;
}

/**
 * The begins and ends of the steps in their order. Many have the same millisecond: there, what ends lets the next one
 * begin, and a loop ends after all that is in it.
 */
function orderChanges(spans: readonly Span[]): Ordered[] {
  const ordered: Ordered[] = [];
  let index = 0;
  const visit = (span: Span, parent: Span | null): number => {
    const begin = Date.parse(span.startedAt);
    const end = span.endedAt === null ? null : Date.parse(span.endedAt);
    const place = index++;
    const isInstant = end === begin && span.children.length === 0;
    ordered.push({ span, parent, at: begin, rank: place * 2, isEnd: isInstant, isInstant });
    let last = place;
    for (const child of span.children) last = visit(child, span);
    if (end !== null && !isInstant) {
      ordered.push({ span, parent, at: end, rank: span.children.length > 0 ? last * 2 + 1 : -1, isEnd: true, isInstant: false });
    }
    return last;
  };
  for (const span of spans) visit(span, null);
  return ordered.sort((a, b) => a.at - b.at || a.rank - b.rank);
}

/** The connections from each port, and those from a loop into the nodes of its iterations. */
function groupConnections({ connections = [] }: WorkflowGraph): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  connections.forEach(({ from, to }, index) => {
    for (const key of [`${from.node} ${from.port}`, `${from.node} > ${to.node}`]) {
      const group = groups.get(key);
      if (group) group.push(index);
      else groups.set(key, [index]);
    }
  });
  return groups;
}

function createTotals(nodes: number, connections: number): Totals {
  return {
    counts: new Int32Array(nodes * COUNTED.length),
    endedMs: new Float64Array(nodes),
    begins: new Float64Array(nodes),
    costs: new BigInt64Array(nodes),
    taken: new Int32Array(connections),
  };
}

function copyTotals({ counts, endedMs, begins, costs, taken }: Totals): Totals {
  return { counts: counts.slice(), endedMs: endedMs.slice(), begins: begins.slice(), costs: costs.slice(), taken: taken.slice() };
}

function applyChange({ counts, endedMs, begins, costs, taken }: Totals, change: Change) {
  const { node } = change;
  if (node < 0) return;
  const add = (name: Counted, count: number) => {
    const place = node * COUNTED.length + COUNTED.indexOf(name);
    counts[place] = (counts[place] ?? 0) + count;
  };
  if (change.from !== change.to) {
    if (change.from !== null) add(change.from, -1);
    add(change.to, 1);
  }
  if (change.isFirst) add("executions", 1);
  if (change.tokens > 0) add("tokens", change.tokens);
  begins[node] = (begins[node] ?? 0) + change.begun - change.ended;
  if (change.ended > 0) endedMs[node] = (endedMs[node] ?? 0) + change.at - change.ended;
  costs[node] = (costs[node] ?? 0n) + change.cost;
  for (const connection of change.connections) taken[connection] = (taken[connection] ?? 0) + 1;
}
