import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import { type Draft, useDraft } from "../draft";
import { useLastValues } from "../lastValues";
import { hasEach, hasRounds } from "../model/ports";
import type { Config, Graph, GraphNode, NodeType } from "../model/types";
import { evaluate } from "./evaluate";
import { type Expression, readExpression } from "./language";
import { findNeeds } from "./needs";
import { elementScopeOf, type LastValues, loopsAround, type Scope, scopeOf } from "./scope";

/** What the fields of a node see. `element` is for all fields but the list, if the node has `each`. */
interface Scopes {
  whole: Scope;
  element: Scope | null;
}

const Context = createContext<Scopes | null>(null);

interface ExpressionValuesProps {
  draft: Draft;
  types: ReadonlyMap<string, NodeType>;
  node: GraphNode;
  /** The graph with the node, if the node is not in the draft yet. */
  graph?: Graph;
  children: ReactNode;
}

/** Gives the fields of a node the values that their expressions see. */
export function ExpressionValues({ draft, types, node, graph: graphWithNode, children }: ExpressionValuesProps) {
  const last = useLastValues(draft);
  const ofDraft = useDraft(draft, (state) => state.graph);
  const graph = graphWithNode ?? ofDraft;
  const isRepeated = hasEach(node);
  const around = useMemo(() => loopsAround(graph, node.id), [graph, node.id]);
  const own = useMemo(() => (isRepeated ? [node.id, ...around] : []), [isRepeated, node.id, around]);
  const item = useItem(graph, types, last, around);
  const ownItem = useItem(graph, types, last, own);
  const scopes = useMemo(() => ({
    whole: scopeOf(graph, types, last, node, item),
    element: isRepeated ? elementScopeOf(graph, types, last, node, ownItem) : null,
  }), [graph, types, last, node, item, isRepeated, ownItem]);
  return <Context value={scopes}>{children}</Context>;
}

/** What the expression in a field sees, such as `config.url`. */
export function useScope(field: string): Scope {
  const scopes = useContext(Context);
  if (scopes === null) throw new Error("useScope needs ExpressionValues");
  return field === "config.each.items" ? scopes.whole : (scopes.element ?? scopes.whole);
}

/** The first element of the innermost of these loops, which only its own expression knows. */
function useItem(graph: Graph, types: ReadonlyMap<string, NodeType>, last: LastValues, loops: readonly string[]): unknown {
  const [item, setItem] = useState<unknown>(undefined);
  const lists = loops.flatMap((id) => Object.values(listOf(graph, id) ?? {})).join("\n");
  useEffect(() => {
    let isLeft = false;
    if (lists === "" || last.outputs.size === 0) {
      setItem(undefined);
      return;
    }
    // The outer loops are first.
    loadItem(graph, types, last, loops.toReversed()).then((found) => !isLeft && setItem(found), () => !isLeft && setItem(undefined));
    return () => {
      isLeft = true;
    };
    // A change of the lists or of the values is another element. Other changes of the graph are not.
  }, [lists, last]);
  return item;
}

const listOf = (graph: Graph, loop: string): Expression | undefined => {
  const node = graph.nodes.find(({ id }) => id === loop);
  const list = node !== undefined && hasEach(node) ? (node.config?.["each"] as Config)["items"] : node?.config?.["items"];
  // The first round gets the input of the loop.
  const expression = readExpression(node !== undefined && hasRounds(node) ? "[input]" : list, "cel");
  return expression.text.trim() === "" ? undefined : expression;
};

async function loadItem(graph: Graph, types: ReadonlyMap<string, NodeType>, last: LastValues, loops: readonly string[]): Promise<unknown> {
  let item: unknown;
  for (const id of loops) {
    const loop = graph.nodes.find((node) => node.id === id);
    const list = listOf(graph, id);
    if (loop === undefined || list === undefined) return undefined;
    // The list may end with a comment.
    const expression = `(${list.text}\n)[0]`;
    const { data } = findNeeds(expression, list.language, scopeOf(graph, types, last, loop, item));
    item = (await evaluate(expression, list.language, data)).value;
  }
  return item;
}
