// What the nodes received and returned last: pinned, in a preview, or in the latest run.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { answer, builder } from "../../api/client";
import type { Span } from "../../api/types";
import { type Draft, type Previewed, useDraft } from "./draft";
import type { Pins } from "./model/partial";
import { isElement } from "./model/ports";
import type { PreviewNode } from "./model/types";

export interface LastValue {
  value: unknown;
  port: string | null;
  source: "pinned" | "preview" | "run";
}

export interface LastValues {
  input: unknown;
  outputs: ReadonlyMap<string, LastValue>;
}

const NO_SPANS: readonly Span[] = [];

/** The latest run that ended, and its steps. Nothing is loaded until a part of the screen needs it. */
export function useLastRun(workflowId: string, enabled = true) {
  const latest = useQuery({
    queryKey: ["runs", "latest-ended", workflowId],
    enabled,
    queryFn: () =>
      answer(
        builder.GET("/builder/v1/workflows/{id}/runs", {
          params: { path: { id: workflowId }, query: { state: ["completed", "failed"], limit: 1 } },
        }),
      ),
    select: ({ data: [run] }) => (run === undefined || run.erasedAt !== null ? null : run),
  });
  const run = latest.data ?? null;
  const runId = run?.id ?? "";
  const trace = useQuery({
    queryKey: ["runs", "trace-of-ended", runId],
    enabled: enabled && runId !== "",
    staleTime: Infinity,
    queryFn: () => answer(builder.GET("/builder/v1/workflows/{id}/runs/{run_id}/trace", { params: { path: { id: workflowId, run_id: runId } } })),
    select: ({ data }) => data,
  });
  return {
    run,
    spans: run === null ? NO_SPANS : (trace.data?.spans ?? NO_SPANS),
    isPending: latest.isLoading || trace.isLoading,
    error: latest.error ?? trace.error,
  };
}

/** The last value of each node, and the last input of the workflow. */
export function useLastValues(draft: Draft, enabled = true): LastValues {
  const pins = useDraft(draft, (state) => state.pins);
  const previewed = useDraft(draft, (state) => state.previewed);
  const tried = useDraft(draft, (state) => state.tried);
  const { spans } = useLastRun(draft.id, enabled);
  return useMemo(() => {
    const outputs = mergeValues(pins, previewed, spans);
    const input = tried?.input ?? tried?.result.nodes[0]?.output ?? spans[0]?.output;
    return { input, outputs };
  }, [pins, previewed, tried, spans]);
}

/** A pin is newer than a preview, and a preview is nearer to the draft than a run. */
export function mergeValues(pins: Pins, previewed: ReadonlyMap<string, Previewed>, spans: readonly Span[]): ReadonlyMap<string, LastValue> {
  const outputs = new Map<string, LastValue>();
  for (const [id, { value, port }] of outputsOf(spans)) outputs.set(id, { value, port, source: "run" });
  for (const [id, { steps }] of previewed) {
    const last = steps.findLast((step) => hasOutput(step) && !isElement(step.step, id));
    if (last !== undefined) outputs.set(id, { value: last.output, port: last.port, source: "preview" });
  }
  for (const [id, { value, port }] of pins) outputs.set(id, { value, port, source: "pinned" });
  return outputs;
}

/** Whether a step of a preview has the output of its node. What an agent did on the way is not that. */
const hasOutput = ({ state, action, outputBytes }: PreviewNode) =>
  state === "completed" && action === null && outputBytes === null;

type Output = Pick<LastValue, "value" | "port">;
const known = new WeakMap<readonly Span[], ReadonlyMap<string, Output>>();

/** The last output of each node in a run. */
function outputsOf(spans: readonly Span[]): ReadonlyMap<string, Output> {
  const before = known.get(spans);
  if (before !== undefined) return before;
  const outputs = new Map<string, Output>();
  const visit = (span: Span) => {
    // A node with `each` has elements that are the same node: its own output is the list.
    span.children.forEach(visit);
    if (span.state === "completed" && span.action === null && !isElement(span.step, span.nodeId) && !span.omitted.includes("output")) {
      outputs.set(span.nodeId, { value: span.output, port: span.port });
    }
  };
  spans.forEach(visit);
  known.set(spans, outputs);
  return outputs;
}

/** All steps of a node in a run, also those inside of loops. */
export function spansOf(spans: readonly Span[], nodeId: string): Span[] {
  return spans.flatMap((span) => [...(span.nodeId === nodeId ? [span] : []), ...spansOf(span.children, nodeId)]);
}
