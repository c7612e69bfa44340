import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, builder, gateway, workbenches } from "../../api/client";
import { parseExact } from "../../api/money";
import { useOnce } from "../../api/once";
import { randomKey } from "../../api/random";
import type { Balance, InboxEvent, Lab, OpenReview } from "../../api/types";

/** How many of each list are shown. */
export const SHOWN = 6;
const MOST = 100;

export interface Failure {
  runId: string;
  workflow: { id: string; name: string };
  at: string;
  error: NonNullable<InboxEvent["error"]>;
}

interface InboxPage {
  data: InboxEvent[];
  meta: { nextCursor: string | null };
}

export interface OpenReviews {
  reviews: OpenReview[];
  /** There is more than one page. */
  hasMore: boolean;
}

/** If it has more than one page, the numbers are those of the newest events. */
export interface Inbox extends OpenReviews {
  failures: Failure[];
  /** The participants of conversations who wait for a person. */
  waiting: number;
}

/** The reviews that wait, the runs that failed, and the conversations that wait for a person: all with one request. */
export function useInbox() {
  return useQuery({
    queryKey: ["reviews", "inbox"],
    // What waits for a person is shown as it is now, not as it was when they left the screen.
    staleTime: 0,
    // The route can also stream, so its answer has no single type.
    queryFn: async () => (await answer(builder.GET("/builder/v1/inbox", { params: { query: { limit: MOST } } }))) as InboxPage,
    select: readInbox,
  });
}

export function readInbox({ data, meta }: InboxPage): Inbox {
  const inbox: Inbox = { reviews: [], failures: [], waiting: 0, hasMore: meta.nextCursor !== null };
  for (const { type, at, workflow, runId, review, error, waitingForOperator } of data) {
    if (waitingForOperator) inbox.waiting += 1;
    if (runId === null) continue;
    if (type === "review" && review !== null) inbox.reviews.push({ ...review, workflow, runId, openedAt: at });
    if (type === "failure" && error !== null) inbox.failures.push({ runId, workflow, at, error });
  }
  // First the review that has waited for the longest time.
  inbox.reviews.reverse();
  return inbox;
}

/** The oldest reviews. They are asked for by themselves only if newer events fill the page of the inbox. */
export function useOldestReviews(enabled: boolean) {
  return useQuery({
    enabled,
    queryKey: ["reviews", "oldest"],
    queryFn: () => answer(builder.GET("/builder/v1/reviews", { params: { query: { limit: MOST } } })),
    select: ({ data, meta }): OpenReviews => ({ reviews: data, hasMore: meta.nextCursor != null }),
  });
}

export function useWorkflowsToFix() {
  return useQuery({
    queryKey: ["workflows", "to-fix"],
    queryFn: () =>
      answer(
        builder.GET("/builder/v1/workflows", {
          params: { query: { state: ["needs_attention"], ownership: "all", perPage: SHOWN } },
        }),
      ),
  });
}

/** The labs that run, start or stop, and those that failed. */
export function useLabs(enabled: boolean) {
  return useQuery({
    enabled,
    queryKey: ["labs", "running"],
    queryFn: () => answer(workbenches.GET("/workbenches/v1", { params: { query: { ownership: "all" } } })),
    select: ({ items }): Lab[] => items.filter((lab) => labState(lab) !== "stopped"),
  });
}

export type LabState = NonNullable<Lab["runState"]> | "failed";

export function labState({ runState, status }: Lab): LabState {
  if (runState !== null) return runState;
  if (status === "failed") return "failed";
  return status === "pending" || status === "provisioning" ? "starting" : "stopped";
}

export function useBalance() {
  return useQuery({
    queryKey: ["balance"],
    queryFn: async () => {
      const text = await answer<string>(gateway.GET("/gateway/v1/billing/balance", { parseAs: "text" }));
      return parseExact<Balance>(text);
    },
  });
}

/** An example that works without anything else: a person decides on an expense. */
const EXAMPLE = "expense-approval";

export interface Example {
  workflowId: string;
  /** Null if the workflow could not run. It exists nevertheless. */
  runId: string | null;
  error?: unknown;
}

/** Creates a workflow from a template, publishes it and starts a run. */
export function useExample() {
  const queries = useQueryClient();
  const once = useOnce();
  return useMutation({
    mutationFn: async (): Promise<Example> => {
      const path = { template_id: EXAMPLE };
      const { data: template } = await answer(builder.GET("/builder/v1/workflows/templates/{template_id}", { params: { path } }));
      const { data: workflow } = await once(EXAMPLE, (key) =>
        answer(
          builder.POST("/builder/v1/workflows/templates/{template_id}/instantiate", {
            params: { path, header: { "Idempotency-Key": key } },
          }),
        ),
      );
      const params = { path: { id: workflow.id } };
      try {
        await answer(builder.POST("/builder/v1/workflows/{id}/publish", { params, body: {} }));
        const body = { input: template.exampleInput, idempotencyKey: randomKey() };
        const { data: run } = await answer(builder.POST("/builder/v1/workflows/{id}/runs", { params, body }));
        return { workflowId: workflow.id, runId: run.id };
      } catch (error) {
        return { workflowId: workflow.id, runId: null, error };
      }
    },
    // Not awaited: the example is no longer offered once the inbox has its review, and then nothing would lead to the run.
    onSettled: () => {
      for (const key of ["workflows", "runs", "reviews"]) void queries.invalidateQueries({ queryKey: [key] });
    },
  });
}
