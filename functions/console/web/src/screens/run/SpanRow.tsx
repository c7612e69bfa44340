import { type ReactNode, useId } from "react";
import type { Span } from "../../api/types";
import { type Dictionary, useTexts } from "../../i18n";
import { StateBadge } from "../../ui/Badge";
import { Duration } from "../../ui/Duration";
import { Money } from "../../ui/Money";
import type { StepState } from "./history";
import type { RunId } from "./queries";
import { SpanDetail } from "./SpanDetail";
import { placeBar, type Range } from "./timeline";

/** What all rows of a trace share. */
export interface TraceView {
  id: RunId;
  names: ReadonlyMap<string, string>;
  called: ReadonlyMap<string, unknown>;
  range: Range;
  /** The moment that is shown. What goes on then has lasted until then. */
  at: number;
  isPast: boolean;
  critical: ReadonlySet<string>;
  stateOf: (span: Span) => StepState | null;
  isOpen: (span: Span) => boolean;
  isUnfolded: (span: Span) => boolean;
  toggle: (span: Span) => void;
  fold: (span: Span) => void;
}

export function SpanRow({ span, depth, view }: { span: Span; depth: number; view: TraceView }) {
  const { t, format } = useTexts();
  const id = useId();
  const isOpen = view.isOpen(span);
  const isUnfolded = view.isUnfolded(span);
  const title = titleOf(span, view.names, t);
  const state = view.stateOf(span);
  const hasEnded = span.endedAt !== null && state === span.state;
  const elapsed = hasEnded ? span.durationMs : Math.max(0, view.at - Date.parse(span.startedAt));
  const usage = hasEnded || !view.isPast ? span.usage : null;
  const isShown = state !== null && state !== "skipped";
  const isCritical = span.step === span.nodeId && view.critical.has(span.nodeId);
  return (
    <li className={state === null ? "future" : isCritical ? "critical" : undefined} aria-level={depth + 1}>
      <div className="span-row">
        <div className="span-name" style={{ paddingInlineStart: depth * 20 }}>
          {span.children.length > 0 ? (
            <button
              type="button"
              className="fold"
              aria-expanded={isUnfolded}
              aria-label={t.run.inside(title)}
              onClick={() => view.fold(span)}
            >
              <Arrow />
            </button>
          ) : (
            <span className="fold" />
          )}
          <button type="button" className="span-title" aria-expanded={isOpen} aria-controls={isOpen ? id : undefined} onClick={() => view.toggle(span)}>
            <span className="name" translate={span.action === null ? "no" : "yes"}>{title}</span>
            <span className="sub">
              {span.action === null && <span translate="no">{span.nodeType}</span>}
              {span.step !== span.nodeId && `${span.action === null ? " · " : ""}${span.step}`}
              {span.attempt > 1 && ` · ${t.run.attempt(span.attempt)}`}
              {!isUnfolded && span.children.length > 0 && ` · ${t.run.steps(format.number(span.children.length))}`}
              {isCritical && ` · ${t.run.onPath}`}
            </span>
          </button>
        </div>
        {state === null ? <span className="muted">{t.run.notBegun}</span> : <StateBadge state={state} />}
        <div className="lane" aria-hidden="true">
          {isShown && <div className={`bar ${state}`} style={placeBar(span, view.range, hasEnded ? null : view.at)} />}
        </div>
        <Fact name={t.runs.duration}>{isShown ? <Duration ms={elapsed} /> : null}</Fact>
        <Fact name={t.runs.cost}>{usage && <Money exact={usage.costExact} />}</Fact>
        <Fact name={t.runs.tokens}>{usage && format.number(usage.inputTokens + usage.outputTokens)}</Fact>
      </div>
      {isOpen && <SpanDetail id={id} span={span} run={view.id} called={view.called.get(span.nodeId)} />}
    </li>
  );
}

/** A figure of the row. Its name is in the heading, which screen readers do not read with it. */
function Fact({ name, children }: { name: string; children: ReactNode }) {
  if (!children) return <span className="end muted" aria-hidden="true">–</span>;
  return <span className="end numbers"><span className="sr-only">{name} </span>{children}</span>;
}

/** The name of the node, or what an agent did: a model or a tool has a name, but what is loaded is the agent itself. */
function titleOf({ nodeId, action }: Span, names: ReadonlyMap<string, string>, t: Dictionary): string {
  if (action === null) return names.get(nodeId) ?? nodeId;
  const kind = t.run.kinds[action.kind];
  return action.kind === "load" ? kind : `${kind} ${action.name}`;
}

function Arrow() {
  return <svg viewBox="0 0 16 16" aria-hidden="true"><path d="m6 4 4 4-4 4" /></svg>;
}
