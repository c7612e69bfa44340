import { type InfiniteData, useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Colleague } from "./types";
import { answer, builder } from "./client";

/** The names of this many people are looked for. */
const MOST_PAGES = 10;

interface Page {
  data: Pick<Colleague, "userId" | "name">[];
  meta: { nextCursor?: string | null };
}

/**
 * The names of the people of the organization, by their id. The API has no search by id: pages are loaded one after the other
 * until they have everybody who is asked for.
 */
export function usePeople(ids: readonly string[]): ReadonlyMap<string, string> {
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = useInfiniteQuery({
    enabled: ids.length > 0,
    queryKey: ["people"],
    staleTime: 5 * 60_000,
    initialPageParam: "",
    queryFn: ({ pageParam }): Promise<Page> =>
      answer(builder.GET("/builder/v1/members", { params: { query: { limit: 100, ...(pageParam && { cursor: pageParam }) } } })),
    getNextPageParam: ({ meta }, pages) => (pages.length < MOST_PAGES ? (meta.nextCursor ?? undefined) : undefined),
    select: selectNames,
  });
  const isMissing = data !== undefined && hasNextPage && !isError && ids.some((id) => !data.has(id));
  useEffect(() => {
    // All parts of the screen share the pages.
    if (isMissing && !isFetching) void fetchNextPage({ cancelRefetch: false });
  }, [isMissing, isFetching, data, fetchNextPage]);
  return data ?? new Map();
}

/** What stands for a person whose name is not known, such as one who has left the organization. */
export const shortId = (id: string) => `…${id.slice(-12)}`;

export function selectNames({ pages }: InfiniteData<Page>): ReadonlyMap<string, string> {
  return new Map(pages.flatMap(({ data }) => data.map(({ userId, name }) => [userId, name] as const)));
}
