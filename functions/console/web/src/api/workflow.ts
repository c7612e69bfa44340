import { useQuery } from "@tanstack/react-query";
import { answer, builder } from "./client";

/** A workflow with its draft. Without an id, nothing is loaded. */
export function useWorkflow(id: string) {
  return useQuery({
    queryKey: ["workflow", id],
    enabled: id !== "",
    queryFn: () => answer(builder.GET("/builder/v1/workflows/{id}", { params: { path: { id } } })),
    select: ({ data }) => data,
  });
}

/** The graph of a release. That of the draft is part of the workflow. */
export function useReleaseGraph(id: string, target: string) {
  return useQuery({
    queryKey: ["workflow", id, "manifest", target],
    enabled: target !== "draft",
    staleTime: Infinity,
    queryFn: () =>
      answer(
        builder.GET("/builder/v1/workflows/{id}/releases/{release_id}/manifest", {
          params: { path: { id, release_id: target } },
        }),
      ),
    select: ({ data }) => data.graph,
  });
}
