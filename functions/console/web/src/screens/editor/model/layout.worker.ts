// Computes the layout of a graph outside of the page's thread.
import { Graph, layout } from "@dagrejs/dagre";
import type { LayoutAnswer, LayoutRequest } from "./layout";

self.onmessage = ({ data }: MessageEvent<LayoutRequest>) => {
  const graph = new Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 40, ranksep: 90 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, width, height } of data.nodes) graph.setNode(id, { width, height });
  for (const { from, to } of data.edges) graph.setEdge(from, to);
  layout(graph);
  const positions = data.nodes.map(({ id, width, height }) => {
    const { x = 0, y = 0 } = graph.node(id) as { x?: number; y?: number };
    return [id, { x: Math.round(x - width / 2), y: Math.round(y - height / 2) }] as const;
  });
  self.postMessage({ request: data.request, positions } satisfies LayoutAnswer);
};
