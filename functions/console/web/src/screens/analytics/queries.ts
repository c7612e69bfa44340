import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { answer, builder } from "../../api/client";
import type { RunSummary } from "../../api/types";
import { MOST_WORKFLOWS } from "./filters";

/** The workflows of the person: first those whose runs ended last. */
export function useOwnWorkflows() {
  return useQuery({
    queryKey: ["runs", "summaries"],
    queryFn: () => answer(builder.GET("/builder/v1/workflows/runs/summaries")),
    select: ({ data }): RunSummary[] =>
      [...data].sort((a, b) => (b.lastFinishedAt ?? "").localeCompare(a.lastFinishedAt ?? "") || a.name.localeCompare(b.name)),
  });
}

interface Asked {
  workflowIds: string[];
  from: string;
  to: string;
}

export function useAnalyticsOf({ workflowIds, from, to }: Asked, enabled: boolean) {
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return useQuery({
    enabled: enabled && workflowIds.length > 0 && workflowIds.length <= MOST_WORKFLOWS,
    queryKey: ["runs", "analytics", workflowIds, from, to, timezone],
    placeholderData: keepPreviousData,
    queryFn: () =>
      answer(
        builder.GET("/builder/v1/analytics", { params: { query: { workflowIds, from, to, ...(timezone && { timezone }) } } }),
      ),
    select: ({ data }) => data,
  });
}
