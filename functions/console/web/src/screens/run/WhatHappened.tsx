import { useCallback, useDeferredValue, useEffect, useMemo, useState } from "react";
import { GraphPicture, type NodeMark } from "../../graph/GraphPicture";
import { fromUnits } from "../../api/money";
import type { Run, RunEvent, Span, Wait, WorkflowGraph } from "../../api/types";
import { type Dictionary, useTexts } from "../../i18n";
import type { Format } from "../../i18n/format";
import { markOf } from "../../ui/Badge";
import { ErrorState } from "../../ui/ErrorState";
import { CriticalPath } from "./CriticalPath";
import { completeSpans } from "./events";
import { buildHistory, momentAt, type NodeFigures, spanStateAt, stateOf } from "./history";
import { NodePanel } from "./NodePanel";
import { hasEnded, type RunId, useCriticalPath } from "./queries";
import { TimeSlider } from "./TimeSlider";
import { countSpans, findSpans, isInProgress, rangeOf, topNodes } from "./timeline";
import { Trace } from "./Trace";

/** The second line of a node has room for this. */
const FACTS = 22;

interface WhatHappenedProps {
  id: RunId;
  run: Run | undefined;
  trace: { spans: Span[]; omitted: number };
  /** The graph of the release. Null if it cannot be read. */
  graph: WorkflowGraph | null;
  events: readonly RunEvent[];
  waits: readonly Wait[];
  /** Undefined for those who may not, and as long as the run goes on. */
  onRetry: ((from: string) => void) | undefined;
}

