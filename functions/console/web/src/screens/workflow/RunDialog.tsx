import { type FormEvent, useRef, useState } from "react";
import type { WorkflowDetail } from "../../api/types";
import { randomKey } from "../../api/random";
import { useTexts } from "../../i18n";
import { navigate } from "../../router/history";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { ErrorState } from "../../ui/ErrorState";
import { Field } from "../../ui/Field";
import { suggestInput } from "./input";
import { useStart } from "./queries";

/** Starts a run of the active release and opens it. */
export function RunDialog({ workflow, onClose }: { workflow: WorkflowDetail; onClose: () => void }) {
  const { t } = useTexts();
  const start = useStart(workflow.id);
  const [text, setText] = useState(() => suggestInput(workflow));
  const [problem, setProblem] = useState<string | null>(null);
  // The same attempt, sent again after a lost answer, starts no second run.
  const attempt = useRef({ text: "", key: "" });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (start.isPending) return;
    let input: unknown;
    try {
      input = JSON.parse(text);
    } catch (error) {
      setProblem(`${t.workflow.notJson} ${error instanceof Error ? error.message : ""}`);
      return;
    }
    setProblem(null);
    if (attempt.current.text !== text) attempt.current = { text, key: randomKey() };
    start.mutate(
      { input, idempotencyKey: attempt.current.key },
      {
        onSuccess: ({ data }) => {
          onClose();
          navigate({ to: "run", params: { workflowId: workflow.id, runId: data.id } });
        },
      },
    );
  };

  return (
    <Dialog title={t.workflow.runTitle(workflow.name)} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        {workflow.activeRelease && <p className="muted">{t.workflow.runText(workflow.activeRelease.number)}</p>}
        <Field label={t.workflow.input} hint={t.workflow.inputHint}>
          {(ids) => (
            <textarea
              {...ids}
              className="mono code-input"
              rows={Math.min(16, Math.max(6, text.split("\n").length + 1))}
              spellCheck={false}
              autoComplete="off"
              aria-invalid={problem !== null}
              value={text}
              onChange={(event) => {
                setText(event.target.value);
                setProblem(null);
              }}
            />
          )}
        </Field>
        {problem !== null && <p className="problem-line" role="alert">{problem}</p>}
        {start.error ? <ErrorState error={start.error} /> : null}
        <footer>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button type="submit" kind="primary" busy={start.isPending}>{t.workflow.run}</Button>
        </footer>
      </form>
    </Dialog>
  );
}
