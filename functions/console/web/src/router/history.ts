import { useLayoutEffect, useMemo, useSyncExternalStore } from "react";
import { hrefOf, type QueryValues, readPlace, type Target } from "./routes";

const POSITIONS = "console.positions";
const KEPT = 50;
/** A list that takes longer to load does not move any more what the person reads. */
const PATIENCE_MS = 5_000;
const SCROLLING = ["wheel", "touchmove", "keydown", "pointerdown"] as const;

/** Scroll positions by entry of the history, so that going back returns to where a list was. */
const positions = readPositions();
const listeners = new Set<() => void>();

let entry = entryKey();
let restore: number | null = positions.get(entry) ?? null;
let focusPending = false;

function entryKey(): string {
  const state = history.state as { key?: string } | null;
  if (state?.key !== undefined) return state.key;
  const key = Math.random().toString(36).slice(2);
  history.replaceState({ key }, "");
  return key;
}

function readPositions(): Map<string, number> {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(POSITIONS) ?? "[]") as [string, number][]);
  } catch {
    return new Map();
  }
}

function notify() {
  for (const listener of listeners) listener();
}

history.scrollRestoration = "manual";
window.addEventListener("scroll", () => restore === null && positions.set(entry, window.scrollY), { passive: true });
// A page that is loaded again, such as after a sign-in, knows them too.
window.addEventListener("pagehide", () => sessionStorage.setItem(POSITIONS, JSON.stringify([...positions].slice(-KEPT))));

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

/** Restores the position once the screen is as high as it was. The person can scroll before that. */
export function useScrollRestoration(place: unknown) {
  useLayoutEffect(() => {
    const wanted = restore;
    if (wanted === null) return;
    const release = () => {
      clearTimeout(timer);
      observer.disconnect();
      for (const event of SCROLLING) window.removeEventListener(event, stop);
    };
    const stop = () => {
      release();
      restore = null;
    };
    const scroll = () => {
      window.scrollTo(0, wanted);
      if (Math.abs(window.scrollY - wanted) < 2) stop();
    };
    const timer = setTimeout(stop, PATIENCE_MS);
    const observer = new ResizeObserver(scroll);
    observer.observe(document.body);
    for (const event of SCROLLING) window.addEventListener(event, stop, { passive: true });
    scroll();
    return release;
  }, [place]);
}

/** Returns once per navigation whether the new screen's heading should be focused. */
export function takeFocus(): boolean {
  const pending = focusPending;
  focusPending = false;
  return pending;
}
