import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, builder } from "../../api/client";
import { useOnce } from "../../api/once";
import { allPages } from "../../lists/pages";

const RELEASES = 20;

export function useDeleteImpact(id: string) {
  return useQuery({
    queryKey: ["workflow", id, "delete-impact"],
    staleTime: 0,
    queryFn: () => answer(builder.GET("/builder/v1/workflows/{id}/delete-impact", { params: { path: { id } } })),
    select: ({ data }) => data,
  });
}

export function useDelete(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => answer(builder.DELETE("/builder/v1/workflows/{id}", { params: { path: { id } } })),
    // The screen of the workflow is still open: what it shows can no longer be loaded.
    onSuccess: () =>
      Promise.all(
        ["workflows", "workflow", "runs", "reviews"].map((key) =>
          queries.invalidateQueries({ queryKey: [key], refetchType: "none" }),
        ),
      ),
  });
}

export function useStart(id: string) {
  const queries = useQueryClient();
  const once = useOnce();
  return useMutation({
    mutationFn: (input: unknown) =>
      once(JSON.stringify(input), (idempotencyKey) =>
        answer(builder.POST("/builder/v1/workflows/{id}/runs", { params: { path: { id } }, body: { input, idempotencyKey } })),
      ),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ["runs"] });
      void queries.invalidateQueries({ queryKey: ["workflow", id, "analytics"] });
    },
  });
}

/** The last 30 days, in the time zone of the browser. */
export function useAnalytics(id: string) {
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return useQuery({
    queryKey: ["workflow", id, "analytics", timezone],
    queryFn: () =>
      answer(
        builder.GET("/builder/v1/workflows/{id}/analytics", {
          params: { path: { id }, query: timezone ? { timezone } : {} },
        }),
      ),
    select: ({ data }) => data,
  });
}

const WATCH_MS = 3000;

/** The list is watched while one of its runs is in progress. */
export function useLastRuns(id: string, limit: number) {
  return useQuery({
    queryKey: ["runs", "last", id, limit],
    refetchInterval: ({ state }) =>
      state.data?.data.some((run) => run.state === "queued" || run.state === "running") ? WATCH_MS : false,
    queryFn: () => answer(builder.GET("/builder/v1/workflows/{id}/runs", { params: { path: { id }, query: { limit } } })),
    select: ({ data }) => data,
  });
}

/** The paused runs: each waits for a review. */
export function useWaitingRuns(id: string, limit: number) {
  return useQuery({
    queryKey: ["runs", "waiting", id, limit],
    queryFn: () =>
      answer(
        builder.GET("/builder/v1/workflows/{id}/runs", { params: { path: { id }, query: { state: ["paused"], limit } } }),
      ),
  });
}

export function useReleases(id: string) {
  return useInfiniteQuery({
    queryKey: ["workflow", id, "releases"],
    initialPageParam: 1,
    queryFn: ({ pageParam }) =>
      answer(
        builder.GET("/builder/v1/workflows/{id}/releases", {
          params: { path: { id }, query: { page: pageParam, perPage: RELEASES } },
        }),
      ),
    getNextPageParam: ({ meta }) => (meta.page < meta.totalPages ? meta.page + 1 : undefined),
  });
}

/** All releases, to choose one of them. */
export function useAllReleases(id: string) {
  return useQuery({
    queryKey: ["workflow", id, "releases", "all"],
    queryFn: () =>
      allPages((page) =>
        answer(builder.GET("/builder/v1/workflows/{id}/releases", { params: { path: { id }, query: { page, perPage: 100 } } })),
      ),
  });
}

/** Activates a release again. Its deployment is found in the pages of the deployments. */
export function useActivate(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (releaseId: string) => {
      for (let page = 1, pages = 1; page <= pages; page++) {
        const { data, meta } = await answer(
          builder.GET("/builder/v1/workflows/{id}/deployments", { params: { path: { id }, query: { page, perPage: 100 } } }),
        );
        pages = meta.totalPages;
        const deployment = data.find((deployment) => deployment.releaseId === releaseId);
        if (deployment === undefined) continue;
        const params = { path: { id, deployment_id: deployment.id } };
        return answer(builder.POST("/builder/v1/workflows/{id}/deployments/{deployment_id}/activate", { params }));
      }
      throw new Error("the release has no deployment");
    },
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ["workflow", id] }),
        queries.invalidateQueries({ queryKey: ["workflows"] }),
      ]),
  });
}

export interface RehearsalInput {
  target: string;
  sample: number;
  revision: number;
}

export const rehearsalKey = (id: string, { target, sample, revision }: RehearsalInput) => [
  "rehearsals",
  id,
  target,
  sample,
  target === "draft" ? revision : 0,
];

/** A rehearsal continues while the person is elsewhere, and its result is kept. */
export function useRehearsal(id: string, input: RehearsalInput | null) {
  return useQuery({
    queryKey: rehearsalKey(id, input ?? { target: "", sample: 0, revision: 0 }),
    enabled: input !== null,
    staleTime: Infinity,
    retry: false,
    refetchOnWindowFocus: false,
    queryFn: async () => {
      const { target = "", sample = 0 } = input ?? {};
      const startedAt = Date.now();
      const { data } = await answer(
        builder.POST("/builder/v1/workflows/{id}/releases/{release_id}/rehearse", {
          params: { path: { id, release_id: target } },
          body: { sample },
        }),
      );
      return { ...data, tookMs: Date.now() - startedAt };
    },
  });
}

/** The latest runs that ended, to name those of a rehearsal. */
export function useEndedRuns(id: string, enabled: boolean) {
  return useQuery({
    queryKey: ["runs", "ended", id],
    enabled,
    queryFn: () =>
      answer(
        builder.GET("/builder/v1/workflows/{id}/runs", {
          params: { path: { id }, query: { state: ["completed", "failed"], limit: 100 } },
        }),
      ),
    select: ({ data }) => new Map(data.map((run) => [run.id, run])),
  });
}

export function useReplay(id: string, runId: string, { target, revision }: RehearsalInput) {
  return useQuery({
    queryKey: ["replays", id, runId, target, target === "draft" ? revision : 0],
    staleTime: Infinity,
    retry: false,
    queryFn: () =>
      answer(
        builder.POST("/builder/v1/workflows/{id}/runs/{run_id}/replay", {
          params: { path: { id, run_id: runId } },
          body: { releaseId: target },
        }),
      ),
    select: ({ data }) => data,
  });
}

/** A mutation after which the workflow and all its lists are loaded again. A token in its answer does not stay in memory. */
export function useChangeOf<V, R>(id: string, mutationFn: (variables: V) => Promise<R>) {
  const queries = useQueryClient();
  return useMutation({
    gcTime: 0,
    mutationFn,
    onSettled: () => queries.invalidateQueries({ queryKey: ["workflow", id] }),
  });
}
