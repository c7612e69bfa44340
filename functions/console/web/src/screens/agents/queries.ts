import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { answer, builder } from "../../api/client";
import type { AgentStatus, Invocation } from "../../api/types";

const PAGE = 30;

export interface AgentFilters {
  search: string;
  status: AgentStatus | "";
  ownership: "mine" | "shared" | "all";
  sort: "updatedAt" | "createdAt" | "name" | "requests";
}

export function useAgents({ search, status, ownership, sort }: AgentFilters) {
  return useInfiniteQuery({
    queryKey: ["agents", "list", { search, status, ownership, sort }],
    initialPageParam: 1,
    queryFn: ({ pageParam }) =>
      answer(
        builder.GET("/builder/v1/agents", {
          params: {
            query: {
              ownership,
              sort,
              order: sort === "name" ? "asc" : "desc",
              page: pageParam,
              perPage: PAGE,
              ...(search && { search }),
              ...(status && { status: [status] }),
            },
          },
        }),
      ),
    getNextPageParam: ({ meta }) => (meta.page < meta.totalPages ? meta.page + 1 : undefined),
  });
}

export function useAgent(id: string) {
  return useQuery({
    queryKey: ["agent", id],
    queryFn: () => answer(builder.GET("/builder/v1/agents/{id}", { params: { path: { id } } })),
    select: ({ data }) => data,
  });
}

/** The names of agents, for a team or for agents that use others. */
export function useAgentNames(isNeeded: boolean) {
  return useQuery({
    queryKey: ["agents", "names"],
    enabled: isNeeded,
    queryFn: () => answer(builder.GET("/builder/v1/agents", { params: { query: { ownership: "all", perPage: 100 } } })),
    select: ({ data }) => new Map(data.map((agent) => [agent.id, agent.name])),
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
