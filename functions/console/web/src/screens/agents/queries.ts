import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, builder, versioned } from "../../api/client";
import { ApiError } from "../../api/errors";
import { useOnce } from "../../api/once";
import type { AgentDetail, AgentPatch, AgentStatus, Invocation, ToolCredential } from "../../api/types";
import { type ListFilters, toParameters } from "../../lists/filters";
import { allPages, numbered } from "../../lists/pages";
import { type Changes, type Stored, toPatch } from "./edits";

const PAGE = 30;

type Sort = "updatedAt" | "createdAt" | "name" | "requests";

export function useAgents(filters: ListFilters<AgentStatus, Sort>) {
  const { states } = filters;
  return useInfiniteQuery(
    numbered(["agents", "list", filters], (page) =>
      answer(builder.GET("/builder/v1/agents", { params: { query: { ...toParameters(filters, page), ...(states.length > 0 && { status: [...states] }) } } })),
    ),
  );
}

export const agentKey = (id: string) => ["agent", id];

async function loadAgent(id: string): Promise<Stored> {
  const { body, etag } = await versioned(builder.GET("/builder/v1/agents/{id}", { params: { path: { id } } }));
  return { agent: body.data, etag };
}

export function useAgent(id: string) {
  return useQuery({ queryKey: agentKey(id), queryFn: () => loadAgent(id) });
}

type Saved = { kind: "saved" | "stale"; stored: Stored };

/** Saves changes if the agent is still the version of the ETag. Otherwise the answer has what is stored. */
export async function saveAgent(id: string, etag: string, changes: Changes): Promise<Saved> {
  const params = { path: { id }, header: { "If-Match": etag } };
  try {
    const saved = await versioned(builder.PATCH("/builder/v1/agents/{id}", { params, body: toPatch(changes) }));
    return { kind: "saved", stored: { agent: saved.body.data, etag: saved.etag } };
  } catch (error) {
    const details = error instanceof ApiError && error.status === 412 ? error.details : undefined;
    const { current, etag } = (details ?? {}) as { current?: AgentDetail; etag?: string };
    if (current === undefined || etag === undefined) throw error;
    return { kind: "stale", stored: { agent: current, etag } };
  }
}

/** A mutation after which agents are loaded again. */
function useAgentMutation<V, R>(mutationFn: (variables: V) => Promise<R>, options: { gcTime?: number } = {}) {
  const queries = useQueryClient();
  return useMutation({
    ...options,
    mutationFn,
    onSettled: () =>
      Promise.all([queries.invalidateQueries({ queryKey: ["agents"] }), queries.invalidateQueries({ queryKey: ["agent"] })]),
  });
}

const statusOf = { pause: "paused", publish: "published", restore: "published", archive: "archived" } as const;
export type Change = keyof typeof statusOf;

/** The changes that a status allows. */
export const allowed: Record<AgentStatus, readonly Change[]> = {
  published: ["pause", "archive"],
  needs_attention: ["pause", "archive"],
  permissions_required: ["pause", "archive"],
  paused: ["publish", "archive"],
  archived: ["restore"],
};

export function useChange() {
  return useAgentMutation(({ id, change }: { id: string; change: Change }) =>
    answer(builder.PATCH("/builder/v1/agents/{id}", { params: { path: { id } }, body: { status: statusOf[change] } })),
  );
}

function useCreation() {
  const once = useOnce();
  return (body: AgentPatch) =>
    once(JSON.stringify(body), (key) => answer(builder.POST("/builder/v1/agents", { params: { header: { "Idempotency-Key": key } }, body })));
}

export function useCreate() {
  return useAgentMutation(useCreation());
}

/** Creates an agent with the fields of another. Credentials are not copied: nobody can read them. */
export function useDuplicate() {
  const create = useCreation();
  return useAgentMutation(async ({ id, nameOf }: { id: string; nameOf: (name: string) => string }) => {
    const { name, description, type, config } = (await loadAgent(id)).agent;
    return create({ name: nameOf(name).slice(0, 200), description, type, config });
  });
}

