import { type ReactNode, useState } from "react";
import { useTexts } from "../i18n";
import { Button } from "./Button";
import { CopyButton } from "./CopyButton";
import { Dialog } from "./Dialog";

interface SecretDialogProps {
  title: string;
  text: string;
  /** What the secret is, such as “Token”. */
  name: string;
  secret: string;
  /** A command of a shell that uses the secret. */
  command: string;
  /** Another text with the secret. */
  other?: { name: string; text: string };
  children?: ReactNode;
  onClose: () => void;
}

/** A secret that the platform shows once. The dialog stays until it is copied, or the person confirms to have it. */
export function SecretDialog({ title, text, name, secret, command, other, children, onClose }: SecretDialogProps) {
  const { t } = useTexts();
  const [copied, setCopied] = useState(false);
  const [warned, setWarned] = useState(false);
  return (
    <Dialog title={title} onClose={() => (copied ? onClose() : setWarned(true))}>
      <p>{text}</p>
      <div className="secret">
        <h3>{name}</h3>
        <p className="url-line"><code>{secret}</code><CopyButton text={secret} what={name} onCopied={() => setCopied(true)} /></p>
        {other !== undefined && (
          <>
            <h3>{other.name}</h3>
            <p className="url-line"><code>{other.text}</code><CopyButton text={other.text} what={other.name} onCopied={() => setCopied(true)} /></p>
          </>
        )}
        <h3>{t.secret.tryIt}</h3>
        <p className="url-line"><code>{command}</code><CopyButton text={command} what={t.secret.command} onCopied={() => setCopied(true)} /></p>
      </div>
      {warned && !copied && <p className="problem-line" role="alert">{t.secret.copyFirst(t.secret.stored)}</p>}
      <footer>
        {children}
        <Button kind="primary" onClick={onClose}>{t.secret.stored}</Button>
      </footer>
    </Dialog>
  );
}

/** Writes a text as one argument of a shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
