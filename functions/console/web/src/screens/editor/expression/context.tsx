import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import { type Draft, useDraft } from "../draft";
import { useLastValues } from "../lastValues";
import type { Graph, GraphNode, NodeType } from "../model/types";
import { evaluate } from "./evaluate";
import { findNeeds } from "./needs";
import { type LastValues, loopsAround, type Scope, scopeOf } from "./scope";

const Context = createContext<Scope | null>(null);

interface ExpressionValuesProps {
  draft: Draft;
  types: ReadonlyMap<string, NodeType>;
  node: GraphNode;
  children: ReactNode;
}

/** Gives the fields of a node the values that their expressions see. */
export function ExpressionValues({ draft, types, node, children }: ExpressionValuesProps) {
  const last = useLastValues(draft);
  const graph = useDraft(draft, (state) => state.graph);
  const item = useItem(graph, types, last, node);
  const scope = useMemo(() => scopeOf(graph, types, last, node, item), [graph, types, last, node, item]);
  return <Context value={scope}>{children}</Context>;
}

export function useScope(): Scope {
  const scope = useContext(Context);
  if (scope === null) throw new Error("useScope needs ExpressionValues");
  return scope;
}

/** The first element of the loop around a node, which only the loop's own expression knows. */
function useItem(graph: Graph, types: ReadonlyMap<string, NodeType>, last: LastValues, node: GraphNode): unknown {
  const [item, setItem] = useState<unknown>(undefined);
  const loops = useMemo(() => loopsAround(graph, node.id), [graph, node.id]);
  const lists = loops.map((id) => listOf(graph, id) ?? "").join("\n");
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

const listOf = (graph: Graph, loop: string): string | undefined => {
  const list = graph.nodes.find(({ id }) => id === loop)?.config?.["items"];
  return typeof list === "string" && list.trim() !== "" ? list : undefined;
};

async function loadItem(graph: Graph, types: ReadonlyMap<string, NodeType>, last: LastValues, loops: readonly string[]): Promise<unknown> {
  let item: unknown;
  for (const id of loops) {
    const loop = graph.nodes.find((node) => node.id === id);
    const list = listOf(graph, id);
    if (loop === undefined || list === undefined) return undefined;
    // The list may end with a comment.
    const expression = `(${list}\n)[0]`;
    const { data } = findNeeds(expression, "cel", scopeOf(graph, types, last, loop, item));
    item = (await evaluate(expression, "cel", data)).value;
  }
  return item;
}
