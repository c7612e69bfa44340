import type { ReactNode } from "react";
import { useTexts } from "../i18n";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { ErrorState } from "./ErrorState";

interface ConfirmProps {
  title: string;
  children: ReactNode;
  action: string;
  busy: boolean;
  error: unknown;
  danger?: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

export function Confirm({ title, children, action, busy, error, danger = false, onConfirm, onClose }: ConfirmProps) {
  const { t } = useTexts();
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="prose">{children}</div>
      {error ? <ErrorState error={error} /> : null}
      <footer>
        <Button onClick={onClose}>{t.cancel}</Button>
        <Button kind={danger ? "danger" : "primary"} busy={busy} onClick={onConfirm}>
          {action}
        </Button>
      </footer>
    </Dialog>
  );
}
