import { useEffect, useRef } from "react";
import { isSwitchedOff } from "../../app/keySetting";

interface EditorActions {
  canEdit: boolean;
  add: () => void;
  connect: () => void;
  runUntil: () => void;
  runFrom: () => void;
  pin: () => void;
  duplicate: () => void;
  remove: () => void;
  undo: () => void;
  redo: () => void;
  selectAll: () => void;
  deselect: () => void;
  tidy: () => void;
  fit: () => void;
  save: () => void;
  /** Returns the text for the clipboard, or null if nothing is selected. */
  copy: () => string | null;
  paste: (text: string) => void;
}

const isWriting = (target: EventTarget | null) =>
  (target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable], dialog") !== null) ||
  document.querySelector("dialog[open]") !== null;

/**
 * Keys without a modifier act on the canvas alone: elsewhere, a person who dictates or slips would change the graph.
 * The heading and the page itself have the focus when nothing else has it.
 */
function isOnCanvas(target: EventTarget | null): boolean {
  return target instanceof Element && (target.matches("body, main, .editor h1") || target.closest(".editor-canvas") !== null);
}

/** The keys of the editor, except while the person writes or a dialog is open. */
export function useEditorKeys(actions: EditorActions) {
  const current = useRef(actions);
  current.current = actions;
  useEffect(() => {
    const handleKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey || isSwitchedOff(event)) return;
      const act = current.current;
      const withControl = event.ctrlKey || event.metaKey;
      const key = event.key.toLowerCase();
      if (withControl && key === "s") {
        event.preventDefault();
        act.save();
        return;
      }
      if (isWriting(event.target)) return;
      const action = withControl ? controlAction(act, key, event) : plainAction(act, event);
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    const handleCopy = (event: ClipboardEvent) => {
      if (isWriting(event.target) || getSelection()?.isCollapsed === false) return;
      const text = current.current.copy();
      if (text === null) return;
      event.clipboardData?.setData("text/plain", text);
      event.preventDefault();
      if (event.type === "cut" && current.current.canEdit) current.current.remove();
    };
    const handlePaste = (event: ClipboardEvent) => {
      const text = event.clipboardData?.getData("text/plain");
      if (isWriting(event.target) || !text || !current.current.canEdit) return;
      event.preventDefault();
      current.current.paste(text);
    };
    document.addEventListener("keydown", handleKey);
    document.addEventListener("copy", handleCopy);
    document.addEventListener("cut", handleCopy);
    document.addEventListener("paste", handlePaste);
    return () => {
      document.removeEventListener("keydown", handleKey);
      document.removeEventListener("copy", handleCopy);
      document.removeEventListener("cut", handleCopy);
      document.removeEventListener("paste", handlePaste);
    };
  }, []);
}

function controlAction(act: EditorActions, key: string, { target, shiftKey }: KeyboardEvent): (() => void) | undefined {
  if (key === "a") return isOnCanvas(target) ? act.selectAll : undefined;
  if (!act.canEdit) return undefined;
  if (key === "z") return shiftKey ? act.redo : act.undo;
  if (key === "y") return act.redo;
  if (key === "d") return act.duplicate;
  return undefined;
}

function plainAction(act: EditorActions, { key, shiftKey, target }: KeyboardEvent): (() => void) | undefined {
  if (key === "Escape") return act.deselect;
  if (!isOnCanvas(target)) return undefined;
  if (key === "f") return act.fit;
  if (!act.canEdit) return undefined;
  if (key === "/") return act.add;
  if (key === "c") return act.connect;
  if (key === "t" && !shiftKey) return act.tidy;
  if (key === "r") return act.runUntil;
  if (key === "R") return act.runFrom;
  if (key === "p") return act.pin;
  if (key === "Delete" || key === "Backspace") return act.remove;
  return undefined;
}
