import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { asApiError } from "../../api/errors";
import { useTexts } from "../../i18n";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { ErrorState } from "../../ui/ErrorState";
import { Field } from "../../ui/Field";
import { useToast } from "../../ui/Toast";
import { type Draft, useDraft } from "./draft";
import type { Problem } from "./model/types";
import { Problems } from "./Problems";
import { publishWorkflow } from "./queries";

interface PublishDialogProps {
  draft: Draft;
  onShow: (problem: Problem) => void;
  onClose: () => void;
}

/** Saves the draft and makes a release of it. */
export function PublishDialog({ draft, onShow, onClose }: PublishDialogProps) {
  const { t } = useTexts();
  const toast = useToast();
  const queries = useQueryClient();
  const [notes, setNotes] = useState("");
  const problems = useDraft(draft, (state) => state.problems);
  const head = useDraft(draft, (state) => state.head);
  const save = useDraft(draft, (state) => state.save);
  const errors = problems.filter((problem) => problem.severity === "error").length;
  const publish = useMutation({
    mutationFn: async () => {
      if (!(await draft.flush())) throw new Error(t.editor.saveFirst);
      await draft.check();
      return publishWorkflow(draft.id, notes.trim());
    },
    onSuccess: ({ data: { workflow, release } }) => {
      const { graph: _, problems: __, ...head } = workflow;
      // The version of the workflow is another one now.
      draft.setHead(head);
      void draft.refresh();
      void queries.invalidateQueries({ queryKey: ["workflows"] });
      toast(t.editor.published(release.number));
      onClose();
    },
  });
  const isUnchanged =
    (head.activeRelease !== null && !head.hasUnpublishedChanges && save.kind === "saved") ||
    (publish.error !== null && asApiError(publish.error).code === "no_changes");
  return (
    <Dialog title={t.editor.publish} onClose={onClose}>
      <p className="muted">{t.editor.publishText}</p>
      {problems.length > 0 && <Problems draft={draft} onShow={onShow} />}
      {errors > 0 && <p className="field-problem">{t.editor.fixFirst}</p>}
      <Field label={t.editor.releaseNotes}>
        {(ids) => <textarea {...ids} rows={3} maxLength={1000} value={notes} onChange={(event) => setNotes(event.target.value)} />}
      </Field>
      {isUnchanged ? <p role="status">{t.editor.noChanges}</p> : publish.error && <ErrorState error={publish.error} />}
      <footer>
        <Button onClick={onClose}>{t.cancel}</Button>
        <Button kind="primary" busy={publish.isPending} disabled={errors > 0 || isUnchanged} onClick={() => publish.mutate()}>{t.editor.publish}</Button>
      </footer>
    </Dialog>
  );
}
