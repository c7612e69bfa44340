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

interface Entry {
  key: string;
  /** The place among the entries, which tells how far away another one is. */
  index: number;
  /** Whether the entry before it is the same screen with another query. */
  isSameScreen: boolean;
}

let path = pathOf(location.hash);
let entry = readEntry(-1, false);
let restore: number | null = positions.get(entry.key) ?? null;
let focusPending = false;

function pathOf(hash: string): string {
  return (hash || "#/").split("?", 1)[0] ?? "";
}

/** Returns what the history knows about the current entry. One that a link has just made is new. */
function readEntry(index: number, isSameScreen: boolean): Entry {
  const state = history.state as Partial<Entry> | null;
  if (state?.index !== undefined) return state as Entry;
  const made = { key: Math.random().toString(36).slice(2), index: index + 1, isSameScreen };
  history.replaceState(made, "");
  return made;
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
window.addEventListener("scroll", () => restore === null && positions.set(entry.key, window.scrollY), { passive: true });
// A page that is loaded again, such as after a sign-in, knows them too.
window.addEventListener("pagehide", () => sessionStorage.setItem(POSITIONS, JSON.stringify([...positions].slice(-KEPT))));
window.addEventListener("hashchange", () => {
  const newPath = pathOf(location.hash);
  const next = readEntry(entry.index, newPath === path);
  if (next.key === entry.key) return ask?.();
  if (hold !== null && !newPath.startsWith(hold.screen)) return goBackAndAsk(next.index - entry.index);
  entry = next;
  const isOtherScreen = path !== newPath;
  // A dialog that has a place of its own leaves the screen below where it is.
  restore = positions.get(entry.key) ?? (isOtherScreen ? 0 : null);
  focusPending = isOtherScreen;
  path = newPath;
  notify();
});

let hold: { screen: string; onLeave: (leave: () => void) => void } | null = null;
let ask: (() => void) | undefined;

/** Asks before the person leaves a screen and its tabs. Returns the function that ends this. */
export function holdScreen(target: Target, onLeave: (leave: () => void) => void): () => void {
  const held = { screen: hrefOf(target), onLeave };
  hold = held;
  return () => {
    if (hold === held) hold = null;
  };
}

/** The browser has already left: it returns first, so that the address is that of the screen while the person decides. */
function goBackAndAsk(steps: number) {
  ask = () => {
    ask = undefined;
    hold?.onLeave(() => {
      hold = null;
      history.go(steps);
    });
  };
  history.go(-steps);
}

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

/** Closes what a link has opened on the same screen, such as a dialog. The way back then leads to what was before the screen. */
export function closeOpened(changes: QueryValues) {
  if (entry.isSameScreen) history.back();
  else replaceQuery(changes);
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
