import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { asApiError } from "../../api/errors";
import { Differences, isUnchanged } from "../../graph/Differences";
import { useDiff } from "../../graph/queries";
import { useTexts } from "../../i18n";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { ErrorState } from "../../ui/ErrorState";
import { Field } from "../../ui/Field";
import { Loaded } from "../../ui/Loaded";
import { useToast } from "../../ui/Toast";
import { type Draft, useDraft } from "./draft";
import type { Problem } from "./model/types";
import { Problems } from "./Problems";
import { publishWorkflow } from "./queries";
import { useIsShown } from "./useIsShown";

interface PublishDialogProps {
  draft: Draft;
  onShow: (problem: Problem) => void;
  onClose: () => void;
}

/** Saves the draft, shows what changes, and makes a release of it. */
export function PublishDialog({ draft, onShow, onClose }: PublishDialogProps) {
  const { t } = useTexts();
  const toast = useToast();
  const queries = useQueryClient();
  const isShown = useIsShown();
  const [notes, setNotes] = useState("");
  const problems = useDraft(draft, (state) => state.problems);
  const head = useDraft(draft, (state) => state.head);
  const save = useDraft(draft, (state) => state.save);
  const errors = problems.filter((problem) => problem.severity === "error").length;
  // A publication whose answer was lost has changed nothing for the next one to publish.
  const isLost = useRef(false);
  useEffect(() => void draft.flush(), [draft]);
  const publish = useMutation({
    mutationFn: async () => {
      await draft.store();
      await draft.check();
      try {
        const { data } = await publishWorkflow(draft.id, notes.trim());
        const { graph: _, problems: __, ...published } = data.workflow;
        draft.setHead(published);
        return data.release.number;
      } catch (error) {
        const { isConnection, code } = asApiError(error);
        if (!isLost.current || code !== "no_changes") {
          isLost.current ||= isConnection;
          throw error;
        }
        await draft.refresh();
        return draft.read().head.activeRelease?.number ?? 0;
      }
    },
    // The person may have closed the dialog meanwhile.
    onSuccess: (number) => {
      // The version of the workflow is another one now.
      void draft.refresh();
      void queries.invalidateQueries({ queryKey: ["workflows"] });
      void queries.invalidateQueries({ queryKey: ["workflow", draft.id], exact: true });
      void queries.invalidateQueries({ queryKey: ["workflow", draft.id, "releases"] });
      toast(t.editor.published(number));
    },
    onError: (error) => isShown.current || toast(asApiError(error).message),
  });
  const isSame =
    (head.activeRelease !== null && !head.hasUnpublishedChanges && save.kind === "saved") ||
    (publish.error !== null && asApiError(publish.error).code === "no_changes");
  return (
    <Dialog title={t.editor.publish} onClose={onClose} wide>
      <p className="muted">{t.editor.publishText}</p>
      {problems.length > 0 && <Problems draft={draft} onShow={onShow} />}
      {errors > 0 && <p className="field-problem">{t.editor.fixFirst}</p>}
      {!isSame && <Changed draft={draft} />}
      <Field label={t.editor.releaseNotes}>
        {(ids) => <textarea {...ids} rows={3} maxLength={1000} value={notes} onChange={(event) => setNotes(event.target.value)} />}
      </Field>
      {isSame ? <p role="status">{t.editor.noChanges}</p> : publish.error && <ErrorState error={publish.error} />}
      <footer>
        <Button onClick={onClose}>{t.cancel}</Button>
        <Button
          kind="primary"
          busy={publish.isPending}
          disabled={errors > 0 || isSame}
          onClick={() => publish.mutate(undefined, { onSuccess: onClose })}
        >
          {t.editor.publish}
        </Button>
      </footer>
    </Dialog>
  );
}

/** What the stored draft changes in the active release. */
function Changed({ draft }: { draft: Draft }) {
  const { t } = useTexts();
  const { activeRelease, revision } = useDraft(draft, (state) => state.head);
  const isSaved = useDraft(draft, (state) => state.save.kind === "saved");
  const count = useDraft(draft, (state) => state.graph.nodes.length);
  const diff = useDiff(draft.id, activeRelease?.id ?? "", "draft", revision, activeRelease !== null && isSaved);
  if (activeRelease === null) return <p>{t.editor.firstRelease(count)}</p>;
  return (
    <section className="publish-changes" aria-labelledby="publish-changes">
      <h3 id="publish-changes">{t.editor.changesSince(activeRelease.number)}</h3>
      <div className="publish-diff" tabIndex={0} role="group" aria-labelledby="publish-changes">
        <Loaded query={diff} lines={3}>
          {(diff) => (isUnchanged(diff) ? <p className="muted">{t.workflow.noDifferences}</p> : <Differences diff={diff} />)}
        </Loaded>
      </div>
    </section>
  );
}