/** The graph, the time and the steps of a run: all three show the same moment. */
export function WhatHappened({ id, run, trace, graph, events, waits, onRetry }: WhatHappenedProps) {
  const { t, format } = useTexts();
  const [position, setPosition] = useState<number | null>(null);
  const [chosen, setChosen] = useState("");
  const [isCritical, setIsCritical] = useState(false);
  const choose = useCallback((node: string) => setChosen((before) => (before === node ? "" : node)), []);

  const ended = run !== undefined && hasEnded(run.state);
  const spans = useMemo(() => {
    if (trace.omitted === 0 || graph === null) return trace.spans;
    // The events arrive in parts. Those of a run that has ended would show it as going on until the last one.
    if (ended && !isLast(events.at(-1))) return trace.spans;
    const complete = completeSpans(graph, trace.spans, events);
    return countSpans(complete) > countSpans(trace.spans) ? complete : trace.spans;
  }, [graph, trace, events, ended]);
  const count = useMemo(() => countSpans(spans), [spans]);
  const isLive = !ended && isInProgress(spans);
  // What is new in a run that goes on arrives with its events.
  const missing = isLive && graph !== null ? 0 : Math.max(0, countSpans(trace.spans) + trace.omitted - count);

  const now = useClock(isLive);
  const range = useMemo(() => rangeOf(spans, now), [spans, now]);
  const history = useMemo(() => buildHistory(graph ?? {}, spans), [graph, spans]);
  // The slider moves at once, and the picture follows as fast as it is drawn.
  const moved = useDeferredValue(position);
  const shown = moved ?? history.length;
  const moment = useMemo(
    () => momentAt(history, shown, moved === null && isLive ? now : undefined),
    [history, shown, moved, isLive, now],
  );

  const path = useCriticalPath(id, isCritical && ended);
  const critical = useMemo(() => new Set(isCritical ? path.data?.map(({ nodeId }) => nodeId) : []), [isCritical, path.data]);
  const nodes = graph?.nodes ?? [];
  const names = useMemo(() => new Map(graph?.nodes?.map(({ id, name }) => [id, name || id])), [graph]);
  const called = useMemo(() => new Map(graph?.nodes?.map(({ id, config }) => [id, config?.["workflowId"]])), [graph]);
  const marks = useMemo(() => {
    const marked = new Map<string, NodeMark>();
    for (const { id } of graph?.nodes ?? []) marked.set(id, markNode(moment.nodes.get(id), critical.has(id), t, format));
    return marked;
  }, [graph, moment, critical, t, format]);
  const node = nodes.find(({ id }) => id === chosen);
  const listed = useMemo(() => (chosen === "" ? spans : findSpans(spans, chosen)), [spans, chosen]);
  const canRepeat = useMemo(() => new Set(topNodes(spans)), [spans]);

  return (
    <>
      {graph !== null && nodes.length > 0 && (
        <div className="panel run-picture">
          <div className="moment-facts">
            <p>{moved === null && !isLive ? t.run.whole : moved === null ? t.run.soFar : t.run.then} <strong className="numbers">{format.money(moved === null && !isLive && run ? run.usage.costExact : fromUnits(moment.cost))}</strong></p>
            {ended && run.erasedAt === null && history.length > 0 && (
              <label className="check">
                <input type="checkbox" checked={isCritical} onChange={(event) => setIsCritical(event.target.checked)} />
                {t.run.criticalPath}
              </label>
            )}
          </div>
          {isCritical && path.error !== null && <ErrorState error={path.error} onRetry={() => void path.refetch()} />}
          {isCritical && path.data && <CriticalPath steps={path.data} names={names} />}
          <GraphPicture graph={graph} label={t.run.picture} marks={marks} taken={moment.taken} chosen={chosen} onChoose={choose} />
          {history.length > 0 && <TimeSlider history={history} position={position} now={isLive ? now : null} onMove={setPosition} />}
        </div>
      )}
      {node !== undefined && (
        <NodePanel
          name={node.name || node.id}
          type={node.type}
          figures={moment.nodes.get(node.id)}
          wait={waits.find((wait) => wait.nodeId === node.id)}
          onRetry={onRetry && canRepeat.has(node.id) ? () => onRetry(node.id) : undefined}
          onClose={() => {
            setChosen("");
            // The button that has the focus goes away.
            document.querySelector<SVGGElement>(`[data-node="${CSS.escape(node.id)}"]`)?.focus();
          }}
        />
      )}
      <Trace
        key={chosen}
        id={id}
        spans={listed}
        isFiltered={chosen !== ""}
        names={names}
        called={called}
        range={range}
        at={moved === null ? null : moment.at}
        now={now}
        critical={critical}
        stateOf={(span) => (moved === null ? span.state : spanStateAt(history, span, shown))}
      />
      {missing > 0 && (
        <p className="calm" role="status">
          {graph !== null && events.length > 0 ? t.run.loadingMore(format.number(missing)) : t.run.omitted(format.number(missing))}
        </p>
      )}
    </>
  );
}

/** The end of a run is the only event after its begin that is about no step. */
function isLast(event: RunEvent | undefined): boolean {
  return event !== undefined && event.step === undefined && event.number > 1;
}

function markNode(figures: NodeFigures | undefined, isCritical: boolean, t: Dictionary, format: Format): NodeMark {
  const path = isCritical ? " critical" : "";
  if (figures === undefined) return { kind: `future${path}`, meaning: t.run.notBegun };
  const state = stateOf(figures);
  const word = t.states[state];
  if (state === "skipped") return { kind: `skipped${path}`, meaning: word, facts: word };
  const duration = format.duration(figures.durationMs);
  const cost = figures.cost > 0n ? [format.money(fromUnits(figures.cost))] : [];
  const times = figures.executions > 1 ? [`×${format.number(figures.executions)}`] : [];
  const facts = [...times, duration, ...cost].join(" · ");
  return {
    kind: `${state}${path}`,
    label: markOf(state),
    facts: facts.length > FACTS ? [...times, ...cost].join(" · ") : facts,
    meaning: [word, figures.executions > 1 && t.run.times(format.number(figures.executions)), duration, ...cost, isCritical && t.run.onPath]
      .filter(Boolean)
      .join(", "),
  };
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
