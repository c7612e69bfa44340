import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, builder } from "../../../api/client";
import type { CredentialTest, NewCredential } from "../../../api/types";

/** The tokens of the webhooks, and the credentials for other systems. Only editors may see them. */
export function useCredentials(id: string, enabled = true) {
  return useQuery({
    queryKey: ["workflow", id, "credentials"],
    enabled,
    queryFn: () => answer(builder.GET("/builder/v1/workflows/{id}/webhook-credentials", { params: { path: { id } } })),
    select: ({ data }) => data,
  });
}

export function useCreateCredential(id: string) {
  const queries = useQueryClient();
  return useMutation({
    // The secrets do not stay in memory.
    gcTime: 0,
    mutationFn: (body: NewCredential) =>
      answer(
        builder.POST("/builder/v1/workflows/{id}/webhook-credentials/outbound", { params: { path: { id } }, body }),
      ),
    onSettled: () => invalidateCredentials(queries, id),
  });
}

export function useDeleteCredential(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (credentialId: string) =>
      answer(
        builder.DELETE("/builder/v1/workflows/{id}/webhook-credentials/outbound/{credential_id}", {
          params: { path: { id, credential_id: credentialId } },
        }),
      ),
    onSettled: () => invalidateCredentials(queries, id),
  });
}

/** The editor offers the credentials, too. */
function invalidateCredentials(queries: ReturnType<typeof useQueryClient>, id: string) {
  return Promise.all([
    queries.invalidateQueries({ queryKey: ["workflow", id] }),
    queries.invalidateQueries({ queryKey: ["editor-references", "credential", id] }),
  ]);
}

export function useTestCredential(id: string, credentialId: string) {
  return useMutation({
    mutationFn: (body: CredentialTest) =>
      answer(
        builder.POST("/builder/v1/workflows/{id}/webhook-credentials/outbound/{credential_id}/test", {
          params: { path: { id, credential_id: credentialId } },
          body,
        }),
      ),
  });
}
