// Previews of a part of the graph: which nodes are carried out, and which take a pinned output instead.
import { hasRounds, leadsBack, outputNames } from "./ports";
import type { Connection, Graph, NodeType } from "./types";

/** The output that a node has in previews, instead of being carried out. */
export interface Pin {
  /** The port at which the preview continues. Null: the only one. */
  port: string | null;
  value: unknown;
}

export type Pins = ReadonlyMap<string, Pin>;

/** The whole draft, the nodes that lead to a node, or a node and what follows it. */
export type Scope = { kind: "whole" } | { kind: "until" | "from"; nodeId: string };

export interface Plan {
  trigger: string | null;
  until: string | null;
  pinned: Pins;
  /** The nodes that are carried out before the first one, because they have no value. */
  missing: string[];
  /** Whether the preview leads to the node at all, as far as the pinned ports show. */
  isReached: boolean;
}

type Types = ReadonlyMap<string, NodeType>;

/** Plans a preview. `values` are the outputs that nodes had last. */
export function planPreview(graph: Graph, types: Types, scope: Scope, pins: Pins, values: Pins): Plan {
  if (scope.kind === "whole") return { trigger: null, until: null, pinned: pins, missing: [], isReached: true };
  const { nodeId } = scope;
  const trigger = findTrigger(graph, types, nodeId);
  if (scope.kind === "until") return { trigger, until: nodeId, pinned: pins, missing: [], isReached: true };
  const free = new Set([nodeId, ...followersOf(graph, nodeId), ...loopsAround(graph, nodeId)]);
  const pinned = new Map<string, Pin>();
  for (const { id } of graph.nodes) {
    const pin = id === nodeId ? undefined : (pins.get(id) ?? (free.has(id) ? undefined : values.get(id)));
    if (pin !== undefined) pinned.set(id, pin);
  }
  const reached = reachedBefore(graph, types, trigger, nodeId, pinned);
  const missing = graph.nodes.filter(
    ({ id, type }) => reached.has(id) && !pinned.has(id) && !free.has(id) && types.get(type)?.category !== "trigger",
  );
  return { trigger, until: null, pinned, missing: missing.map(({ id }) => id), isReached: reached.has(nodeId) };
}

/** The trigger that leads to a node, unless it is the one that fires by default. */
function findTrigger(graph: Graph, types: Types, nodeId: string): string | null {
  const triggers = graph.nodes.filter(({ type }) => types.get(type)?.category === "trigger");
  const [first] = [...triggers.filter(({ type }) => type === "input"), ...triggers];
  const before = leadingTo(graph, nodeId);
  if (first === undefined || before.has(first.id)) return null;
  return triggers.find(({ id }) => before.has(id))?.id ?? null;
}

/** The nodes that a walk meets, with the node it begins at. */
function walk(start: Iterable<string>, next: (id: string) => Iterable<string>): Set<string> {
  const met = new Set(start);
  for (const id of met) for (const other of next(id)) met.add(other);
  return met;
}

/** The nodes that lead to a node, with the node itself. */
function leadingTo({ connections }: Graph, nodeId: string): Set<string> {
  return walk([nodeId], (id) => connections.filter(({ to }) => to.node === id).map(({ from }) => from.node));
}

/** What follows a node. The end of a loop's body leads to what is after the loop, and only to the body again if it has rounds. */
function followersOf({ nodes, connections }: Graph, nodeId: string): Set<string> {
  const loops = new Set(nodes.filter((node) => node.type === "loop" && !hasRounds(node)).map(({ id }) => id));
  const follows = ({ from }: Connection) => from.node === nodeId || !loops.has(from.node) || from.port !== "item" || entered.has(from.node);
  // Loops whose body follows the node, because it comes before them.
  const entered = new Set<string>();
  const met = new Set<string>();
  const queue = connections.filter(({ from }) => from.node === nodeId);
  for (const { to } of queue) {
    const enters = loops.has(to.node) && !leadsBack("loop", to.port) && !entered.has(to.node);
    if (enters) entered.add(to.node);
    if (met.has(to.node) && !enters) continue;
    met.add(to.node);
    queue.push(...connections.filter((connection) => connection.from.node === to.node && follows(connection)));
  }
  return met;
}

/** The loops in whose bodies a node is. A pinned loop would have no iterations. */
function loopsAround({ nodes, connections }: Graph, nodeId: string): string[] {
  return nodes.flatMap(({ id, type }) => {
    if (type !== "loop" || id === nodeId) return [];
    const starts = connections.filter(({ from }) => from.node === id && from.port === "item").map(({ to }) => to.node);
    const body = walk(starts, (inside) => (inside === id ? [] : connections.filter(({ from }) => from.node === inside).map(({ to }) => to.node)));
    return body.has(nodeId) ? [id] : [];
  });
}

/** The nodes that the preview meets on its way to a node. A pinned node continues at its port alone. */
function reachedBefore(graph: Graph, types: Types, trigger: string | null, nodeId: string, pinned: Pins): Set<string> {
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  const triggers = graph.nodes.filter(({ type }) => types.get(type)?.category === "trigger");
  const [first] = [...triggers.filter(({ id }) => id === trigger), ...triggers.filter(({ type }) => type === "input"), ...triggers];
  return walk(first === undefined ? [] : [first.id], (id) => {
    if (id === nodeId) return [];
    const node = byId.get(id);
    const pin = pinned.get(id);
    const port = pin === undefined || node === undefined ? null : (pin.port ?? defaultPort(outputNames(node, types.get(node.type))));
    return graph.connections.filter(({ from }) => from.node === id && (port === null || from.port === port)).map(({ to }) => to.node);
  });
}

const defaultPort = (ports: string[]) => ports.find((port) => port !== "error") ?? null;

/** The ports at which a node with a pinned output can continue. A pinned loop has no iterations. */
export function pinPorts(ports: string[], type: string): string[] {
  return type === "loop" ? ports.filter((port) => port !== "item") : ports;
}
