import type { FormEvent } from "react";
import type { WorkflowDetail } from "../../api/types";
import { useTexts } from "../../i18n";
import { navigate } from "../../router/history";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { ErrorState } from "../../ui/ErrorState";
import { useToast } from "../../ui/Toast";
import { useWhenDone } from "../../ui/useWhenDone";
import { suggestInput } from "./input";
import { JsonField, useJsonText } from "./JsonField";
import { useStart } from "./queries";

/** Starts a run of the active release and opens it. */
export function RunDialog({ workflow, onClose }: { workflow: WorkflowDetail; onClose: () => void }) {
  const { t } = useTexts();
  const start = useStart(workflow.id);
  const toast = useToast();
  const whenDone = useWhenDone();
  const json = useJsonText(() => suggestInput(workflow));

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (start.isPending) return;
    const input = json.read();
    if (input === null) return;
    whenDone(start.mutateAsync(input.value), ({ data }, isShown) => {
      // A person who has closed the dialog stays where they are.
      if (!isShown) return toast(t.workflow.runStarted(workflow.name));
      onClose();
      navigate({ to: "run", params: { workflowId: workflow.id, runId: data.id } });
    });
  };

  return (
    <Dialog title={t.workflow.runTitle(workflow.name)} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        {workflow.activeRelease && <p className="muted">{t.workflow.runText(workflow.activeRelease.number)}</p>}
        <JsonField label={t.workflow.input} hint={t.workflow.inputHint} json={json} />
        {start.error ? <ErrorState error={start.error} /> : null}
        <footer>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button type="submit" kind="primary" busy={start.isPending}>{t.workflow.run}</Button>
        </footer>
      </form>
    </Dialog>
  );
}
