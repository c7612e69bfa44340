import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, builder } from "../../api/client";

export interface Decision {
  nodeId: string;
  decision: "approve" | "reject";
  fields: Record<string, unknown>;
  comment: string | null;
}

/** Approves or rejects a review. The first decision counts. */
export function useResolve(workflowId: string, runId: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: Decision) =>
      answer(
        builder.POST("/builder/v1/workflows/{id}/runs/{run_id}/resolve-wait", {
          params: { path: { id: workflowId, run_id: runId } },
          body,
        }),
      ),
    // After an error too: somebody else may have decided.
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ["reviews"] }),
        queries.invalidateQueries({ queryKey: ["runs"] }),
        queries.invalidateQueries({ queryKey: ["run", runId] }),
      ]),
  });
}
