import { useEffect, useMemo, useState } from "react";
import type { Span } from "../../api/types";
import { useTexts } from "../../i18n";
import { EmptyState } from "../../ui/EmptyState";
import type { RunId } from "./queries";
import { SpanRow, type TraceView } from "./SpanRow";
import { countSpans, isInProgress, rangeOf } from "./timeline";

/** With more steps than this, those inside of loops and agents are folded at first. */
const UNFOLDED = 150;

interface TraceProps {
  id: RunId;
  trace: { spans: Span[]; omitted: number };
  names: Map<string, string>;
  /** The workflows that nodes call, by the node, as far as the draft still knows. */
  called: Map<string, unknown>;
}

/** The steps as a tree, each with a bar on a common axis of time. */
export function Trace({ id, trace, names, called }: TraceProps) {
  const { t, format } = useTexts();
  const { spans, omitted } = trace;
  const now = useClock(isInProgress(spans));
  const range = rangeOf(spans, now);
  const count = useMemo(() => countSpans(spans), [spans]);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  // Steps whose children are not as they are at first.
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  if (spans.length === 0) return <EmptyState title={t.run.noSteps} />;
  const view: TraceView = {
    id,
    names,
    called,
    range,
    now,
    isOpen: (key) => open.has(key),
    isUnfolded: (key) => turned.has(key) !== count <= UNFOLDED,
    toggle: (key) => setOpen(toggled(open, key)),
    fold: (key) => setTurned(toggled(turned, key)),
  };
  return (
    <div className={count > UNFOLDED ? "panel trace long" : "panel trace"}>
      <div className="trace-head" aria-hidden="true">
        <span>{t.run.step}</span>
        <span>{t.runs.state}</span>
        <span className="axis"><span>0</span><span>{format.duration(range.end - range.start)}</span></span>
        <span className="end">{t.runs.duration}</span>
        <span className="end">{t.runs.cost}</span>
        <span className="end">{t.runs.tokens}</span>
      </div>
      <ul>
        {spans.map((span, index) => (
          <SpanRow key={`${span.step}#${span.attempt}#${index}`} span={span} depth={0} view={view} />
        ))}
      </ul>
      {omitted > 0 && <p className="calm">{t.run.omitted(format.number(omitted))}</p>}
    </div>
  );
}

function toggled(set: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const copy = new Set(set);
  if (!copy.delete(key)) copy.add(key);
  return copy;
}

/** The time, each second while something goes on. */
function useClock(runs: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    setNow(Date.now());
    if (!runs) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [runs]);
  return now;
}
