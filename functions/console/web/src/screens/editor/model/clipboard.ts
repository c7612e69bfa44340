import { noteKey, uniqueId } from "./graph";
import type { Connection, Graph, GraphNode, Note, Position } from "./types";

const SHIFT = 40;

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
export function readItems(text: string): Graph | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  const graph = ("graph" in value ? value.graph : value) as Partial<Graph> | null;
  if (typeof graph !== "object" || graph === null || (!Array.isArray(graph.nodes) && !Array.isArray(graph.notes))) return null;
  const isNode = (node: GraphNode) => /^[\w-]{1,64}$/.test(String(node?.id)) && /^[\w-]{1,64}$/.test(String(node?.type));
  const isNote = (note: Note) => /^[\w-]{1,64}$/.test(String(note?.id)) && typeof note.position?.x === "number";
  return {
    nodes: (graph.nodes ?? []).filter(isNode),
    notes: (graph.notes ?? []).filter(isNote),
    connections: (graph.connections ?? []).filter((connection: Connection) => connection?.from?.node && connection.to?.node),
  };
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
  const left = Math.min(...places.map(({ x }) => x));
  const top = Math.min(...places.map(({ y }) => y));
  const shift = (position: Position | null | undefined): Position =>
    at === null
      ? { x: (position?.x ?? 0) + SHIFT, y: (position?.y ?? 0) + SHIFT }
      : { x: Math.round(at.x + (position?.x ?? left) - left), y: Math.round(at.y + (position?.y ?? top) - top) };
  const nodes = part.nodes.map((node) => ({
    ...node,
    id: nodeIds.get(node.id) ?? node.id,
    name: node.name ?? "",
    config: renameReferences(node.config ?? {}, nodeIds) as NonNullable<GraphNode["config"]>,
    position: shift(node.position),
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

/** Expressions such as `nodes.ask.output` follow a node that was pasted with another id. */
function renameReferences(value: unknown, ids: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") {
    return value.replace(/\bnodes\.([\w-]+)/g, (whole, id: string) => {
      const fresh = ids.get(id);
      return fresh === undefined ? whole : `nodes.${fresh}`;
    });
  }
  if (Array.isArray(value)) return value.map((item) => renameReferences(item, ids));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renameReferences(item, ids)]));
}
