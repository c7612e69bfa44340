import type { Webhook } from "../../api/types";
import { useTexts } from "../../i18n";
import { Button } from "../../ui/Button";
import { CopyButton } from "../../ui/CopyButton";
import { Dialog } from "../../ui/Dialog";

/** Writes a text as one argument of a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The token of a webhook, which the platform shows once, and a call that works. */
export function SecretDialog({ webhook, body, onClose }: { webhook: Webhook; body: string; onClose: () => void }) {
  const { t } = useTexts();
  const token = webhook.token ?? "";
  const curl = `curl ${quote(webhook.url)} -H ${quote(`Authorization: Bearer ${token}`)} --json ${quote(body)}`;
  return (
    <Dialog title={t.workflow.secretTitle(webhook.name)} onClose={onClose}>
      <p>{t.workflow.secretText}</p>
      <div className="secret">
        <h3>{t.workflow.token}</h3>
        <p className="url-line"><code>{token}</code><CopyButton text={token} what={t.workflow.token} /></p>
        <h3>{t.workflow.tryIt}</h3>
        <p className="url-line"><code>{curl}</code><CopyButton text={curl} what={t.workflow.curl} /></p>
      </div>
      <footer>
        <Button kind="primary" onClick={onClose}>{t.workflow.stored}</Button>
      </footer>
    </Dialog>
  );
}
