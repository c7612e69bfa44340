import { queryOptions, useQuery } from "@tanstack/react-query";
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

/** What a release consists of. */
const manifestOf = (id: string, releaseId: string) =>
  queryOptions({
    queryKey: ["workflow", id, "manifest", releaseId],
    staleTime: Infinity,
    queryFn: () =>
      answer(
        builder.GET("/builder/v1/workflows/{id}/releases/{release_id}/manifest", {
          params: { path: { id, release_id: releaseId } },
        }),
      ),
  });

/** The graph, the channels and the dependencies of a release, if there is one. */
export function useManifest(id: string, releaseId: string | undefined) {
  return useQuery({ ...manifestOf(id, releaseId ?? ""), enabled: releaseId !== undefined, select: ({ data }) => data });
}

/** The graph of a release. That of the draft is part of the workflow. */
export function useReleaseGraph(id: string, target: string) {
  return useQuery({ ...manifestOf(id, target), enabled: target !== "draft", select: ({ data }) => data.graph });
}
