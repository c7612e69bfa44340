import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";

const STORED = "console.theme";
const listeners = new Set<() => void>();

function read(): Theme {
  const stored = localStorage.getItem(STORED);
  return stored === "light" || stored === "dark" ? stored : "system";
}

let theme = read();
apply();

function apply() {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

export function setTheme(chosen: Theme) {
  theme = chosen;
  localStorage.setItem(STORED, chosen);
  apply();
  for (const listener of listeners) listener();
}

export function useTheme(): Theme {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => theme,
  );
}
