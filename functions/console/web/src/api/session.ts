import { useSyncExternalStore } from "react";
import { holdsWritten } from "../ui/written";
import { removePersonal } from "./personal";
import { prefix } from "./place";

type Session = "valid" | "ended" | "postponed";

/** A sign-in that leads back to a page that is refused again within this time would repeat without end. */
const LOOP_MS = 10_000;
const MARK = "console.sign-in";

const openedAt = Date.now();
let cameFromSignIn = sessionStorage.getItem(MARK) !== null;
let signedOut = false;
let session: Session = "valid";
const listeners = new Set<() => void>();

/** The sign-in that leads back to a screen. */
export const signInUrl = (place: string) => `${prefix}/console/login?return=${encodeURIComponent(place)}`;

/** Leads to the sign-in and back to this screen. */
export function goToSignIn() {
  sessionStorage.setItem(MARK, "1");
  location.assign(signInUrl(location.hash || "#/"));
}

/**
 * Returns whether the browser leaves for the sign-in after a request was refused with 401. It stays if something would be
 * lost: then a dialog says that the session has ended.
 */
export function leaveForSignIn(method: string): boolean {
  if (signedOut || (cameFromSignIn && Date.now() - openedAt < LOOP_MS)) return false;
  const isChange = method !== "GET";
  if (isChange || isWorkOpen()) {
    if (isChange || session === "valid") setSession("ended");
    return false;
  }
  goToSignIn();
  return true;
}

/** Text in a field, or work that a screen protects from the closing of the page. */
const isWorkOpen = () => holdsWritten(document) || isWorkProtected();

const isWorkProtected = () => !window.dispatchEvent(new Event("beforeunload", { cancelable: true }));

export function confirmSession() {
  setSession("valid");
  if (!cameFromSignIn) return;
  cameFromSignIn = false;
  sessionStorage.removeItem(MARK);
}

/** The person signs in later. */
export function postponeSignIn() {
  setSession("postponed");
}

function setSession(state: Session) {
  if (session === state) return;
  session = state;
  for (const listener of listeners) listener();
}

/** What saves the work of the person before a sign-out. */
const savers = new Set<() => Promise<unknown>>();

/** Returns the function that ends this. */
export function saveBeforeSignOut(save: () => Promise<unknown>): () => void {
  savers.add(save);
  return () => void savers.delete(save);
}

/** Saves what saves itself. Returns whether nothing would be lost now. */
export async function prepareSignOut(): Promise<boolean> {
  await Promise.allSettled([...savers].map((save) => save()));
  return !isWorkProtected();
}

export async function signOut() {
  const response = await fetch(`${prefix}/console/logout`, { method: "POST", credentials: "same-origin" });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  signedOut = true;
  removePersonal();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useSignedOut(): boolean {
  return useSyncExternalStore(subscribe, () => signedOut);
}

export function useSession(): Session {
  return useSyncExternalStore(subscribe, () => session);
}