export function useDelete() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => answer(builder.DELETE("/builder/v1/agents/{id}", { params: { path: { id } } })),
    // The screen of the agent may still be open: what it shows can no longer be loaded.
    onSuccess: (_, id) =>
      Promise.all([
        queries.invalidateQueries({ queryKey: agentKey(id), refetchType: "none" }),
        queries.invalidateQueries({ queryKey: ["agents"] }),
        queries.invalidateQueries({ queryKey: ["workflow"] }),
      ]),
  });
}

export function useSetCredential(id: string) {
  return useAgentMutation(
    ({ tool, body }: { tool: string; body: ToolCredential }) =>
      answer(builder.PUT("/builder/v1/agents/{id}/tools/{tool}/credential", { params: { path: { id, tool } }, body })),
    // The secrets do not stay in memory.
    { gcTime: 0 },
  );
}

export function useDeleteCredential(id: string) {
  return useAgentMutation((tool: string) =>
    answer(builder.DELETE("/builder/v1/agents/{id}/tools/{tool}/credential", { params: { path: { id, tool } } })),
  );
}

/** Asks an MCP server for its tools, as the agent that uses it is saved. */
export function useServer(id: string, tool: string) {
  return useQuery({
    queryKey: ["agent", id, "server", tool],
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    queryFn: () => answer(builder.GET("/builder/v1/agents/{id}/tools/{tool}/server", { params: { path: { id, tool } } })),
    select: ({ data }) => data,
  });
}

/** The models that can chat, as values and names. All pages are loaded: a list of the browser is searched by typing. */
export function useChatModels(isNeeded: boolean) {
  return useQuery({
    queryKey: ["models", "chat"],
    enabled: isNeeded,
    queryFn: () =>
      allPages((page) => answer(builder.GET("/builder/v1/models", { params: { query: { page, perPage: 100 } } }))),
    select: (models) =>
      models.filter(({ capabilities }) => capabilities.includes("chat")).map(({ name, displayName }) => [name, displayName, true] as const),
  });
}

const byName = (search: string) => ({ search, states: [], ownership: "all", sort: "name", order: "asc" }) as const;

/** The agents that an agent can use. */
export function useAgentChoices(search: string) {
  return useInfiniteQuery({
    ...numbered(["agents", "choices", search], (page) =>
      answer(builder.GET("/builder/v1/agents", { params: { query: toParameters(byName(search), page) } })),
    ),
    placeholderData: keepPreviousData,
  });
}

/** The workflows that an agent can use. */
export function useWorkflowChoices(search: string) {
  return useInfiniteQuery({
    ...numbered(["workflows", "choices", search], (page) =>
      answer(builder.GET("/builder/v1/workflows", { params: { query: toParameters(byName(search), page) } })),
    ),
    placeholderData: keepPreviousData,
  });
}

/** The names of the agents, or of the workflows, that an agent uses. */
export function useNames(kind: "agent" | "workflow", ids: readonly string[]) {
  return useQuery({
    queryKey: [`${kind}s`, "names", ids],
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
    queryFn: () => {
      const params = (page: number) => ({ params: { query: { ownership: "all", page, perPage: 100 } } }) as const;
      return allPages<{ id: string; name: string }>(
        (page) =>
          kind === "agent"
            ? answer(builder.GET("/builder/v1/agents", params(page)))
            : answer(builder.GET("/builder/v1/workflows", params(page))),
        (rows) => ids.every((id) => rows.some((row) => row.id === id)),
      );
    },
    select: (rows) => new Map(rows.map(({ id, name }) => [id, name])),
  });
}

export function useInvocations(id: string, state: Invocation["state"] | "") {
  return useInfiniteQuery({
    queryKey: ["agent", id, "invocations", state],
    initialPageParam: "",
    queryFn: ({ pageParam }) =>
      answer(
        builder.GET("/builder/v1/agents/{id}/invocations", {
          params: {
            path: { id },
            query: { limit: PAGE, ...(pageParam && { cursor: pageParam }), ...(state && { state: [state] }) },
          },
        }),
      ),
    getNextPageParam: ({ meta }) => meta.nextCursor ?? undefined,
  });
}

export function useInvocation(agent: string, id: string) {
  return useQuery({
    queryKey: ["agent", agent, "invocation", id],
    queryFn: () =>
      answer(
        builder.GET("/builder/v1/agents/{id}/invocations/{invocation_id}", {
          params: { path: { id: agent, invocation_id: id } },
        }),
      ),
    select: ({ data }) => data,
  });
}
