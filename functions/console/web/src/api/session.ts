import { useSyncExternalStore } from "react";
import { prefix } from "./place";

/** A sign-in that leads back to a page that is refused again within this time would repeat without end. */
const LOOP_MS = 10_000;
const MARK = "console.sign-in";

const openedAt = Date.now();
let cameFromSignIn = sessionStorage.getItem(MARK) !== null;
let signedOut = false;
const listeners = new Set<() => void>();

/** Leads to the sign-in and back to this screen. */
export function goToSignIn() {
  sessionStorage.setItem(MARK, "1");
  location.assign(`${prefix}/console/login?return=${encodeURIComponent(location.hash || "#/")}`);
}

/** Returns whether the browser leaves for the sign-in after a request was refused with 401. */
export function leaveForSignIn(): boolean {
  if (signedOut) return false;
  if (cameFromSignIn && Date.now() - openedAt < LOOP_MS) return false;
  goToSignIn();
  return true;
}

export function confirmSession() {
  if (!cameFromSignIn) return;
  cameFromSignIn = false;
  sessionStorage.removeItem(MARK);
}

export async function signOut() {
  const response = await fetch(`${prefix}/console/logout`, { method: "POST", credentials: "same-origin" });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  signedOut = true;
  for (const listener of listeners) listener();
}

export function useSignedOut(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => signedOut,
  );
}
