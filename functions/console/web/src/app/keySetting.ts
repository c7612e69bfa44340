import { useSyncExternalStore } from "react";

/** Whether single keys act (WCAG 2.1.4): who speaks to the computer, or types by accident, can switch them off. */
const STORED = "console.keys";
const listeners = new Set<() => void>();

let isOn = localStorage.getItem(STORED) !== "off";

/** Whether a key is a character, while those do nothing. */
export const isSwitchedOff = ({ key, ctrlKey, metaKey }: KeyboardEvent) => !isOn && key.length === 1 && !ctrlKey && !metaKey;

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
    () => isOn,
  );
}
