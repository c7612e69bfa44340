import type { Connection, GraphNode, NodeType } from "./types";

export interface Port {
  name: string;
  /** The port does not exist: only a connection names it. */
  unknown: boolean;
}

export interface Ports {
  inputs: Port[];
  outputs: Port[];
}

/** Whether the node runs for each element of a list. Then its value is the list of results, at one port. */
export const hasEach = ({ config }: GraphNode): boolean => typeof config?.["each"] === "object" && config["each"] !== null;

/** Whether a step is one element of a node with `each`, such as `send[2]/send`. */
export function isElement(step: string, nodeId: string): boolean {
  const [scope, last] = step.split("/").slice(-2);
  return last === nodeId && scope !== undefined && scope.replace(/\[\d+\]$/, "") === nodeId;
}

/** The output ports of a node's configuration. */
export function outputNames(node: GraphNode, type: NodeType | undefined): string[] {
  if (type === undefined) return [];
  const names = hasEach(node) ? ["out"] : (ownNames(node) ?? type.outputs.map((port) => port.name));
  const branches = type.errorOutput !== null && node.config?.["onError"] === "branch";
  return [...new Set(branches ? [...names, type.errorOutput?.name ?? "error"] : names)];
}

/** The names that the configuration of a node gives to its ports; null for most types. */
function ownNames({ type, config }: GraphNode): string[] | null {
  if (type === "switch") return [...caseNames(config).filter(Boolean), "default"];
  const outputs = type === "placeholder" ? config?.["outputs"] : undefined;
  return Array.isArray(outputs) ? outputs.filter((name) => typeof name === "string" && name !== "") : null;
}

/** The names of the cases of a `switch`. One that has no name yet is empty. */
export function caseNames(config: GraphNode["config"]): string[] {
  const cases = config?.["cases"];
  if (!Array.isArray(cases)) return [];
  return cases.map((item: { name?: unknown } | null) => (typeof item?.name === "string" ? item.name : ""));
}

export function inputNames(type: NodeType | undefined): string[] {
  return type?.inputs.map((port) => port.name) ?? [];
}

/** The ports of a node, with those that only its connections name. */
export function portsOf(node: GraphNode, type: NodeType | undefined, connections: readonly Connection[]): Ports {
  const inputs = inputNames(type);
  const outputs = outputNames(node, type);
  const list = (known: string[], used: string[]) =>
    [...new Set([...known, ...used])].map((name) => ({ name, unknown: !known.includes(name) }));
  return {
    inputs: list(inputs, connections.filter(({ to }) => to.node === node.id).map(({ to }) => to.port)),
    outputs: list(outputs, connections.filter(({ from }) => from.node === node.id).map(({ from }) => from.port)),
  };
}

export const NODE_WIDTH = 232;

/** The height of a node's card. The card has fixed sizes, so that large graphs need no measuring. */
export function nodeHeight({ inputs, outputs }: Ports): number {
  return 62 + Math.max(inputs.length, outputs.length, 1) * 24;
}
