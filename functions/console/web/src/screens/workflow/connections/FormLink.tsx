import { useTexts } from "../../../i18n";
import { CopyButton } from "../../../ui/CopyButton";
import { useWebhooks } from "./queries";

/** The page that people fill in, of the webhook that starts a form. */
export function FormLink({ workflowId, webhookId }: { workflowId: string; webhookId: string | null }) {
  const { t } = useTexts();
  const webhook = useWebhooks(workflowId).data?.find(({ id }) => id === webhookId);
  if (webhook === undefined) return null;
  const url = `${webhook.url}/form`;
  return (
    <p className="url-line">
      <a href={url} target="_blank" rel="noreferrer">{t.connections.channels.formLink}</a>
      <CopyButton text={url} what={t.connections.channels.formLink} />
    </p>
  );
}
