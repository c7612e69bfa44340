import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, builder } from "../api/client";
import type { Colleague } from "../api/types";
import type { Choice } from "../ui/ChoiceDialog";
import type { MemberRole } from "./roles";

/** What can be shared. The first part of the keys of its queries has the same name. */
export type Kind = "workflow" | "agent";

const members = { workflow: "/builder/v1/workflows/{id}/members", agent: "/builder/v1/agents/{id}/members" } as const;
const member = { workflow: "/builder/v1/workflows/{id}/members/{user_id}", agent: "/builder/v1/agents/{id}/members/{user_id}" } as const;
const transfer = { workflow: "/builder/v1/workflows/{id}/transfer", agent: "/builder/v1/agents/{id}/transfer" } as const;

export function useMembers(kind: Kind, id: string) {
  return useQuery({
    queryKey: [kind, id, "members"],
    queryFn: () => answer(builder.GET(members[kind], { params: { path: { id } } })),
    select: ({ data }) => data,
  });
}

export function useShare(kind: Kind, id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: { userId: string; role: MemberRole }) => answer(builder.POST(members[kind], { params: { path: { id } }, body })),
    onSettled: () => queries.invalidateQueries({ queryKey: [kind, id] }),
  });
}

/** Ends the sharing with a member. The person's own membership ends with `leave`, after which nothing can be loaded. */
export function useUnshare(kind: Kind, id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ userId }: { userId: string; leave: boolean }) =>
      answer(builder.DELETE(member[kind], { params: { path: { id, user_id: userId } } })),
    onSuccess: (_, { leave }) => queries.invalidateQueries({ queryKey: leave ? [`${kind}s`] : [kind, id] }),
  });
}

export function useTransfer(kind: Kind, id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (userId: string) => answer(builder.POST(transfer[kind], { params: { path: { id } }, body: { userId } })),
    onSuccess: () =>
      Promise.all([queries.invalidateQueries({ queryKey: [kind, id] }), queries.invalidateQueries({ queryKey: [`${kind}s`] })]),
  });
}

const toChoice = ({ userId, name, email, suspended }: Colleague): Choice => ({ id: userId, name, note: email, disabled: suspended });

/** The people of the organization whose name or address contains a text. */
export function useColleagues(search: string) {
  return useInfiniteQuery({
    queryKey: ["people", "search", search],
    placeholderData: keepPreviousData,
    initialPageParam: "",
    queryFn: ({ pageParam }) =>
      answer(
        builder.GET("/builder/v1/members", {
          params: { query: { limit: 30, ...(search && { search }), ...(pageParam && { cursor: pageParam }) } },
        }),
      ),
    getNextPageParam: ({ meta }) => meta.nextCursor ?? undefined,
    select: ({ pages, pageParams }) => ({ pages: pages.map(({ data, meta }) => ({ data: data.map(toChoice), meta })), pageParams }),
  });
}
