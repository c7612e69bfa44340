import { connectionKey } from "./merge";
import { caseNames } from "./ports";
import type { Config, Connection, Graph, GraphNode, Note, Position } from "./types";

export const GRID = 20;
const NOTE_PREFIX = "note:";

/** The id of a note on the canvas, where it must differ from those of the nodes. */
export const noteKey = (id: string) => NOTE_PREFIX + id;
export const noteIdOf = (key: string) => (key.startsWith(NOTE_PREFIX) ? key.slice(NOTE_PREFIX.length) : null);

/** An id that does not exist yet. Underscores can be written in expressions without quotes. */
export function uniqueId(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted;
  const stem = wanted.replace(/_\d+$/, "").slice(0, 58);
  for (let number = 2; ; number += 1) {
    const id = `${stem}_${number}`;
    if (!taken.has(id)) return id;
  }
}

const idsOf = (items: readonly { id: string }[]) => new Set(items.map((item) => item.id));

/** What a new node has. The id gets a number if another node has it. */
export interface NewNode {
  id: string;
  name: string;
  config: Config;
}

export function addNode(graph: Graph, type: string, position: Position, made?: NewNode): { graph: Graph; id: string } {
  const id = uniqueId(made?.id ?? type, idsOf(graph.nodes));
  const node: GraphNode = { id, type, name: made?.name ?? "", config: made?.config ?? {}, position };
  return { graph: { ...graph, nodes: [...graph.nodes, node] }, id };
}

export function addNote(graph: Graph, position: Position): { graph: Graph; id: string } {
  const id = uniqueId("note", idsOf(graph.notes));
  const note: Note = { id, text: "", position, size: { width: 240, height: 120 } };
  return { graph: { ...graph, notes: [...graph.notes, note] }, id };
}

export function connect(graph: Graph, connection: Connection): Graph {
  const key = connectionKey(connection);
  if (connection.from.node === connection.to.node) return graph;
  if (graph.connections.some((other) => connectionKey(other) === key)) return graph;
  return { ...graph, connections: [...graph.connections, connection] };
}

export function disconnect(graph: Graph, keys: ReadonlySet<string>): Graph {
  return { ...graph, connections: graph.connections.filter((connection) => !keys.has(connectionKey(connection))) };
}

/** Removes nodes and notes by their keys on the canvas, and connections by theirs. */
export function removeItems(graph: Graph, keys: ReadonlySet<string>, connections: ReadonlySet<string>): Graph {
  const nodes = graph.nodes.filter((node) => !keys.has(node.id));
  const kept = idsOf(nodes);
  return {
    nodes,
    notes: graph.notes.filter((note) => !keys.has(noteKey(note.id))),
    connections: graph.connections.filter(
      (connection) => kept.has(connection.from.node) && kept.has(connection.to.node) && !connections.has(connectionKey(connection)),
    ),
  };
}

export function moveItems(graph: Graph, positions: ReadonlyMap<string, Position>): Graph {
  if (positions.size === 0) return graph;
  const move = <T extends { position?: Position | null }>(item: T, key: string): T => {
    const position = positions.get(key);
    return position === undefined ? item : { ...item, position: { x: Math.round(position.x), y: Math.round(position.y) } };
  };
  return {
    ...graph,
    nodes: graph.nodes.map((node) => move(node, node.id)),
    notes: graph.notes.map((note) => move(note, noteKey(note.id))),
  };
}

export function updateNode(graph: Graph, id: string, changes: Partial<GraphNode>): Graph {
  return { ...graph, nodes: graph.nodes.map((node) => (node.id === id ? { ...node, ...changes } : node)) };
}

export function updateNote(graph: Graph, id: string, changes: Partial<Note>): Graph {
  return { ...graph, notes: graph.notes.map((note) => (note.id === id ? { ...note, ...changes } : note)) };
}

/** Replaces the configuration. The connections of a renamed case of a `switch` follow its name. */
export function setConfig(graph: Graph, id: string, config: Config): Graph {
  const node = graph.nodes.find((node) => node.id === id);
  const changed = updateNode(graph, id, { config });
  if (node?.type !== "switch") return changed;
  const ports = graph.connections.filter(({ from }) => from.node === id).map(({ from }) => from.port);
  const renamed = findRenamedCase(caseNames(node.config), caseNames(config), ports);
  if (renamed === null) return changed;
  return {
    ...changed,
    connections: changed.connections.map((connection) =>
      connection.from.node === id && connection.from.port === renamed.from
        ? { ...connection, from: { node: id, port: renamed.to } }
        : connection,
    ),
  };
}

/**
 * The port of the only case whose name differs, before and after. While its name is written, it can be empty or that of
 * another case: the connections keep the old port until then.
 */
function findRenamedCase(before: string[], after: string[], ports: string[]): { from: string; to: string } | null {
  const differing = before.flatMap((name, index) => (name === after[index] ? [] : [index]));
  const [index] = differing;
  if (before.length !== after.length || differing.length !== 1 || index === undefined) return null;
  const [from = "", to = ""] = [before[index], after[index]];
  if (isUnclear(to, index, after)) return null;
  if (!isUnclear(from, index, before)) return { from, to };
  const reserved = [...before, "default", "error"];
  const [left, ...others] = new Set(ports.filter((port) => !reserved.includes(port)));
  return left === undefined || others.length > 0 ? null : { from: left, to };
}

const isUnclear = (name: string, index: number, names: string[]) =>
  name === "" || name === "default" || names.some((other, at) => at !== index && other === name);
