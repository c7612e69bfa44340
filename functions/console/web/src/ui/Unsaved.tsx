import { useEffect, useState } from "react";
import { holdScreen } from "../router/history";
import type { Target } from "../router/routes";
import { DiscardDialog } from "./Dialog";

/** Asks before what is not saved is lost: when the person leaves the screen and its tabs, and when the page is closed. */
export function Unsaved({ screen }: { screen: Target }) {
  const [leave, setLeave] = useState<(() => void) | null>(null);
  useEffect(() => {
    const release = holdScreen(screen, (leave) => setLeave(() => leave));
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => {
      release();
      window.removeEventListener("beforeunload", warn);
    };
    // A hold ends when the screen does.
  }, []);
  return leave && <DiscardDialog onKeep={() => setLeave(null)} onDiscard={leave} />;
}
