import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, builder } from "../../api/client";
import type { RunState, Wait } from "../../api/types";

export interface RunId {
  workflowId: string;
  runId: string;
}

const pathOf = ({ workflowId, runId }: RunId) => ({ path: { id: workflowId, run_id: runId } });

/** The document restricts the parameter in a way that no text can have, as far as the generated types know. */
const allWaits = "all" as "all" & Record<string, never>;

export function useRun(id: RunId) {
  return useQuery({
    queryKey: ["run", id.runId, "head"],
    queryFn: () =>
      answer(
        builder.GET("/builder/v1/workflows/{id}/runs/{run_id}", { params: { ...pathOf(id), query: { waiting: allWaits } } }),
      ),
    select: ({ data }) => data,
  });
}

export function useTrace(id: RunId) {
  return useQuery({
    queryKey: ["run", id.runId, "trace"],
    queryFn: () => answer(builder.GET("/builder/v1/workflows/{id}/runs/{run_id}/trace", { params: pathOf(id) })),
    select: ({ data }) => data,
  });
}

/** The values of a step that were left out of the trace because the whole trace is too large. */
export async function loadStep(id: RunId, step: string) {
  const params = { ...pathOf(id), query: { step } };
  const { data } = await answer(builder.GET("/builder/v1/workflows/{id}/runs/{run_id}/trace", { params }));
  return data.spans;
}

export type Control = { kind: "stop" } | { kind: "cancel" } | { kind: "retry"; fromNode: string | null };

export function useControl(id: RunId) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (control: Control) => {
      const params = pathOf(id);
      switch (control.kind) {
        case "stop":
          return answer(builder.POST("/builder/v1/workflows/{id}/runs/{run_id}/stop", { params }));
        case "cancel":
          return answer(builder.POST("/builder/v1/workflows/{id}/runs/{run_id}/cancel", { params }));
        case "retry":
          return answer(
            builder.POST("/builder/v1/workflows/{id}/runs/{run_id}/retry", { params, body: { fromNode: control.fromNode } }),
          );
      }
    },
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ["run", id.runId] }),
        queries.invalidateQueries({ queryKey: ["runs"] }),
        queries.invalidateQueries({ queryKey: ["reviews"] }),
      ]),
  });
}

export function hasEnded(state: RunState): boolean {
  return state === "completed" || state === "failed" || state === "cancelled";
}

export function listWaits(waiting: Wait | Wait[] | null): Wait[] {
  if (waiting === null) return [];
  return Array.isArray(waiting) ? waiting : [waiting];
}
