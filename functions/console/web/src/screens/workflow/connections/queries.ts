import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, builder } from "../../../api/client";
import { readError } from "../../../api/errors";
import { randomKey } from "../../../api/random";
import type { WebhookOutcome } from "../../../api/types";
import { useChangeOf } from "../queries";

const SCHEDULED = 5;
const WATCH_MS = 3000;

/** The latest runs that schedules started. They are watched while one is in progress. */
export function useScheduledRuns(id: string) {
  return useQuery({
    queryKey: ["runs", "scheduled", id],
    refetchInterval: ({ state }) =>
      state.data?.data.some((run) => run.state === "queued" || run.state === "running") ? WATCH_MS : false,
    queryFn: () =>
      answer(
        builder.GET("/builder/v1/workflows/{id}/runs", {
          params: { path: { id }, query: { origin: ["scheduled"], limit: SCHEDULED } },
        }),
      ),
    select: ({ data }) => data,
  });
}

/** The answer of a webhook to a call. A call that failed may have started a run. */
export interface WebhookAnswer {
  status: number;
  runId: string | null;
  output: unknown;
  error: ReturnType<typeof readError> | null;
  durationMs: number;
}

/** Calls a webhook as another system would. */
export function useCallWebhook(id: string) {
  const queries = useQueryClient();
  return useMutation({
    gcTime: 0,
    mutationFn: async ({ webhookId, token, body }: { webhookId: string; token: string; body: unknown }): Promise<WebhookAnswer> => {
      const startedAt = performance.now();
      const { data, error, response } = await builder.POST("/hooks/v1/{webhook_id}", {
        params: { path: { webhook_id: webhookId }, header: { "Idempotency-Key": randomKey() } },
        headers: { Authorization: `Bearer ${token}` },
        body,
        parseAs: "text",
      });
      const { status } = response;
      const durationMs = Math.round(performance.now() - startedAt);
      if (response.ok) return { status, ...readAnswer(data ?? ""), error: null, durationMs };
      return {
        status,
        runId: readRunId(error),
        output: undefined,
        error: readError(status, response.headers.get("x-request-id"), error),
        durationMs,
      };
    },
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ["runs"] }),
        queries.invalidateQueries({ queryKey: ["workflow", id] }),
      ]),
  });
}

/** The response of a run: its id and output, or only the output, which may be any text. */
function readAnswer(text: string): Pick<WebhookAnswer, "runId" | "output"> {
  let answer: unknown = text;
  try {
    answer = JSON.parse(text);
  } catch {
    // It is no JSON.
  }
  const { runId, output } = (typeof answer === "object" && answer !== null ? answer : {}) as { runId?: unknown; output?: unknown };
  return typeof runId === "string" ? { runId, output } : { runId: null, output: answer };
}

function readRunId(error: unknown): string | null {
  const runId = (error as { error?: { details?: { runId?: unknown } } } | undefined)?.error?.details?.runId;
  return typeof runId === "string" ? runId : null;
}

export function useWebhooks(id: string, enabled = true) {
  return useQuery({
    queryKey: ["workflow", id, "webhooks"],
    enabled,
    queryFn: () => answer(builder.GET("/builder/v1/workflows/{id}/webhooks", { params: { path: { id } } })),
    select: ({ data }) => data,
  });
}

/** A call waits this long for its run, which is the longest time that the platform allows. */
const WAIT_MS = 25_000;

export function useCreateWebhook(id: string) {
  return useChangeOf(id, (body: { name: string; mode: "sync" | "async" }) =>
    answer(
      builder.POST("/builder/v1/workflows/{id}/webhooks", { params: { path: { id } }, body: { ...body, timeoutMs: WAIT_MS } }),
    ),
  );
}

export function useRegenerateToken(id: string) {
  return useChangeOf(id, (webhookId: string) =>
    answer(
      builder.POST("/builder/v1/workflows/{id}/webhooks/{webhook_id}/regenerate-token", {
        params: { path: { id, webhook_id: webhookId } },
      }),
    ),
  );
}

export function useDeleteWebhook(id: string) {
  return useChangeOf(id, (webhookId: string) =>
    answer(
      builder.DELETE("/builder/v1/workflows/{id}/webhooks/{webhook_id}", {
        params: { path: { id, webhook_id: webhookId } },
      }),
    ),
  );
}

export function useCalls(id: string, webhookId: string, outcome: WebhookOutcome | "") {
  return useInfiniteQuery({
    queryKey: ["workflow", id, "calls", webhookId, outcome],
    initialPageParam: "",
    queryFn: ({ pageParam }) =>
      answer(
        builder.GET("/builder/v1/workflows/{id}/webhooks/{webhook_id}/events", {
          params: {
            path: { id, webhook_id: webhookId },
            query: { limit: 20, ...(outcome && { outcome: [outcome] }), ...(pageParam && { cursor: pageParam }) },
          },
        }),
      ),
    getNextPageParam: ({ meta }) => meta.nextCursor ?? undefined,
  });
}

export function useCall(id: string, webhookId: string, callId: string) {
  return useQuery({
    queryKey: ["workflow", id, "call", callId],
    staleTime: Infinity,
    queryFn: () =>
      answer(
        builder.GET("/builder/v1/workflows/{id}/webhooks/{webhook_id}/events/{event_id}", {
          params: { path: { id, webhook_id: webhookId, event_id: callId } },
        }),
      ),
    select: ({ data }) => data,
  });
}
