import type { Config, Connection, GraphNode, NodeType } from "./types";

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

/** How the node works on items, if it does. */
export function itemModeOf({ config }: GraphNode): Record<string, unknown> | null {
  const mode = config?.["itemMode"];
  return typeof mode === "object" && mode !== null && !Array.isArray(mode) ? (mode as Record<string, unknown>) : null;
}

/** Whether a step is one element of a node with `each`, such as `send[2]/send`. */
export function isElement(step: string, nodeId: string): boolean {
  const [scope, last] = step.split("/").slice(-2);
  return last === nodeId && scope !== undefined && scope.replace(/\[\d+\]$/, "") === nodeId;
}

/** The output ports of a node's configuration. */
export function outputNames(node: GraphNode, type: NodeType | undefined): string[] {
  if (type === undefined) return [];
  const mode = itemModeOf(node);
  const { properties = {} } = (type.configSchema ?? {}) as { properties?: Config };
  const canRepeat = properties["each"] !== undefined;
  const isRepeated = hasEach(node) || (mode !== null && mode["run"] !== "all" && canRepeat);
  const names = isRepeated ? ["out"] : (ownNames(node) ?? type.outputs.map((port) => port.name));
  const branches = (type.errorOutput !== null && node.config?.["onError"] === "branch") || mode?.["onItemError"] === "branch";
  return [...new Set(branches ? [...names, type.errorOutput?.name ?? "error"] : names)];
}

/** The names that the configuration of a node gives to its ports; null for most types. */
function ownNames({ type, config }: GraphNode): string[] | null {
  if (type === "switch") return [...caseNames(config).filter(Boolean), "default"];
  return type === "placeholder" || type === "code" ? namesIn(config?.["outputs"]) : null;
}

const namesIn = (names: unknown): string[] | null =>
  Array.isArray(names) ? names.filter((name) => typeof name === "string" && name !== "") : null;

/** The names of the cases of a `switch`. One that has no name yet is empty. */
export function caseNames(config: GraphNode["config"]): string[] {
  const cases = config?.["cases"];
  if (!Array.isArray(cases)) return [];
  return cases.map((item: { name?: unknown } | null) => (typeof item?.name === "string" ? item.name : ""));
}

export function inputNames(node: GraphNode, type: NodeType | undefined): string[] {
  const own = node.type === "code" ? namesIn(node.config?.["inputs"]) : null;
  const names = own ?? type?.inputs.map((port) => port.name) ?? [];
  return hasRounds(node) ? [...names, "result"] : names;
}

/** Whether the node is a loop without a list. It repeats its body as long as something comes back. */
export const hasRounds = ({ type, config }: GraphNode): boolean => type === "loop" && config?.["maxRounds"] !== undefined;

/** Whether a connection into a node leads from the body of a loop back to it. */
export const leadsBack = (type: string | undefined, port: string): boolean => type === "loop" && (port === "next" || port === "result");

/** The ports of a node, with those that only its connections name. */
export function portsOf(node: GraphNode, type: NodeType | undefined, connections: readonly Connection[]): Ports {
  const inputs = inputNames(node, type);
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
