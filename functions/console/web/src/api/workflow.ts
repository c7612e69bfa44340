import { useQuery } from "@tanstack/react-query";
import { answer, builder } from "./client";

/** A workflow with its draft. Without an id, nothing is loaded. */
export function useWorkflow(id: string) {
  return useQuery({
    queryKey: ["workflow", id],
    enabled: id !== "",
    queryFn: () => answer(builder.GET("/builder/v1/workflows/{id}", { params: { path: { id } } })),
    select: ({ data }) => data,
  });
}
