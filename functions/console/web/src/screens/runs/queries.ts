import { useInfiniteQuery } from "@tanstack/react-query";
import { answer, builder } from "../../api/client";
import type { RunEntry, SeenRun } from "../../api/types";
import { type RunFilters, toParameters } from "./filters";

const PAGE = 30;

/** A run of a list. The runs of one workflow do not name it. */
export type ListedRun = RunEntry & Partial<Pick<SeenRun, "workflow">>;

interface Page {
  data: ListedRun[];
  meta: { nextCursor: string | null };
}

export function useRuns(filters: RunFilters) {
  return useInfiniteQuery({
    queryKey: ["runs", "list", filters],
    initialPageParam: "",
    queryFn: ({ pageParam }): Promise<Page> => {
      const query = { ...toParameters(filters), limit: PAGE, ...(pageParam && { cursor: pageParam }) };
      if (!filters.workflow) return answer(builder.GET("/builder/v1/runs", { params: { query } }));
      return answer(builder.GET("/builder/v1/workflows/{id}/runs", { params: { path: { id: filters.workflow }, query } }));
    },
    getNextPageParam: (page: Page) => page.meta.nextCursor ?? undefined,
  });
}
