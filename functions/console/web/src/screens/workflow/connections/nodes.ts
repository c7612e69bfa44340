import type { WorkflowGraph } from "../../../api/types";

export type Node = NonNullable<WorkflowGraph["nodes"]>[number];

/** The name of a node as people see it. */
export const nameOfNode = ({ id, name }: Node): string => name || id;

/** Names nodes by their ids. A node that does not exist keeps its id. */
export function nodeNames(graph: WorkflowGraph): (id: string) => string {
  const names = new Map(graph.nodes?.map((node) => [node.id, nameOfNode(node)]));
  return (id) => names.get(id) ?? id;
}

/** A field of a node's configuration, if it is a text. */
export function textIn({ config }: Node, field: string): string | undefined {
  const value: unknown = config?.[field];
  return typeof value === "string" ? value : undefined;
}

/** The names of the nodes of a draft that use a credential: HTTP nodes by their configuration, others by their channel. */
export function nodesWithCredential(
  graph: WorkflowGraph,
  channels: readonly { nodeId: string; config: { credentialId?: string | null } }[],
  credentialId: string,
): Node[] {
  const byChannel = new Set(channels.filter(({ config }) => config.credentialId === credentialId).map(({ nodeId }) => nodeId));
  return (graph.nodes ?? []).filter((node) => byChannel.has(node.id) || textIn(node, "credentialId") === credentialId);
}
