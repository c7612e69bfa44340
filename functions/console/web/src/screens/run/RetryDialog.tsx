import { useRef, useState } from "react";
import { randomKey } from "../../api/random";
import type { Run, Span } from "../../api/types";
import { useTexts } from "../../i18n";
import { navigate } from "../../router/history";
import { Confirm } from "../../ui/Dialog";
import { Select } from "../../ui/Select";
import { useToast } from "../../ui/Toast";
import { type RunId, useRetry } from "./queries";
import { topNodes } from "./timeline";

interface RetryDialogProps {
  id: RunId;
  run: Run;
  spans: readonly Span[];
  names: ReadonlyMap<string, string>;
  /** The node from which to repeat at first. Empty where the run ended. */
  from: string;
  onClose: () => void;
}

/** Starts a new run that takes over the results before a node. */
export function RetryDialog({ id, run, spans, names, from: suggested, onClose }: RetryDialogProps) {
  const { t } = useTexts();
  const toast = useToast();
  const retry = useRetry(id);
  const nodes = topNodes(spans);
  // A run that failed or was stopped can go on where it ended. One that completed has no such place.
  const canGoOn = run.state !== "completed";
  const [from, setFrom] = useState(suggested || (canGoOn ? "" : (nodes[0] ?? "")));
  // The same attempt, sent again after a lost answer, starts no second run.
  const attempt = useRef({ from: "", key: "" });
  const confirm = () => {
    if (attempt.current.from !== from || attempt.current.key === "") attempt.current = { from, key: randomKey() };
    retry.mutate(
      { fromNode: from || null, idempotencyKey: attempt.current.key },
      {
        onSuccess: ({ data }) => {
          onClose();
          toast(t.run.done.retry);
          navigate({ to: "run", params: { workflowId: data.workflowId, runId: data.id } });
        },
      },
    );
  };
  return (
    <Confirm title={t.run.ask.retry} action={t.run.retry} busy={retry.isPending} error={retry.error} onConfirm={confirm} onClose={onClose}>
      <p>{t.run.explain.retry}</p>
      <Select
        label={t.run.fromNode}
        value={from}
        options={[
          ...(canGoOn ? [["", t.run.whereItEnded] as const] : []),
          ...nodes.map((node) => [node, names.get(node) ?? node] as const),
        ]}
        onChange={setFrom}
      />
    </Confirm>
  );
}
