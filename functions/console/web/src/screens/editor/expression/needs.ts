import type { Scope } from "./scope";
import { type ExpressionLanguage, type Token, tokenize } from "./tokens";

export type Data = Record<string, unknown>;

export interface Needs {
  /** The values of the variables that the expression uses. */
  data: Data;
  /** The variables without a value. */
  missing: string[];
  usesVariables: boolean;
}

/** Finds the values that an expression needs. Only these are sent. */
export function findNeeds(expression: string, language: ExpressionLanguage, scope: Scope): Needs {
  const tokens = tokenize(expression, language);
  const used = new Set(tokens.filter(({ kind }) => kind === "root").map(({ text }) => text));
  const data: Data = {};
  const missing: string[] = [];
  if (used.has("input")) {
    if (scope.input.value === undefined) missing.push("input");
    else data["input"] = scope.input.value;
  }
  if (used.has("nodes")) {
    const ids = namedNodes(tokens) ?? [...scope.nodes.keys()];
    const outputs = ids.map((id) => [id, { output: scope.nodes.get(id)?.output.value }] as const);
    data["nodes"] = Object.fromEntries(outputs.filter(([, { output }]) => output !== undefined));
    missing.push(...outputs.filter(([id, { output }]) => output === undefined && scope.nodes.has(id)).map(([id]) => `nodes.${id}`));
  }
  if (used.has("vars")) {
    if (scope.item.value === undefined) missing.push("vars");
    else data["vars"] = { item: scope.item.value, index: 0 };
  }
  // The last values are those of the nodes, not of the run.
  if (used.has("run")) missing.push("run");
  return { data, missing, usesVariables: used.size > 0 };
}

/** The ids of the nodes that are named; null if some are only known in a run. */
function namedNodes(tokens: readonly Token[]): string[] | null {
  const ids = new Set<string>();
  for (const [index, token] of tokens.entries()) {
    if (token.kind !== "root" || token.text !== "nodes") continue;
    const [sign, name] = tokens.slice(index + 1, index + 3);
    if (name === undefined) continue;
    if (sign?.text === ".") ids.add(name.text.replaceAll("`", ""));
    else if (sign?.text === "[" && name.kind === "string") ids.add(name.text.slice(1, -1));
    else return null;
  }
  return [...ids];
}
