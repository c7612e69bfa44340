import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, builder } from "../../api/client";
import type { RunSummary, SeenRun, TemplateCategory, WorkflowState } from "../../api/types";
import { useOnce } from "../../api/once";
import type { Language } from "../../i18n";
import { type ListFilters, toParameters } from "../../lists/filters";
import { numbered } from "../../lists/pages";
import { saveFile } from "../../ui/saveFile";

export function useWorkflows(filters: ListFilters<WorkflowState, "updatedAt" | "createdAt" | "name">) {
  const { states } = filters;
  return useInfiniteQuery(
    numbered(["workflows", "list", filters], (page) =>
      answer(builder.GET("/builder/v1/workflows", { params: { query: { ...toParameters(filters, page), ...(states.length > 0 && { state: [...states] }) } } })),
    ),
  );
}

/** How often each workflow of the person ran, by its id. */
export function useRunSummaries() {
  return useQuery({
    queryKey: ["runs", "summaries"],
    queryFn: () => answer(builder.GET("/builder/v1/workflows/runs/summaries")),
    select: ({ data }): Map<string, RunSummary> => new Map(data.map((summary) => [summary.workflowId, summary])),
  });
}

/** The latest runs by their workflow, newest first: one request for all rows of the list. */
export function useLatestRuns() {
  return useQuery({
    queryKey: ["runs", "latest"],
    queryFn: () => answer(builder.GET("/builder/v1/runs", { params: { query: { limit: 100 } } })),
    select: groupRuns,
  });
}

function groupRuns({ data }: { data: SeenRun[] }): Map<string, SeenRun[]> {
  const groups = new Map<string, SeenRun[]>();
  for (const run of data) {
    const group = groups.get(run.workflowId);
    if (group === undefined) groups.set(run.workflowId, [run]);
    else group.push(run);
  }
  return groups;
}

/** A template with its graph, which the list does not have. */
export function useTemplate(id: string, language: Language, enabled: boolean) {
  return useQuery({
    enabled,
    queryKey: ["template", id, language],
    staleTime: Infinity,
    queryFn: () => answer(builder.GET("/builder/v1/workflows/templates/{template_id}", { params: { path: { template_id: id } } })),
    select: ({ data }) => data,
  });
}

export function useTemplates(search: string, category: TemplateCategory | "", language: Language) {
  return useQuery({
    queryKey: ["templates", language, search, category],
    staleTime: Infinity,
    placeholderData: (before) => before,
    queryFn: () =>
      answer(
        builder.GET("/builder/v1/workflows/templates", {
          params: { query: { perPage: 100, ...(search && { search }), ...(category && { category: [category] }) } },
        }),
      ),
  });
}

export type Change = "pause" | "resume" | "archive" | "restore";

/** The changes that a state allows. */
export const allowed: Record<WorkflowState, readonly Change[]> = {
  draft: ["archive"],
  published: ["pause", "archive"],
  needs_attention: ["pause", "archive"],
  paused: ["resume", "archive"],
  archived: ["restore"],
};

/** A mutation after which the lists of workflows are loaded again. */
function useWorkflowMutation<V, R>(mutationFn: (variables: V) => Promise<R>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ["workflows"] }),
        queries.invalidateQueries({ queryKey: ["workflow"] }),
        queries.invalidateQueries({ queryKey: ["runs", "summaries"] }),
      ]),
  });
}

export function useChange() {
  return useWorkflowMutation(({ id, change }: { id: string; change: Change }) => {
    const params = { path: { id } };
    switch (change) {
      case "pause":
        return answer(builder.POST("/builder/v1/workflows/{id}/pause", { params }));
      case "resume":
        return answer(builder.POST("/builder/v1/workflows/{id}/resume", { params }));
      case "archive":
        return answer(builder.POST("/builder/v1/workflows/{id}/archive", { params }));
      case "restore":
        return answer(builder.POST("/builder/v1/workflows/{id}/restore", { params }));
    }
  });
}

/** Creates an empty workflow with this name. */
export function useCreate() {
  const once = useOnce();
  return useWorkflowMutation((name: string) =>
    once(name, (key) => answer(builder.POST("/builder/v1/workflows", { params: { header: { "Idempotency-Key": key } }, body: { name } }))),
  );
}

export function useClone() {
  const once = useOnce();
  return useWorkflowMutation((id: string) =>
    once(id, (key) =>
      answer(builder.POST("/builder/v1/workflows/{id}/clone", { params: { path: { id }, header: { "Idempotency-Key": key } } })),
    ),
  );
}

export function useInstantiate() {
  const once = useOnce();
  return useWorkflowMutation((id: string) =>
    once(id, (key) =>
      answer(
        builder.POST("/builder/v1/workflows/templates/{template_id}/instantiate", {
          params: { path: { template_id: id }, header: { "Idempotency-Key": key } },
        }),
      ),
    ),
  );
}

/** Imports a file: JSON of this platform or of n8n, or YAML of Dify. */
export function useImport() {
  const once = useOnce();
  return useWorkflowMutation(async (file: File) => {
    const text = await file.text();
    const type = text.trimStart().startsWith("{") ? "application/json" : "application/yaml";
    return once(text, (key) =>
      answer(
        builder.POST("/builder/v1/workflows/import", {
          params: { header: { "Idempotency-Key": key } },
          headers: { "Content-Type": type },
          body: text as never,
          bodySerializer: (body: unknown) => body as string,
        }),
      ),
    );
  });
}

export async function download(id: string, name: string) {
  const text = await answer<string>(
    builder.GET("/builder/v1/workflows/{id}/export", { params: { path: { id } }, parseAs: "text" }),
  );
  const file = name.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").toLowerCase() || "workflow";
  saveFile(`${file}.json`, text, "application/json");
}
