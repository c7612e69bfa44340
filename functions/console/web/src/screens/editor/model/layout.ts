import { NODE_WIDTH, nodeHeight, portsOf } from "./ports";
import type { Graph, NodeType, Position } from "./types";

export interface LayoutRequest {
  request: number;
  nodes: { id: string; width: number; height: number }[];
  edges: { from: string; to: string }[];
}

export interface LayoutAnswer {
  request: number;
  positions: (readonly [string, Position])[];
}

let worker: Worker | undefined;
let last = 0;

/** Arranges all nodes from left to right. */
export function arrange(graph: Graph, types: ReadonlyMap<string, NodeType>): Promise<Map<string, Position>> {
  worker ??= new Worker(new URL("./layout.worker.ts", import.meta.url), { type: "module" });
  const { promise, resolve, reject } = withResolvers<Map<string, Position>>();
  last += 1;
  const request = last;
  const current = worker;
  const stop = () => {
    current.removeEventListener("message", receive);
    current.removeEventListener("error", fail);
  };
  const receive = ({ data }: MessageEvent<LayoutAnswer>) => {
    if (data.request !== request) return;
    stop();
    resolve(new Map(data.positions));
  };
  const fail = (event: ErrorEvent) => {
    stop();
    // It may not have loaded, or be in an unknown state. The next request starts another one.
    current.terminate();
    if (worker === current) worker = undefined;
    reject(new Error(event.message));
  };
  current.addEventListener("message", receive);
  current.addEventListener("error", fail);
  current.postMessage({
    request,
    nodes: graph.nodes.map((node) => ({
      id: node.id,
      width: NODE_WIDTH,
      height: nodeHeight(portsOf(node, types.get(node.type), graph.connections)),
    })),
    edges: graph.connections.map(({ from, to }) => ({ from: from.node, to: to.node })),
  } satisfies LayoutRequest);
  return promise;
}

function withResolvers<T>() {
  let resolve!: (value: T) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<T>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  return { promise, resolve, reject };
}

/** Gives each node a position. Nodes that have one stay where they are. */
export async function placeNodes(graph: Graph, types: ReadonlyMap<string, NodeType>): Promise<Graph> {
  if (graph.nodes.every((node) => node.position)) return graph;
  // Without a layout, the nodes are below each other: the person can still edit them.
  const positions = await arrange(graph, types).catch(
    () => new Map(graph.nodes.map((node, index): [string, Position] => [node.id, { x: 0, y: index * 140 }])),
  );
  const nodes = graph.nodes.map((node) => (node.position ? node : { ...node, position: positions.get(node.id) ?? { x: 0, y: 0 } }));
  return { ...graph, nodes };
}
