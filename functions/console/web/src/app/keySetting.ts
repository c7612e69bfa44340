import { useSyncExternalStore } from "react";

/** Whether single keys act (WCAG 2.1.4): who speaks to the computer, or types by accident, can switch them off. */
const STORED = "console.keys";
const listeners = new Set<() => void>();

let isOn = localStorage.getItem(STORED) !== "off";

export const singleKeys = () => isOn;

export function setSingleKeys(chosen: boolean) {
  isOn = chosen;
  localStorage.setItem(STORED, chosen ? "on" : "off");
  for (const listener of listeners) listener();
}

export function useSingleKeys(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    singleKeys,
  );
}

/** Whether a key belongs to a field or to a dialog. */
export const isForField = (target: EventTarget | null) =>
  (target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable], dialog") !== null) ||
  document.querySelector("dialog[open]") !== null;
