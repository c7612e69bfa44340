import { type ReactNode, type RefObject, useEffect, useId, useRef, useState } from "react";
import { useTexts } from "../i18n";
import { Button } from "./Button";
import { ErrorState } from "./ErrorState";
import { holdsWritten } from "./written";

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  wide?: boolean;
}

/**
 * A modal dialog. The browser keeps the focus inside. The Escape key, a click outside and the cross close it, unless the
 * person has written something in it: then it asks first.
 */
export function Dialog({ title, onClose, children, wide = false }: DialogProps) {
  const { t } = useTexts();
  const ref = useRef<HTMLDialogElement>(null);
  const [asks, setAsks] = useState(false);
  /** A selection of text may end on the backdrop. */
  const pressed = useRef<EventTarget | null>(null);
  const id = useId();
  useModal(ref);
  const leave = () => {
    if (ref.current !== null && holdsWritten(ref.current)) setAsks(true);
    else onClose();
  };
  return (
    <dialog
      ref={ref}
      className={wide ? "dialog wide" : "dialog"}
      aria-labelledby={id}
      // A browser does not let a page refuse the event `cancel` twice, but the key itself.
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented || event.nativeEvent.isComposing) return;
        // It first closes what is open inside, and removes the text of a search.
        if (!isIn(event.target, ref.current) || ref.current?.querySelector(":popover-open")) return;
        if (event.target instanceof HTMLInputElement && event.target.type === "search" && event.target.value !== "") return;
        event.preventDefault();
        leave();
      }}
      onCancel={(event) => {
        if (event.target !== ref.current) return;
        event.preventDefault();
        leave();
      }}
      // The browser has closed it nevertheless. One that is open again by then stays.
      onClose={(event) => {
        if (event.target !== ref.current || !ref.current.isConnected || ref.current.open) return;
        ref.current.showModal();
        leave();
      }}
      onPointerDown={(event) => {
        pressed.current = event.target;
      }}
      onClick={(event) => event.target === ref.current && pressed.current === ref.current && leave()}
    >
      <div className="dialog-body">
        <header>
          <h2 id={id}>{title}</h2>
          <button type="button" className="icon-button" aria-label={t.close} onClick={leave}>
            <svg viewBox="0 0 16 16" aria-hidden="true"><path d="m4 4 8 8M12 4l-8 8" /></svg>
          </button>
        </header>
        {children}
      </div>
      {asks && <DiscardDialog onKeep={() => setAsks(false)} onDiscard={onClose} />}
    </dialog>
  );
}

/** Dialogs can be inside of each other, and so are the events of them. */
const isIn = (target: EventTarget, dialog: HTMLDialogElement | null) =>
  target instanceof Element && target.closest("dialog") === dialog;

/** Where the focus goes when a dialog is closed: the first of these that can have it. */
const trails = new WeakMap<Element, Element[]>();

function trailOf(element: Element | null): Element[] {
  if (element === null) return [];
  const menu = element.closest("details")?.querySelector("summary");
  const around = element.closest("dialog");
  return [element, ...(menu ? [menu] : []), ...((around && trails.get(around)) ?? [])];
}

function useModal(ref: RefObject<HTMLDialogElement | null>) {
  useEffect(() => {
    const dialog = ref.current;
    if (dialog === null) return;
    const trail = trailOf(document.activeElement);
    trails.set(dialog, trail);
    if (!dialog.open) dialog.showModal();
    const header = dialog.querySelector("header");
    // The browser focuses the first thing, which is the cross. What is asked for comes first, and the harmless answer.
    if (header?.contains(document.activeElement)) {
      dialog.querySelector<HTMLElement>("input, textarea, select, .dialog-body > footer button")?.focus();
    }
    return () => {
      dialog.close();
      const heading = document.querySelector("main h1");
      for (const element of [...trail, heading]) {
        if (element === document.body || !(element instanceof HTMLElement)) continue;
        element.focus({ preventScroll: true });
        if (document.activeElement === element) break;
      }
    };
  }, [ref]);
}

/** Asks before what is not saved is lost. */
export function DiscardDialog({ onKeep, onDiscard }: { onKeep: () => void; onDiscard: () => void }) {
  const { t } = useTexts();
  return (
    <Dialog title={t.unsaved.title} onClose={onKeep}>
      <p>{t.unsaved.text}</p>
      <footer>
        <Button onClick={onKeep}>{t.unsaved.keep}</Button>
        <Button kind="danger" onClick={onDiscard}>{t.unsaved.discard}</Button>
      </footer>
    </Dialog>
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
