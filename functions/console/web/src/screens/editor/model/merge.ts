// A three-way merge of graphs: what both people changed since the common base is kept.
import { isSame } from "./equal";
import type { Connection, Graph, GraphNode, Note } from "./types";

/** What both people changed in different ways: a node or a note, which is null if it was removed, or the workflow's name. */
export type Conflict =
  | { kind: "name"; id: string; mine: string; theirs: string }
  | { kind: "node"; id: string; mine: GraphNode | null; theirs: GraphNode | null }
  | { kind: "note"; id: string; mine: Note | null; theirs: Note | null };

export type Side = "mine" | "theirs";
export type Choose = (conflict: Conflict) => Side | undefined;

interface Merged {
  graph: Graph;
  conflicts: Conflict[];
}

export function connectionKey({ from, to }: Connection): string {
  return `${from.node}:${from.port}>${to.node}:${to.port}`;
}

/**
 * Merges the changes of two people. A conflict that `choose` does not decide keeps the stored side, and is reported.
 */
export function mergeGraphs(base: Graph, mine: Graph, theirs: Graph, choose: Choose = () => undefined): Merged {
  const conflicts: Conflict[] = [];
  const decide = (conflict: Conflict): Side => {
    const side = choose(conflict);
    if (side === undefined) conflicts.push(conflict);
    return side ?? "theirs";
  };
  const newlyConnected = (graph: Graph) => {
    const known = new Set(base.connections.map(connectionKey));
    const added = graph.connections.filter((connection) => !known.has(connectionKey(connection)));
    return new Set(added.flatMap(({ from, to }) => [from.node, to.node]));
  };
  const connected = { mine: newlyConnected(mine), theirs: newlyConnected(theirs) };
  const nodes = mergeItems({
    base: base.nodes,
    mine: mine.nodes,
    theirs: theirs.nodes,
    keyOf: (node) => node.id,
    merge: mergeNodes,
    // A node that was only moved can be removed by the other person. One that was connected anew cannot.
    matters: (before, after, side) =>
      !isSame({ ...before, position: null }, { ...after, position: null }) ||
      connected[side].has(after.id),
    decide: (id, mine, theirs) => decide({ kind: "node", id, mine, theirs }),
  });
  const notes = mergeItems({
    base: base.notes,
    mine: mine.notes,
    theirs: theirs.notes,
    keyOf: (note) => note.id,
    merge: mergeNotes,
    matters: (before, after) => !isSame({ ...before, position: null }, { ...after, position: null }),
    decide: (id, mine, theirs) => decide({ kind: "note", id, mine, theirs }),
  });
  const connections = mergeItems({
    base: base.connections,
    mine: mine.connections,
    theirs: theirs.connections,
    keyOf: connectionKey,
    merge: (_, mine) => mine,
    matters: () => false,
    decide: () => "theirs",
  });
  const ids = new Set(nodes.map((node) => node.id));
  return {
    graph: { nodes, notes, connections: connections.filter(({ from, to }) => ids.has(from.node) && ids.has(to.node)) },
    conflicts,
  };
}

/** Merges the names of the workflow. Two new names are a conflict. */
export function mergeNames(base: string, mine: string, theirs: string, choose: Choose = () => undefined): { name: string; conflicts: Conflict[] } {
  const merged = mergeValue(base, mine, theirs);
  if (merged !== CONTRADICTION) return { name: merged as string, conflicts: [] };
  const conflict: Conflict = { kind: "name", id: "", mine, theirs };
  const side = choose(conflict);
  return { name: side === "mine" ? mine : theirs, conflicts: side === undefined ? [conflict] : [] };
}

interface Items<T> {
  base: readonly T[];
  mine: readonly T[];
  theirs: readonly T[];
  keyOf: (item: T) => string;
  /** Merges two changes of an item, or returns null if they contradict. The base is null for an added item. */
  merge: (base: T | null, mine: T, theirs: T) => T | null;
  /** Whether a change must not be lost when the other person removed the item. */
  matters: (before: T, after: T, side: Side) => boolean;
  decide: (key: string, mine: T | null, theirs: T | null) => Side;
}

