import { useEffect, useRef } from "react";
import { useTexts } from "../i18n";
import { navigate } from "../router/history";
import { Dialog } from "../ui/Dialog";
import { isSwitchedOff, useSingleKeys } from "./keySetting";
import { screenKeys } from "./screenKeys";

const places = { h: "home", w: "workflows", a: "agents", r: "runs", n: "analytics" } as const;

/** The keys that work everywhere, except while the person writes or a dialog is open. */
export function useShortcuts(onShowKeys: () => void) {
  const show = useRef(onShowKeys);
  show.current = onShowKeys;
  useEffect(() => {
    let goUntil = 0;
    const handle = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.isComposing) return;
      const target = event.target;
      if (target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable], dialog")) return;
      if (isSwitchedOff(event) || document.querySelector("dialog[open]") !== null) return;
      const place = places[event.key as keyof typeof places];
      if (place !== undefined && event.timeStamp < goUntil) {
        event.preventDefault();
        navigate({ to: place });
      } else if (event.key === "/") {
        const field = document.querySelector<HTMLElement>("[data-main-search]");
        if (field === null) return;
        event.preventDefault();
        field.focus();
      } else if (event.key === "?") {
        event.preventDefault();
        show.current();
      }
      goUntil = event.key === "g" ? event.timeStamp + 1200 : 0;
    };
    document.addEventListener("keydown", handle);
    return () => document.removeEventListener("keydown", handle);
  }, []);
}

export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTexts();
  const isOn = useSingleKeys();
  const ofScreen = screenKeys();
  // A screen can use the key of the search for something else.
  const hasSearch = ofScreen.every(([keys]) => keys[0] !== "/");
  const rows = [
    [["g", "h"], t.keys.goTo(t.nav.home)],
    [["g", "w"], t.keys.goTo(t.nav.workflows)],
    [["g", "a"], t.keys.goTo(t.nav.agents)],
    [["g", "r"], t.keys.goTo(t.nav.runs)],
    [["g", "n"], t.keys.goTo(t.nav.analytics)],
    ...(hasSearch ? [[["/"], t.keys.search] as const] : []),
    [["?"], t.keys.show],
    [["Esc"], t.keys.close],
    ...ofScreen,
  ] as const;
  return (
    <Dialog title={t.keys.title} onClose={onClose}>
      {!isOn && <p className="muted">{t.keys.off}</p>}
      <dl className="keys">
        {rows.map(([keys, what]) => (
          <div key={what} style={{ display: "contents" }}>
            <dt>{keys.map((key) => <kbd key={key}>{key}</kbd>)}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
