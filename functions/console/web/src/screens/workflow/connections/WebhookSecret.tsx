import { useState } from "react";
import type { Webhook, WorkflowDetail } from "../../../api/types";
import { useTexts } from "../../../i18n";
import { Button } from "../../../ui/Button";
import { quote, SecretDialog } from "../../../ui/SecretDialog";
import { suggestBody } from "../input";
import { TestWebhookDialog } from "./TestWebhookDialog";

interface WebhookSecretProps {
  workflow: WorkflowDetail;
  webhook: Webhook;
  onClose: () => void;
}

/** The token of a webhook, which the platform shows once, with a call that works and a test. */
export function WebhookSecret({ workflow, webhook, onClose }: WebhookSecretProps) {
  const { t } = useTexts();
  const [tests, setTests] = useState(false);
  const token = webhook.token ?? "";
  const command = `curl ${quote(webhook.url)} -H ${quote(`Authorization: Bearer ${token}`)} --json ${quote(suggestBody(workflow))}`;
  return (
    <>
      <SecretDialog
        title={t.workflow.secretTitle(webhook.name)}
        text={t.workflow.secretText}
        name={t.workflow.token}
        secret={token}
        command={command}
        other={{ name: t.workflow.urlWithToken, text: `${webhook.url}?token=${token}` }}
        onClose={onClose}
      >
        <Button onClick={() => setTests(true)}>{t.connections.test.button}</Button>
      </SecretDialog>
      {tests && <TestWebhookDialog workflow={workflow} webhook={webhook} onClose={() => setTests(false)} />}
    </>
  );
}