function mergeItems<T>({ base, mine, theirs, keyOf, merge, matters, decide }: Items<T>): T[] {
  const index = (items: readonly T[]) => new Map(items.map((item) => [keyOf(item), item]));
  const before = index(base);
  const my = index(mine);
  const their = index(theirs);
  const pick = (key: string): T | null => {
    const [b = null, m = null, t = null] = [before.get(key), my.get(key), their.get(key)];
    if (m === t || isSame(m, t)) return t;
    if (b !== null && (m === null || t === null)) {
      const isLost = m !== null ? matters(b, m, "mine") : t !== null && matters(b, t, "theirs");
      if (!isLost) return null;
    } else {
      if (isSame(m, b)) return t;
      if (isSame(t, b)) return m;
      const merged = m !== null && t !== null ? merge(b, m, t) : null;
      if (merged !== null) return merged;
    }
    return decide(key, m, t) === "mine" ? m : t;
  };
  // The order of the side that changed it; the other side's new items follow.
  const orderIs = (items: readonly T[]) => items.map(keyOf).join("\n");
  const first = orderIs(mine) === orderIs(base) ? theirs : mine;
  const keys = new Set([...first, ...mine, ...theirs].map(keyOf));
  return [...keys].map(pick).filter((item) => item !== null);
}

/** Merges field by field. The configuration is merged by its keys; of two positions, mine is kept. */
function mergeNodes(base: GraphNode | null, mine: GraphNode, theirs: GraphNode): GraphNode | null {
  if (mine.type !== theirs.type) return null;
  const name = mergeValue(base?.name, mine.name, theirs.name);
  const config = mergeKeys(base?.config ?? {}, mine.config ?? {}, theirs.config ?? {});
  if (name === CONTRADICTION || config === null) return null;
  const position = isSame(mine.position, base?.position) ? theirs.position : mine.position;
  return { ...theirs, name: name as string, config, position: position ?? null };
}

function mergeNotes(base: Note | null, mine: Note, theirs: Note): Note | null {
  const text = mergeValue(base?.text, mine.text, theirs.text);
  if (text === CONTRADICTION) return null;
  const latest = <K extends keyof Note>(key: K) => (isSame(mine[key], base?.[key]) ? theirs[key] : mine[key]);
  const merged: Note = { ...theirs, position: latest("position") };
  for (const key of ["size", "color"] as const) Object.assign(merged, { [key]: latest(key) ?? null });
  if (text !== undefined) merged.text = text as string;
  return merged;
}

const CONTRADICTION = Symbol("contradiction");

function mergeValue(base: unknown, mine: unknown, theirs: unknown): unknown {
  if (isSame(mine, theirs) || isSame(mine, base)) return theirs;
  return isSame(theirs, base) ? mine : CONTRADICTION;
}

type Keys = Record<string, unknown>;

function mergeKeys(base: Keys, mine: Keys, theirs: Keys): Keys | null {
  const merged: Keys = {};
  for (const key of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
    const value = mergeValue(base[key], mine[key], theirs[key]);
    if (value === CONTRADICTION) return null;
    if (value !== undefined) merged[key] = value;
  }
  return merged;
}

/** Returns the second graph with the objects of the first where they are equal, so that comparisons are fast. */
export function shareItems(known: Graph, graph: Graph): Graph {
  const share = <T>(before: readonly T[], after: T[], keyOf: (item: T) => string): T[] => {
    const index = new Map(before.map((item) => [keyOf(item), item]));
    return after.map((item) => {
      const old = index.get(keyOf(item));
      return old !== undefined && isSame(old, item) ? old : item;
    });
  };
  return {
    nodes: share(known.nodes, graph.nodes, (node) => node.id),
    notes: share(known.notes, graph.notes, (note) => note.id),
    connections: share(known.connections, graph.connections, connectionKey),
  };
}
