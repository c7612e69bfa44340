// Parts of a graph as a text. Another program may have written the text: nothing in it is as expected.
import { noteKey, uniqueId } from "./graph";
import { connectionKey } from "./merge";
import { inputNames, outputNames } from "./ports";
import type { Connection, Graph, GraphNode, NodeType, Note, Position } from "./types";

const SHIFT = 40;
const BELOW = 140;
/** The limits of the platform for a whole graph. */
const MAX_CHARACTERS = 2 * 1024 * 1024;
const MAX = { nodes: 500, notes: 200, connections: 2000 } as const;

/** What a text has, and the number of its nodes, notes and connections that cannot be used. */
export type Part = { kind: "part"; part: Graph; refused: number } | { kind: "none" | "tooLarge" };

type Types = ReadonlyMap<string, NodeType>;
type Fields = Record<string, unknown>;

/** The selected nodes and notes with the connections between them, as a JSON text. */
export function copyItems(graph: Graph, keys: ReadonlySet<string>): string {
  const part: Graph = {
    nodes: graph.nodes.filter((node) => keys.has(node.id)),
    notes: graph.notes.filter((note) => keys.has(noteKey(note.id))),
    connections: graph.connections.filter(({ from, to }) => keys.has(from.node) && keys.has(to.node)),
  };
  return JSON.stringify(part, null, 2);
}

/** Reads nodes, notes and connections from a text: a copied part, a graph, or an exported workflow. */
export function readItems(text: string, types: Types): Part {
  if (text.length > MAX_CHARACTERS) return { kind: "tooLarge" };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: "none" };
  }
  const graph = isFields(value) && "graph" in value ? value["graph"] : value;
  if (!isFields(graph) || (!Array.isArray(graph["nodes"]) && !Array.isArray(graph["notes"]))) return { kind: "none" };
  const listOf = (key: keyof typeof MAX): unknown[] => (Array.isArray(graph[key]) ? graph[key] : []);
  const lists = { nodes: listOf("nodes"), notes: listOf("notes"), connections: listOf("connections") };
  if (isTooLarge(lists)) return { kind: "tooLarge" };
  const nodes = distinct(lists.nodes.flatMap((item) => readNode(item, types) ?? []), ({ id }) => id);
  const notes = distinct(lists.notes.flatMap((item) => readNote(item) ?? []), ({ id }) => id);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const connections = distinct(lists.connections.flatMap((item) => readConnection(item, byId, types) ?? []), connectionKey);
  const read = nodes.length + notes.length + connections.length;
  const given = lists.nodes.length + lists.notes.length + lists.connections.length;
  return { kind: "part", part: { nodes, notes, connections }, refused: given - read };
}

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);
const isId = (value: unknown): value is string => typeof value === "string" && /^[\w-]{1,64}$/.test(value);

type Lists = Record<keyof typeof MAX, readonly unknown[]>;

/** Whether it has more than a workflow can have. */
export function isTooLarge(lists: Lists): boolean {
  return (Object.keys(MAX) as (keyof typeof MAX)[]).some((key) => lists[key].length > MAX[key]);
}

function distinct<T>(items: T[], keyOf: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}

/** A node of a known type, or null. */
function readNode(item: unknown, types: Types): GraphNode | null {
  if (!isFields(item)) return null;
  const { id, type, name, config = {}, position } = item;
  if (!isId(id) || !isId(type) || !types.has(type) || !isFields(config)) return null;
  return { id, type, name: readText(name, 200), config, position: readPosition(position) };
}

function readNote(item: unknown): Note | null {
  if (!isFields(item)) return null;
  const position = readPosition(item["position"]);
  if (!isId(item["id"]) || position === null) return null;
  const note: Note = { id: item["id"], text: readText(item["text"], 4000), position };
  const { size, color } = item;
  if (isFields(size) && isLength(size["width"]) && isLength(size["height"])) note.size = { width: size["width"], height: size["height"] };
  if (typeof color === "string" && /^#[0-9a-f]{6}$/i.test(color)) note.color = color;
  return note;
}

const isLength = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value) && value > 0;
const readText = (value: unknown, limit: number) => (typeof value === "string" ? value.slice(0, limit) : "");

function readPosition(value: unknown): Position | null {
  if (!isFields(value) || !Number.isFinite(value["x"]) || !Number.isFinite(value["y"])) return null;
  return { x: value["x"] as number, y: value["y"] as number };
}

