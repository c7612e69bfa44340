import { useQuery } from "@tanstack/react-query";
import { answer, builder } from "../../api/client";
import type { RunSummary } from "../../api/types";
import { MOST_WORKFLOWS } from "./filters";

interface Counts { total: number; completed: number; failed: number; cancelled: number }
interface Duration { medianMs: number; p95Ms: number; meanMs: number }
interface Usage { requests: number; inputTokens: number; outputTokens: number; cost: number; costExact: string }
export type DayOfAll = Counts & { date: string; duration: Duration | null; usage: Usage };
export interface WorkflowPart {
  workflow: { id: string; name: string };
  runs: Counts;
  duration: Duration | null;
  usage: Usage;
  days: (Counts & { date: string })[];
}
export interface AllAnalytics {
  from: string;
  to: string;
  timezone: string;
  runs: Counts;
  duration: Duration | null;
  usage: Usage;
  days: DayOfAll[];
  failures: { workflowId: string; nodeId: string; runs: number }[];
  workflows: WorkflowPart[];
}

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
    placeholderData: (before: { data: AllAnalytics } | undefined) => before,
    queryFn: () =>
      answer<{ data: AllAnalytics }>(
        (builder.GET as never as (path: string, options: object) => Promise<{ data?: { data: AllAnalytics }; response: Response }>)(
          "/builder/v1/analytics",
          { params: { query: { workflowIds, from, to, ...(timezone && { timezone }) } } },
        ),
      ),
    select: ({ data }) => data,
  });
}
