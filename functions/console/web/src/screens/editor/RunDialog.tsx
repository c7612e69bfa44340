import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { asApiError } from "../../api/errors";
import { randomKey } from "../../api/random";
import { useTexts } from "../../i18n";
import { Link } from "../../router/Link";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { ErrorState } from "../../ui/ErrorState";
import { useToast } from "../../ui/Toast";
import { type Draft, useDraft } from "./draft";
import { InputField, useInput } from "./InputField";
import { startRun } from "./queries";
import { useIsShown } from "./useIsShown";

/** Starts a run of the active release. */
export function RunDialog({ draft, onClose }: { draft: Draft; onClose: () => void }) {
  const { t } = useTexts();
  const toast = useToast();
  const queries = useQueryClient();
  const isShown = useIsShown();
  const head = useDraft(draft, (state) => state.head);
  const input = useInput(draft);
  // The same attempt, sent again after a lost answer, starts no second run.
  const attempt = useRef({ text: "", key: "" });
  const run = useMutation({
    mutationFn: () => {
      if (attempt.current.text !== input.text || attempt.current.key === "") attempt.current = { text: input.text, key: randomKey() };
      return startRun(draft.id, input.read?.value, attempt.current.key);
    },
    // The person may have closed the dialog meanwhile.
    onSuccess: () => {
      attempt.current.key = "";
      void queries.invalidateQueries({ queryKey: ["runs"] });
      if (!isShown.current) toast(t.editor.runStarted);
    },
    onError: (error) => isShown.current || toast(asApiError(error).message),
  });
  const started = run.data?.data;
  const release = head.activeRelease;
  return (
    <Dialog title={t.editor.run} onClose={onClose}>
      {started !== undefined ? (
        <>
          <p role="status">{t.editor.runStarted}</p>
          <footer>
            <Button onClick={onClose}>{t.close}</Button>
            <Link to="run" params={{ workflowId: draft.id, runId: started.id }} className="button primary">{t.review.openRun}</Link>
          </footer>
        </>
      ) : release === null ? (
        <p>{t.editor.publishFirst}</p>
      ) : (
        <>
          <p className="muted">{t.editor.runText(release.number, head.hasUnpublishedChanges)}</p>
          <InputField input={input} />
          {run.error && <ErrorState error={run.error} />}
          <footer>
            <Button onClick={onClose}>{t.cancel}</Button>
            <Button kind="primary" busy={run.isPending} disabled={input.read === null} onClick={() => run.mutate()}>
              {run.isPending ? t.editor.working : t.editor.run}
            </Button>
          </footer>
        </>
      )}
    </Dialog>
  );
}
