import { useSyncExternalStore } from "react";
import { prefix } from "./place";

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
const PATIENCE_MS = 10_000;

/** Whether the platform can be reached. The banner shows it, and the lists are loaded again when it is back. */
let lost = false;
let pause = FIRST_PAUSE_MS;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

export function reportConnection(isLost: boolean) {
  if (lost === isLost) return;
  lost = isLost;
  pause = FIRST_PAUSE_MS;
  clearTimeout(timer);
  if (lost) askLater();
  for (const listener of listeners) listener();
}

/** Exponential backoff. */
function askLater() {
  timer = setTimeout(askAgain, pause);
  pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
}

/** Asks the platform whether it can be reached, without waiting for the next attempt. */
export async function askAgain() {
  clearTimeout(timer);
  const isBack = await isReachable();
  clearTimeout(timer);
  if (isBack) reportConnection(false);
  else if (lost) askLater();
}

export async function isReachable(): Promise<boolean> {
  try {
    const { ok } = await fetch(`${prefix}/health`, { cache: "no-store", signal: AbortSignal.timeout(PATIENCE_MS) });
    return ok;
  } catch {
    return false;
  }
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const askIfLost = () => {
  if (lost && document.visibilityState === "visible") void askAgain();
};
window.addEventListener("offline", () => reportConnection(true));
window.addEventListener("online", askIfLost);
document.addEventListener("visibilitychange", askIfLost);

export function useConnectionLost(): boolean {
  return useSyncExternalStore(subscribe, () => lost);
}
