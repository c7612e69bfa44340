import { useEffect, useSyncExternalStore } from "react";
import { useTexts } from "../i18n";

/** One clock for all times on the screen. */
let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void) {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const listener of listeners) listener();
  }, 10_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

export function RelativeTime({ time }: { time: string | null | undefined }) {
  const { format } = useTexts();
  useSyncExternalStore(subscribe, () => now);
  useEffect(() => {
    now = Date.now();
  }, []);
  if (!time) return <span className="muted">–</span>;
  return (
    <time dateTime={time} title={format.dateTime(time)}>
      {format.relative(time, Date.now())}
    </time>
  );
}
