import { useState } from "react";
import type { Webhook, WorkflowDetail } from "../../../api/types";
import { useTexts } from "../../../i18n";
import { Button } from "../../../ui/Button";
import { Confirm } from "../../../ui/Dialog";
import { useWhenDone } from "../../../ui/useWhenDone";
import { useRegenerateToken } from "./queries";
import { WebhookSecret } from "./WebhookSecret";

/** Replaces the token of a webhook after a question, and shows the new one. */
export function RegenerateToken({ workflow, webhook }: { workflow: WorkflowDetail; webhook: Webhook }) {
  const { t } = useTexts();
  const whenDone = useWhenDone();
  const regenerate = useRegenerateToken(workflow.id);
  const [asks, setAsks] = useState(false);
  const [secret, setSecret] = useState<Webhook | null>(null);
  return (
    <>
      <Button kind="quiet" aria-label={t.workflow.regenerateNamed(webhook.name)} onClick={() => setAsks(true)}>
        {t.workflow.regenerate}
      </Button>
      {asks && (
        <Confirm
          title={t.workflow.regenerateTitle(webhook.name)}
          action={t.workflow.regenerate}
          danger
          busy={regenerate.isPending}
          error={regenerate.error}
          onClose={() => {
            regenerate.reset();
            setAsks(false);
          }}
          onConfirm={() =>
            whenDone(regenerate.mutateAsync(webhook.id), ({ data }) => {
              setAsks(false);
              setSecret(data);
            })
          }
        >
          <p>{t.workflow.regenerateText}</p>
        </Confirm>
      )}
      {secret !== null && <WebhookSecret workflow={workflow} webhook={secret} onClose={() => setSecret(null)} />}
    </>
  );
}
