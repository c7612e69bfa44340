import { useState } from "react";
import type { Run, WorkflowDetail } from "../../api/types";
import { useTexts } from "../../i18n";
import { Button } from "../../ui/Button";
import { Confirm } from "../../ui/Dialog";
import { useToast } from "../../ui/Toast";
import { hasEnded, type RunId, useEnd } from "./queries";

interface ControlsProps {
  id: RunId;
  run: Run;
  onRetry: () => void;
}

/** Stop, cancel and retry. */
export function Controls({ id, run, onRetry }: ControlsProps) {
  const { t } = useTexts();
  const toast = useToast();
  const end = useEnd(id);
  const [asks, setAsks] = useState<"stop" | "cancel" | null>(null);
  const close = () => {
    end.reset();
    setAsks(null);
  };
  const confirm = (kind: "stop" | "cancel") =>
    end.mutate(kind, {
      onSuccess: () => {
        close();
        toast(t.run.done[kind]);
      },
    });
  return (
    <>
      {run.state === "queued" && <Button onClick={() => setAsks("cancel")}>{t.run.cancel}</Button>}
      {(run.state === "running" || run.state === "paused") && <Button onClick={() => setAsks("stop")}>{t.run.stop}</Button>}
      {canRetry(run) && <Button onClick={onRetry}>{t.run.retry}</Button>}
      {asks !== null && (
        <Confirm title={t.run.ask[asks]} action={t.run[asks]} danger busy={end.isPending} error={end.error} onConfirm={() => confirm(asks)} onClose={close}>
          <p>{t.run.explain[asks]}</p>
        </Confirm>
      )}
    </>
  );
}

export function mayControl(workflow: WorkflowDetail | undefined): boolean {
  return workflow !== undefined && workflow.access.role !== "viewer";
}

export function canRetry(run: Run): boolean {
  return hasEnded(run.state) && run.erasedAt === null;
}
