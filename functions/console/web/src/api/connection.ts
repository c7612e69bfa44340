import { useSyncExternalStore } from "react";

/** Whether the platform can be reached. The banner shows it, and lost requests are sent again when it is back. */
let lost = false;
const listeners = new Set<() => void>();

export function reportConnection(isLost: boolean) {
  if (lost === isLost) return;
  lost = isLost;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

window.addEventListener("offline", () => reportConnection(true));

export function useConnectionLost(): boolean {
  return useSyncExternalStore(subscribe, () => lost);
}
