import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, builder } from "../api/client";
import type { Kind } from "../sharing/queries";

const tool = { workflow: "/builder/v1/workflows/{id}/tool", agent: "/builder/v1/agents/{id}/tool" } as const;

interface NewMark {
  name: string;
  description?: string;
}

/** Offers a workflow or an agent as a tool, or stops doing so with null. */
export function useMark(kind: Kind, id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (mark: NewMark | null) => {
      const params = { path: { id } };
      await answer<unknown>(mark === null ? builder.DELETE(tool[kind], { params }) : builder.PUT(tool[kind], { params, body: mark }));
    },
    onSettled: () =>
      Promise.all([queries.invalidateQueries({ queryKey: [kind, id] }), queries.invalidateQueries({ queryKey: [`${kind}s`] })]),
  });
}
