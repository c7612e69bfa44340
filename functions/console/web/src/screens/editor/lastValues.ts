import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { answer, builder } from "../../api/client";
import { type Draft, useDraft } from "./draft";
import type { PreviewResult } from "./model/types";

export interface LastValue {
  value: unknown;
  port: string | null;
  source: "pinned" | "preview" | "run";
}

/** The values of the last try, or else of the last run. What is too large for the answer is left out. */
export interface LastValues {
  input: unknown;
  outputs: ReadonlyMap<string, LastValue>;
}

const NONE: LastValues = { input: undefined, outputs: new Map() };

export function useLastValues(draft: Draft): LastValues {
  const tried = useDraft(draft, (state) => state.tried);
  const { data: run = NONE } = useQuery({
    queryKey: ["last-values", draft.id],
    enabled: tried === null,
    queryFn: () => loadLastRun(draft.id),
  });
  return useMemo(() => (tried === null ? run : readPreview(tried)), [tried, run]);
}

function readPreview({ nodes }: PreviewResult): LastValues {
  const outputs = new Map<string, LastValue>();
  for (const { nodeId, action, port, output, outputBytes, pinned } of nodes) {
    if (port === null || outputBytes !== null || action !== null) continue;
    outputs.set(nodeId, { value: output, port, source: pinned ? "pinned" : "preview" });
  }
  return { input: outputs.get(nodes[0]?.nodeId ?? "")?.value, outputs };
}

async function loadLastRun(id: string): Promise<LastValues> {
  const { data: [run] } = await answer(builder.GET("/builder/v1/workflows/{id}/runs", { params: { path: { id }, query: { limit: 1 } } }));
  if (run === undefined) return NONE;
  const { data } = await answer(
    builder.GET("/builder/v1/workflows/{id}/runs/{run_id}/trace", { params: { path: { id, run_id: run.id } } }),
  );
  const outputs = new Map<string, LastValue>();
  for (const { nodeId, action, port, output, omitted } of data.spans.flatMap(function list(span): typeof data.spans {
    return [span, ...span.children.flatMap(list)];
  })) {
    if (port === null || action !== null || omitted.includes("output")) continue;
    outputs.set(nodeId, { value: output, port, source: "run" });
  }
  return { input: outputs.get(data.spans[0]?.nodeId ?? "")?.value, outputs };
}
