import { type QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, builder, timedAnswer } from "../../api/client";
import type { RunState, Wait } from "../../api/types";
import { fitsSteps } from "./timeline";

export interface RunId {
  workflowId: string;
  runId: string;
}

const pathOf = ({ workflowId, runId }: RunId) => ({ path: { id: workflowId, run_id: runId } });

/** The document restricts the parameter in a way that no text can have, as far as the generated types know. */
const allWaits = "all" as "all" & Record<string, never>;

function loadRun(id: RunId) {
  const params = { ...pathOf(id), query: { waiting: allWaits } };
  return timedAnswer(builder.GET("/builder/v1/workflows/{id}/runs/{run_id}", { params }));
}

function loadTrace(id: RunId) {
  return timedAnswer(builder.GET("/builder/v1/workflows/{id}/runs/{run_id}/trace", { params: pathOf(id) }));
}

const headKey = ({ runId }: RunId) => ["run", runId, "head"];
const traceKey = ({ runId }: RunId) => ["run", runId, "trace"];

export function useRun(id: RunId) {
  return useQuery({
    queryKey: headKey(id),
    queryFn: () => loadRun(id),
    select: ({ body, readAt }) => ({ ...body.data, readAt }),
  });
}

export function useTrace(id: RunId) {
  return useQuery({
    queryKey: traceKey(id),
    queryFn: () => loadTrace(id),
    select: ({ body, readAt }) => ({ ...body.data, readAt }),
  });
}

const pagesKey = ({ runId }: RunId) => ["run", runId, "pages"];

/** The pages of forms that the run waits for. */
export function useFormPages(id: RunId) {
  return useQuery({
    queryKey: pagesKey(id),
    queryFn: () => answer(builder.GET("/builder/v1/workflows/{id}/runs/{run_id}/form-pages", { params: pathOf(id) })),
    select: ({ data }) => data,
  });
}

/** Reads what events change. The values and the analytics of steps that have ended stay. */
export function refreshRun(queries: QueryClient, id: RunId) {
  const refresh = (queryKey: string[]) => queries.refetchQueries({ queryKey }, { throwOnError: true });
  return Promise.all([refresh(headKey(id)), refresh(traceKey(id)), refresh(pagesKey(id))]);
}

/** Whether the state of the run and its steps, as they were read last, fit together. */
export function isSettled(queries: QueryClient, id: RunId): boolean {
  const head = queries.getQueryData<Awaited<ReturnType<typeof loadRun>>>(headKey(id));
  const trace = queries.getQueryData<Awaited<ReturnType<typeof loadTrace>>>(traceKey(id));
  return head === undefined || trace === undefined || fitsSteps(head.body.data.state, trace.body.data.spans);
}

/** Where the time of a run that has ended went. */
export function useCriticalPath(id: RunId, enabled: boolean) {
  return useQuery({
    queryKey: ["run", id.runId, "analytics"],
    enabled,
    staleTime: Infinity,
    queryFn: () => answer(builder.GET("/builder/v1/workflows/{id}/runs/{run_id}/analytics", { params: pathOf(id) })),
    select: ({ data }) => data.criticalPath,
  });
}

/** The values of a step that were left out of the trace because the whole trace is too large. */
export async function loadStep(id: RunId, step: string) {
  const params = { ...pathOf(id), query: { step } };
  const { data } = await answer(builder.GET("/builder/v1/workflows/{id}/runs/{run_id}/trace", { params }));
  return data.spans;
}

/** Ends a run. A repetition changes nothing. */
export function useEnd(id: RunId) {
  return useRunMutation(id, (kind: "stop" | "cancel") => {
    const params = pathOf(id);
    return kind === "stop"
      ? answer(builder.POST("/builder/v1/workflows/{id}/runs/{run_id}/stop", { params }))
      : answer(builder.POST("/builder/v1/workflows/{id}/runs/{run_id}/cancel", { params }));
  });
}

/** Starts a new run from a node. The same key starts no second one. */
export function useRetry(id: RunId) {
  return useRunMutation(id, (body: { fromNode: string | null; idempotencyKey: string }) =>
    answer(builder.POST("/builder/v1/workflows/{id}/runs/{run_id}/retry", { params: pathOf(id), body })),
  );
}

function useRunMutation<In, Out>(id: RunId, mutationFn: (input: In) => Promise<Out>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn,
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
