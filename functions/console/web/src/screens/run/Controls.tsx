import { useState } from "react";
import type { Run, Span } from "../../api/types";
import { useTexts } from "../../i18n";
import { navigate } from "../../router/history";
import { Button } from "../../ui/Button";
import { Confirm } from "../../ui/Dialog";
import { Select } from "../../ui/Select";
import { useToast } from "../../ui/Toast";
import { hasEnded, type RunId, useControl } from "./queries";
import { topNodes } from "./timeline";

interface ControlsProps {
  id: RunId;
  run: Run;
  spans: Span[];
  role: "viewer" | "operator" | "editor" | "owner" | undefined;
  names: Map<string, string>;
}

/** Stop, cancel and retry, for those who may. */
export function Controls({ id, run, spans, role, names }: ControlsProps) {
  const { t } = useTexts();
  const toast = useToast();
  const control = useControl(id);
  const [asks, setAsks] = useState<"stop" | "cancel" | "retry" | null>(null);
  const nodes = topNodes(spans);
  // A run that failed or was stopped can go on where it ended. One that completed has no such place.
  const canGoOn = run.state !== "completed";
  const [from, setFrom] = useState("");
  const fromNode = from || (canGoOn ? null : (nodes[0] ?? null));
  if (role === undefined || role === "viewer") return null;

  const close = () => {
    control.reset();
    setAsks(null);
  };
  const confirm = (kind: "stop" | "cancel" | "retry") =>
    control.mutate(kind === "retry" ? { kind, fromNode } : { kind }, {
      onSuccess: ({ data }) => {
        close();
        toast(t.run.done[kind]);
        if (kind === "retry") navigate({ to: "run", params: { workflowId: data.workflowId, runId: data.id } });
      },
    });

  return (
    <>
      {run.state === "queued" && <Button onClick={() => setAsks("cancel")}>{t.run.cancel}</Button>}
      {(run.state === "running" || run.state === "paused") && <Button onClick={() => setAsks("stop")}>{t.run.stop}</Button>}
      {hasEnded(run.state) && run.erasedAt === null && <Button onClick={() => setAsks("retry")}>{t.run.retry}</Button>}
      {asks !== null && (
        <Confirm
          title={t.run.ask[asks]}
          action={t.run[asks]}
          danger={asks !== "retry"}
          busy={control.isPending}
          error={control.error}
          onConfirm={() => confirm(asks)}
          onClose={close}
        >
          <p>{t.run.explain[asks]}</p>
          {asks === "retry" && (
            <Select
              label={t.run.fromNode}
              value={from}
              options={[
                ...(canGoOn ? [["", t.run.whereItEnded] as const] : []),
                ...nodes.map((node) => [node, names.get(node) ?? node] as const),
              ]}
              onChange={setFrom}
            />
          )}
        </Confirm>
      )}
    </>
  );
}