/** A connection between two read nodes. An end can be the id of a node alone, if the node has only one such port. */
function readConnection(item: unknown, nodes: ReadonlyMap<string, GraphNode>, types: Types): Connection | null {
  if (!isFields(item)) return null;
  const from = readEnd(item["from"], nodes, (node) => outputNames(node, types.get(node.type)).filter((name) => name !== "error"));
  const to = readEnd(item["to"], nodes, (node) => inputNames(node, types.get(node.type)));
  return from === null || to === null || from.node === to.node ? null : { from, to };
}

function readEnd(end: unknown, nodes: ReadonlyMap<string, GraphNode>, portsOf: (node: GraphNode) => string[]) {
  const { node: id, port } = typeof end === "string" ? { node: end, port: undefined } : isFields(end) ? end : {};
  const node = typeof id === "string" ? nodes.get(id) : undefined;
  if (node === undefined) return null;
  if (typeof port === "string" && port !== "") return { node: node.id, port: port.slice(0, 64) };
  const [only, ...others] = portsOf(node);
  return port !== undefined || only === undefined || others.length > 0 ? null : { node: node.id, port: only };
}

/** Adds copied items with ids of their own, a little beside the originals or around a point. */
export function pasteItems(graph: Graph, part: Graph, at: Position | null): { graph: Graph; keys: Set<string> } {
  const rename = (items: readonly { id: string }[], existing: readonly { id: string }[]) => {
    const taken = new Set(existing.map((item) => item.id));
    const names = new Map<string, string>();
    for (const { id } of items) {
      const fresh = uniqueId(id, taken);
      taken.add(fresh);
      names.set(id, fresh);
    }
    return names;
  };
  const nodeIds = rename(part.nodes, graph.nodes);
  const noteIds = rename(part.notes, graph.notes);
  const places = [...part.nodes, ...part.notes].flatMap((item) => (item.position ? [item.position] : []));
  const left = places.length === 0 ? 0 : Math.min(...places.map(({ x }) => x));
  const top = places.length === 0 ? 0 : Math.min(...places.map(({ y }) => y));
  const shift = ({ x, y }: Position): Position =>
    at === null ? { x: x + SHIFT, y: y + SHIFT } : { x: Math.round(at.x + x - left), y: Math.round(at.y + y - top) };
  const nodes = part.nodes.map((node, index) => ({
    ...node,
    id: nodeIds.get(node.id) ?? node.id,
    name: node.name ?? "",
    config: renameReferences(node.config ?? {}, nodeIds) as NonNullable<GraphNode["config"]>,
    // Those without a place are below each other.
    position: shift(node.position ?? { x: left, y: top + index * BELOW }),
  }));
  const notes = part.notes.map((note) => ({ ...note, id: noteIds.get(note.id) ?? note.id, position: shift(note.position) }));
  const connections = part.connections.flatMap(({ from, to }): Connection[] => {
    const [source, target] = [nodeIds.get(from.node), nodeIds.get(to.node)];
    if (source === undefined || target === undefined) return [];
    return [{ from: { ...from, node: source }, to: { ...to, node: target } }];
  });
  return {
    graph: {
      nodes: [...graph.nodes, ...nodes],
      notes: [...graph.notes, ...notes],
      connections: [...graph.connections, ...connections],
    },
    keys: new Set([...nodes.map((node) => node.id), ...notes.map((note) => noteKey(note.id))]),
  };
}

/** `nodes.ask`, `nodes["b-c"]` and `nodes['b-c']`. */
const REFERENCE = /(?<![\w.])nodes(?:(\s*\.\s*)([A-Za-z_]\w*)|(\s*\[\s*)(["'])([\w-]+)\4)/g;

/** Expressions such as `nodes.ask.output` follow a node that was pasted with another id. */
function renameReferences(value: unknown, ids: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") {
    return value.replace(REFERENCE, (whole, dot: string, name: string, bracket: string, quote: string, quoted: string) => {
      const fresh = ids.get(name ?? quoted);
      if (fresh === undefined) return whole;
      if (name === undefined) return `nodes${bracket}${quote}${fresh}${quote}`;
      // An id with a hyphen needs brackets.
      return /^[A-Za-z_]\w*$/.test(fresh) ? `nodes${dot}${fresh}` : `nodes["${fresh}"]`;
    });
  }
  if (Array.isArray(value)) return value.map((item) => renameReferences(item, ids));
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renameReferences(item, ids)]));
}
