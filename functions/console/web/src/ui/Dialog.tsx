import { type ReactNode, useEffect, useId, useRef } from "react";
import { useTexts } from "../i18n";
import { Button } from "./Button";
import { ErrorState } from "./ErrorState";

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  wide?: boolean;
}

/** A modal dialog. The browser keeps the focus inside, closes it with Escape and gives the focus back. */
export function Dialog({ title, onClose, children, wide = false }: DialogProps) {
  const { t } = useTexts();
  const ref = useRef<HTMLDialogElement>(null);
  /** A selection of text may end on the backdrop. */
  const pressed = useRef<EventTarget | null>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    if (!dialog?.open) dialog?.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <dialog
      ref={ref}
      className={wide ? "dialog wide" : "dialog"}
      aria-labelledby={id}
      onCancel={(event) => {
        if (event.target !== ref.current) return;
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        pressed.current = event.target;
      }}
      onClick={(event) => event.target === ref.current && pressed.current === ref.current && onClose()}
    >
      <div className="dialog-body">
        <header>
          <h2 id={id}>{title}</h2>
          <button type="button" className="icon-button" aria-label={t.close} onClick={onClose}>
            <svg viewBox="0 0 16 16" aria-hidden="true"><path d="m4 4 8 8M12 4l-8 8" /></svg>
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}

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

/** Asks before an action. */
export function Confirm({ title, children, action, busy, error, danger = false, onConfirm, onClose }: ConfirmProps) {
  const { t } = useTexts();
  // The result of an action in progress may be shown only once.
  const leave = () => !busy && onClose();
  return (
    <Dialog title={title} onClose={leave}>
      <div className="prose">{children}</div>
      {error ? <ErrorState error={error} /> : null}
      <footer>
        <Button onClick={leave}>{t.cancel}</Button>
        <Button kind={danger ? "danger" : "primary"} busy={busy} onClick={onConfirm}>
          {action}
        </Button>
      </footer>
    </Dialog>
  );
}
