import type { UseMutationResult } from "@tanstack/react-query";
import { asApiError } from "../api/errors";
import { useToast } from "../ui/Toast";

interface Applied<Kind extends string> {
  change: UseMutationResult<unknown, Error, { id: string; change: Kind }>;
  /** What is said afterwards. */
  done: Record<Kind, (name: string) => string>;
}

/** Changes the state of a workflow or of an agent, and says so. The dialog to archive shows its own errors. */
export function useApply<Kind extends string>({ id, name }: { id: string; name: string }, { change, done }: Applied<Kind>) {
  const toast = useToast();
  return (kind: Kind, onDone?: () => void) =>
    change.mutate(
      { id, change: kind },
      {
        onSuccess: () => {
          onDone?.();
          toast(done[kind](name));
        },
        onError: (error) => kind !== "archive" && toast(asApiError(error).message),
      },
    );
}
