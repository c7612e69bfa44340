import { type FormEvent, useState } from "react";
import type { Webhook, WorkflowDetail } from "../../../api/types";
import { Value } from "../../../graph/Changes";
import { useTexts } from "../../../i18n";
import { Link } from "../../../router/Link";
import { Badge } from "../../../ui/Badge";
import { Button } from "../../../ui/Button";
import { Dialog } from "../../../ui/Dialog";
import { ErrorState } from "../../../ui/ErrorState";
import { Field } from "../../../ui/Field";
import { suggestInput } from "../input";
import { JsonField, useJsonText } from "../JsonField";
import { useCallWebhook, type WebhookAnswer } from "./queries";

interface TestWebhookDialogProps {
  workflow: WorkflowDetail;
  /** Its token is known only right after it was created. */
  webhook: Webhook;
  onClose: () => void;
}

/** Sends an event to a webhook and shows the answer and the run. */
export function TestWebhookDialog({ workflow, webhook, onClose }: TestWebhookDialogProps) {
  const { t } = useTexts();
  const call = useCallWebhook(workflow.id);
  const json = useJsonText(() => suggestInput(workflow));
  const [token, setToken] = useState(webhook.token ?? "");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (call.isPending) return;
    const body = json.read();
    if (body !== null) call.mutate({ webhookId: webhook.id, token: token.trim(), body: body.value });
  };
  return (
    <Dialog title={t.connections.test.title(webhook.name)} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <p className="muted">{t.connections.test.text}</p>
        {webhook.token === undefined && (
          <Field label={t.workflow.token} hint={t.connections.test.tokenHint}>
            {(ids) => (
              <input
                {...ids}
                type="password"
                required
                autoComplete="off"
                value={token}
                onChange={(event) => setToken(event.target.value)}
              />
            )}
          </Field>
        )}
        <JsonField label={t.connections.test.body} hint={t.connections.test.bodyHint} json={json} />
        <div aria-live="polite">
          {call.isPending && <p className="muted">{t.connections.test.sending}</p>}
          {!call.isPending && call.data !== undefined && <Answer workflowId={workflow.id} answer={call.data} />}
        </div>
        {call.error ? <ErrorState error={call.error} /> : null}
        <footer>
          <Button onClick={onClose}>{t.close}</Button>
          <Button type="submit" kind="primary" busy={call.isPending}>{t.connections.test.send}</Button>
        </footer>
      </form>
    </Dialog>
  );
}

function Answer({ workflowId, answer: { status, runId, output, error, durationMs } }: { workflowId: string; answer: WebhookAnswer }) {
  const { t, format } = useTexts();
  const outcome = error !== null ? "refused" : status === 202 && runId !== null ? "started" : "accepted";
  return (
    <div className="panel test-result">
      <p className="facts">
        <Badge tone={error !== null ? "bad" : "good"}>{t.connections.test[outcome]}</Badge>{" "}
        <span className="muted">
          {t.connections.credentials.testStatus(String(status))} {t.connections.credentials.testTook(format.duration(durationMs))}
        </span>
      </p>
      {error !== null && <ErrorState error={error} />}
      {outcome === "accepted" && (
        <>
          <h3>{t.connections.test.output}</h3>
          <Value value={output} />
        </>
      )}
      {runId !== null && <p><Link to="run" params={{ workflowId, runId }}>{t.review.openRun}</Link></p>}
    </div>
  );
}
