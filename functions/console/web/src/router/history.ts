import { useLayoutEffect, useMemo, useSyncExternalStore } from "react";
import { hrefOf, type QueryValues, readPlace, type Target } from "./routes";

/** Scroll positions by entry of the history, so that going back returns to where a list was. */
const positions = new Map<string, number>();
const listeners = new Set<() => void>();

let entry = entryKey();
let restore: number | null = null;
let focusPending = false;

function entryKey(): string {
  const state = history.state as { key?: string } | null;
  if (state?.key !== undefined) return state.key;
  const key = Math.random().toString(36).slice(2);
  history.replaceState({ key }, "");
  return key;
}

function notify() {
  for (const listener of listeners) listener();
}

history.scrollRestoration = "manual";
window.addEventListener("scroll", () => positions.set(entry, window.scrollY), { passive: true });
let path = location.hash.split("?")[0];
window.addEventListener("hashchange", () => {
  entry = entryKey();
  const newPath = location.hash.split("?")[0];
  const isOtherScreen = path !== newPath;
  // A dialog that has a place of its own leaves the screen below where it is.
  restore = positions.get(entry) ?? (isOtherScreen ? 0 : null);
  focusPending = isOtherScreen;
  path = newPath;
  notify();
});

export function navigate(target: Target) {
  location.hash = hrefOf(target);
}

/** Changes the query of the current screen without a new entry in the history. Empty values are removed. */
export function replaceQuery(changes: QueryValues) {
  const [path = "", query = ""] = (location.hash || "#/").split("?", 2);
  const values = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value) values.set(name, value);
    else values.delete(name);
  }
  const text = values.toString();
  history.replaceState(history.state, "", path + (text && `?${text}`));
  notify();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function usePlace() {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  return useMemo(() => readPlace(hash), [hash]);
}

/** Restores the position after the screen is drawn. */
export function useScrollRestoration(place: unknown) {
  useLayoutEffect(() => {
    if (restore === null) return;
    window.scrollTo(0, restore);
    restore = null;
  }, [place]);
}

/** Returns once per navigation whether the new screen's heading should be focused. */
export function takeFocus(): boolean {
  const pending = focusPending;
  focusPending = false;
  return pending;
}
