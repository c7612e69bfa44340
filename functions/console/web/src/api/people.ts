import { useQuery } from "@tanstack/react-query";
import { answer, builder } from "./client";

/** The names of the members of the organization, by their id. */
export function usePeople(enabled = true) {
  return useQuery({
    enabled,
    queryKey: ["people"],
    queryFn: () => answer(builder.GET("/builder/v1/members", { params: { query: { limit: 100 } } })),
    staleTime: 5 * 60_000,
    select: selectNames,
  });
}

function selectNames({ data }: { data: { userId: string; name: string }[] }): Map<string, string> {
  return new Map(data.map((person) => [person.userId, person.name]));
}
