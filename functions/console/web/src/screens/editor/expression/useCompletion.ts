import { type KeyboardEvent, type RefObject, useState } from "react";
import { bareContext, type CaretContext, caretContext } from "./caret";
import { complete, type Completion, keyOf } from "./complete";
import type { Scope } from "./scope";
import type { ExpressionLanguage } from "./tokens";

/** What is offered at the caret of a text area, and its keys. */
export interface CompletionList {
  entries: readonly Completion[];
  active: number;
  /** Whether the name at the caret is only begun. */
  isBegun: boolean;
  setActive: (index: number) => void;
  accept: (entry: Completion) => void;
  /** Opens the list at the caret, also where nothing is written yet. */
  open: () => void;
  close: () => void;
  onInput: () => void;
  onSelect: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

export function useCompletion(
  field: RefObject<HTMLTextAreaElement | null>,
  language: ExpressionLanguage,
  scope: Scope,
  nameOf: (id: string) => string,
): CompletionList {
  const [context, setContext] = useState<CaretContext | null>(null);
  // By its key and not by its index: the list grows when the values of the last run arrive.
  const [chosen, setChosen] = useState<string | null>(null);
  const entries = context === null ? [] : complete(context, scope, language, nameOf);
  const active = Math.max(0, entries.findIndex((entry) => keyOf(entry) === chosen));
  const setActive = (index: number) => setChosen(entries[index] === undefined ? null : keyOf(entries[index]));
  const close = () => setContext(null);

  const contextAtCaret = () => {
    const area = field.current;
    if (area === null || area.selectionStart !== area.selectionEnd) return null;
    return caretContext(area.value, area.selectionStart, language);
  };
  const open = () => {
    const { value = "", selectionStart = 0 } = field.current ?? {};
    show(contextAtCaret() ?? (language === "jinja" ? bareContext(value, selectionStart) : null));
  };
  const show = (next: CaretContext | null) => {
    setContext(next);
    setChosen(null);
  };
  const accept = (entry: Completion) => {
    const area = field.current;
    if (area === null) return;
    close();
    area.focus();
    area.setSelectionRange(entry.from, entry.to);
    // The only way to write that the browser can undo.
    if (!document.execCommand("insertText", false, entry.insert)) {
      area.setRangeText(entry.insert, entry.from, entry.to, "end");
      area.dispatchEvent(new Event("input", { bubbles: true }));
    }
    const caret = entry.from + entry.insert.length - entry.back;
    area.setSelectionRange(caret, caret);
    // Writing opens the list again. It should be open only for what is written next.
    close();
  };

  return {
    entries,
    active,
    isBegun: entries.length > 0 && entries[0]?.label !== context?.prefix,
    setActive,
    accept,
    open,
    close,
    onInput() {
      const next = contextAtCaret();
      show(next !== null && isWanted(next, field.current?.value ?? "") ? next : null);
    },
    onSelect() {
      if (context === null) return;
      // It was opened where nothing is written. Any move leaves the place.
      const next = context.isBare && field.current?.selectionStart === context.from ? context : contextAtCaret();
      if (next?.from !== context.from || next.kind !== context.kind) close();
      else if (next.prefix !== context.prefix) show(next);
    },
    onKeyDown(event) {
      if (event.nativeEvent.isComposing) return;
      if (event.key === " " && event.ctrlKey) {
        event.preventDefault();
        open();
        return;
      }
      const entry = entries[active];
      if (entry === undefined) return;
      const last = entries.length - 1;
      const moved = { ArrowDown: active === last ? 0 : active + 1, ArrowUp: active === 0 ? last : active - 1 }[event.key];
      const isAccepted = (event.key === "Enter" || event.key === "Tab") && !event.shiftKey && !event.ctrlKey;
      if (moved === undefined && !isAccepted && event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      if (moved !== undefined) setActive(moved);
      else if (isAccepted) accept(entry);
      else close();
    },
  };
}

/** While the person writes, the list opens only where it helps. */
function isWanted({ kind, prefix, from, isQuoted }: CaretContext, text: string): boolean {
  if (prefix !== "" || isQuoted || kind === "member" || kind === "filter") return true;
  return kind === "root" && /\{\{[-+]?\s?$/.test(text.slice(0, from));
}
