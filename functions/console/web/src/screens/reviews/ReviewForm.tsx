import { useState } from "react";
import type { Wait } from "../../api/types";
import { useTexts } from "../../i18n";
import { Button } from "../../ui/Button";
import { ErrorState } from "../../ui/ErrorState";
import { Field } from "../../ui/Field";
import { useToast } from "../../ui/Toast";
import { useWhenDone } from "../../ui/useWhenDone";
import { draftOf, readDraft } from "./fields";
import { FieldInput } from "./FieldInput";
import { useResolve } from "./useResolve";

interface ReviewFormProps {
  workflowId: string;
  runId: string;
  wait: Wait;
  onResolved?: () => void;
}

/** The message, the fields and the decision of an open review. */
export function ReviewForm({ workflowId, runId, wait, onResolved }: ReviewFormProps) {
  const { t } = useTexts();
  const toast = useToast();
  const whenDone = useWhenDone();
  const resolve = useResolve(workflowId, runId);
  const [draft, setDraft] = useState(() => draftOf(wait.fields));
  const [comment, setComment] = useState("");
  const [problem, setProblem] = useState<string | null>(null);

  const decide = (decision: "approve" | "reject") => {
    const fields = readDraft(wait.fields, draft, t);
    if (typeof fields === "string") return setProblem(fields);
    setProblem(null);
    const body = { nodeId: wait.step, decision, fields, comment: comment.trim() || null } as const;
    // The screen of the run no longer shows the form by then.
    whenDone(resolve.mutateAsync(body), (_, isShown) => {
      toast(decision === "approve" ? t.review.approved : t.review.rejected);
      if (isShown) onResolved?.();
    });
  };

  return (
    <form
      className="review-form"
      // The Enter key in a field decides nothing.
      onSubmit={(event) => event.preventDefault()}
    >
      {wait.message && <p className="message" translate="no">{wait.message}</p>}
      {wait.fields.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          text={draft[field.name] ?? ""}
          onChange={(text) => setDraft({ ...draft, [field.name]: text })}
        />
      ))}
      <Field label={t.review.comment} hint={t.review.optional}>
        {(ids) => <textarea {...ids} rows={2} value={comment} onChange={(event) => setComment(event.target.value)} />}
      </Field>
      {problem && <p className="problem" role="alert">{problem}</p>}
      {resolve.error && <ErrorState error={resolve.error} />}
      <footer>
        <Button kind="danger" busy={resolve.isPending} onClick={() => decide("reject")}>{t.review.reject}</Button>
        <Button kind="primary" busy={resolve.isPending} onClick={() => decide("approve")}>{t.review.approve}</Button>
      </footer>
    </form>
  );
}
