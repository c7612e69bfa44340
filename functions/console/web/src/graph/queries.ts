import { useQuery } from "@tanstack/react-query";
import { answer, builder } from "../api/client";

/** `revision` is that of the draft, which the comparison depends on. */
export function useDiff(id: string, from: string, to: string, revision: number, enabled = true) {
  return useQuery({
    queryKey: ["workflow", id, "diff", from, to, to === "draft" ? revision : 0],
    staleTime: Infinity,
    enabled,
    queryFn: () =>
      answer(
        builder.GET("/builder/v1/workflows/{id}/releases/{release_id}/diff/{other}", {
          params: { path: { id, release_id: from, other: to } },
        }),
      ),
    select: ({ data }) => data,
  });
}
