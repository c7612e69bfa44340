import { type CSSProperties, useMemo, useState } from "react";
import type { Span } from "../../api/types";
import { useTexts } from "../../i18n";
import { EmptyState } from "../../ui/EmptyState";
import type { StepState } from "./history";
import type { RunId } from "./queries";
import { Rows } from "./Rows";
import type { TraceView } from "./SpanRow";
import { countSpans, keyOf, listRows, percentOf, type Range } from "./timeline";

/** With more steps than this, those inside of loops and agents are folded at first. */
const UNFOLDED = 150;

interface TraceProps {
  id: RunId;
  spans: readonly Span[];
  /** Only the steps of one node are listed. */
  isFiltered: boolean;
  names: ReadonlyMap<string, string>;
  /** The workflows that nodes call, by the node. */
  called: ReadonlyMap<string, unknown>;
  range: Range;
  /** The moment that is shown. Null if it is now, or the end. */
  at: number | null;
  now: number;
  critical: ReadonlySet<string>;
  /** The state of a step at that moment. Null if it has not begun. */
  stateOf: (span: Span) => StepState | null;
}

/** The steps as a tree, each with a bar on a common axis of time. */
export function Trace({ id, spans, isFiltered, names, called, range, at, now, critical, stateOf }: TraceProps) {
  const { t, format } = useTexts();
  const count = useMemo(() => countSpans(spans), [spans]);
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(isFiltered && spans.length === 1 ? spans.map(keyOf) : []));
  // Steps whose children are not as they are at first.
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  const isUnfolded = (span: Span) => turned.has(keyOf(span)) !== count <= UNFOLDED;
  const rows = useMemo(() => listRows(spans, isUnfolded), [spans, turned, count]);
  if (spans.length === 0) return <EmptyState title={isFiltered ? t.run.noStepsOfNode : t.run.noSteps} />;
  const view: TraceView = {
    id,
    names,
    called,
    range,
    at: at ?? now,
    isPast: at !== null,
    critical,
    stateOf,
    isOpen: (span) => open.has(keyOf(span)),
    isUnfolded,
    toggle: (span) => setOpen(toggled(open, keyOf(span))),
    fold: (span) => setTurned(toggled(turned, keyOf(span))),
  };
  return (
    <div
      className={at === null ? "panel trace" : "panel trace past"}
      style={at === null ? undefined : ({ "--moment": percentOf(at, range) } as CSSProperties)}
    >
      <div className="trace-head" aria-hidden="true">
        <span>{t.run.step}</span>
        <span>{t.runs.state}</span>
        <span className="axis"><span>0</span><span>{format.duration(range.end - range.start)}</span></span>
        <span className="end">{t.runs.duration}</span>
        <span className="end">{t.runs.cost}</span>
        <span className="end">{t.runs.tokens}</span>
      </div>
      <Rows rows={rows} view={view} />
    </div>
  );
}

function toggled(set: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const copy = new Set(set);
  if (!copy.delete(key)) copy.add(key);
  return copy;
}
