import { type FormEvent, useState } from "react";
import type { WorkflowDetail } from "../../api/types";
import { useTexts } from "../../i18n";
import { navigate } from "../../router/history";
import { Link } from "../../router/Link";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { ErrorState } from "../../ui/ErrorState";
import { Field } from "../../ui/Field";
import { Loaded } from "../../ui/Loaded";
import { useToast } from "../../ui/Toast";
import { useWhenDone } from "../../ui/useWhenDone";
import { useDelete, useDeleteImpact } from "./queries";

/** Shows what the deletion affects, and deletes after the name is typed. */
export function DeleteDialog({ workflow, onClose }: { workflow: WorkflowDetail; onClose: () => void }) {
  const { t } = useTexts();
  const toast = useToast();
  const whenDone = useWhenDone();
  const impact = useDeleteImpact(workflow.id);
  const remove = useDelete(workflow.id);
  const [typed, setTyped] = useState("");
  const matches = typed.trim() === workflow.name.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!matches || remove.isPending) return;
    whenDone(remove.mutateAsync(), (_, isShown) => {
      toast(t.workflow.deleted(workflow.name));
      if (isShown) navigate({ to: "workflows" });
    });
  };
  // The screen behind the dialog shows what will be gone.
  const leave = () => !remove.isPending && onClose();
  return (
    <Dialog title={t.workflow.deleteTitle(workflow.name)} onClose={leave}>
      <form className="stack" onSubmit={submit}>
        <p>{t.workflow.deleteText}</p>
        <Loaded query={impact} lines={2}>
          {({ agents, workflows }) =>
            agents.length + workflows.length === 0 ? (
              <p className="muted">{t.workflow.noImpact}</p>
            ) : (
              <div className="prose">
                <p>{t.workflow.impact}</p>
                <ul>
                  {workflows.map(({ id, name }) => (
                    <li key={id}><Link to="workflow" params={{ workflowId: id }}>{name}</Link></li>
                  ))}
                  {agents.map(({ id, name }) => (
                    <li key={id}><Link to="agent" params={{ agentId: id }}>{name}</Link></li>
                  ))}
                </ul>
              </div>
            )
          }
        </Loaded>
        <Field label={t.workflow.typeName(workflow.name)}>
          {(ids) => (
            <input {...ids} value={typed} autoComplete="off" spellCheck={false} onChange={(event) => setTyped(event.target.value)} />
          )}
        </Field>
        {remove.error ? <ErrorState error={remove.error} /> : null}
        <footer>
          <Button onClick={leave}>{t.cancel}</Button>
          <Button type="submit" kind="danger" disabled={!matches || impact.data === undefined} busy={remove.isPending}>
            {t.workflow.delete}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
