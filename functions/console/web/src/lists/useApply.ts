import type { UseMutationResult } from "@tanstack/react-query";
import { asApiError } from "../api/errors";
import { useToast } from "../ui/Toast";

interface Applied<Kind extends string> {
  change: UseMutationResult<unknown, Error, { id: string; change: Kind }>;
  /** What is said afterwards. */
  done: Record<Kind, (name: string) => string>;
}

/**
 * Changes the state of a workflow or of an agent, and says so, although the list may no longer have it by then. The dialog to
 * archive shows its own errors.
 */
export function useApply<Kind extends string>({ id, name }: { id: string; name: string }, { change, done }: Applied<Kind>) {
  const toast = useToast();
  return (kind: Kind, onDone?: () => void) =>
    void change.mutateAsync({ id, change: kind }).then(
      () => {
        onDone?.();
        toast(done[kind](name));
      },
      (error: unknown) => kind !== "archive" && toast(asApiError(error).message),
    );
}
