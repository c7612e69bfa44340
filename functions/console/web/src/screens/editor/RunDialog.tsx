import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTexts } from "../../i18n";
import { Link } from "../../router/Link";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { ErrorState } from "../../ui/ErrorState";
import { Field } from "../../ui/Field";
import { type Draft, useDraft } from "./draft";
import { readJson, writeJson } from "./form/useTextValue";
import { exampleInput } from "./model/example";
import { startRun, tryDraft } from "./queries";

interface RunDialogProps {
  draft: Draft;
  /** `try` carries out the draft, `run` starts a run of the active release. */
  mode: "try" | "run";
  onClose: () => void;
}

/** The last input of each workflow, for the next time. */
const inputs = new Map<string, string>();

export function RunDialog({ draft, mode, onClose }: RunDialogProps) {
  const { t } = useTexts();
  const queries = useQueryClient();
  const graph = useDraft(draft, (state) => state.graph);
  const head = useDraft(draft, (state) => state.head);
  const [text, setText] = useState(() => inputs.get(draft.id) ?? writeJson(exampleInput(graph)));
  const input = readJson(text);
  const run = useMutation({
    mutationFn: () => startRun(draft.id, input?.value),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ["runs"] }),
  });
  const attempt = useMutation({
    mutationFn: async () => {
      if (!(await draft.flush())) throw new Error(t.editor.saveFirst);
      return tryDraft(draft.id, input?.value);
    },
    onSuccess: ({ data }) => {
      draft.setTried(data);
      onClose();
    },
  });
  const current = mode === "run" ? run : attempt;
  const started = run.data?.data;
  const release = head.activeRelease;
  return (
    <Dialog title={mode === "run" ? t.editor.run : t.editor.tryDraft} onClose={onClose}>
      {started !== undefined ? (
        <>
          <p role="status">{t.editor.runStarted}</p>
          <footer>
            <Button onClick={onClose}>{t.close}</Button>
            <Link to="run" params={{ workflowId: draft.id, runId: started.id }} className="button primary">{t.review.openRun}</Link>
          </footer>
        </>
      ) : mode === "run" && release === null ? (
        <p>{t.editor.publishFirst}</p>
      ) : (
        <>
          <p className="muted">
            {mode === "try" ? t.editor.tryText : t.editor.runText(release?.number ?? 0, head.hasUnpublishedChanges)}
          </p>
          <Field label={t.editor.input} hint={t.editor.inputHint}>
            {(ids) => (
              <textarea
                {...ids}
                className="mono"
                rows={8}
                spellCheck={false}
                aria-invalid={input === null || undefined}
                value={text}
                onChange={(event) => {
                  setText(event.target.value);
                  inputs.set(draft.id, event.target.value);
                }}
              />
            )}
          </Field>
          {input === null && <p className="field-problem">{t.editor.notJson}</p>}
          {current.error && <ErrorState error={current.error} />}
          <footer>
            <Button onClick={onClose}>{t.cancel}</Button>
            <Button kind="primary" busy={current.isPending} disabled={input === null} onClick={() => current.mutate()}>
              {current.isPending ? t.editor.working : mode === "run" ? t.editor.run : t.editor.tryDraft}
            </Button>
          </footer>
        </>
      )}
    </Dialog>
  );
}
