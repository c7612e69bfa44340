import { useId } from "react";
import type { Span } from "../../api/types";
import { type Dictionary, useTexts } from "../../i18n";
import { StateBadge } from "../../ui/Badge";
import { Duration } from "../../ui/Duration";
import { Money } from "../../ui/Money";
import type { RunId } from "./queries";
import { SpanDetail } from "./SpanDetail";
import { keyOf, placeBar, type Range } from "./timeline";

/** What all rows of a trace share. */
export interface TraceView {
  id: RunId;
  names: Map<string, string>;
  called: Map<string, unknown>;
  range: Range;
  now: number;
  isOpen: (key: string) => boolean;
  isUnfolded: (key: string) => boolean;
  toggle: (key: string) => void;
  fold: (key: string) => void;
}

export function SpanRow({ span, depth, view }: { span: Span; depth: number; view: TraceView }) {
  const { t, format } = useTexts();
  const id = useId();
  const key = keyOf(span);
  const isOpen = view.isOpen(key);
  const isUnfolded = view.isUnfolded(key);
  const title = titleOf(span, view.names, t);
  const elapsed = span.durationMs ?? (span.endedAt === null ? Math.max(0, view.now - Date.parse(span.startedAt)) : null);
  return (
    <li>
      <div className="span-row">
        <div className="span-name" style={{ paddingInlineStart: depth * 20 }}>
          {span.children.length > 0 ? (
            <button
              type="button"
              className="fold"
              aria-expanded={isUnfolded}
              aria-label={t.run.inside(title)}
              onClick={() => view.fold(key)}
            >
              <Arrow />
            </button>
          ) : (
            <span className="fold" />
          )}
          <button type="button" className="span-title" aria-expanded={isOpen} aria-controls={isOpen ? id : undefined} onClick={() => view.toggle(key)}>
            <span className="name" translate={span.action === null ? "no" : "yes"}>{title}</span>
            <span className="sub">
              {span.action === null && <span translate="no">{span.nodeType}</span>}
              {depth > 0 && `${span.action === null ? " · " : ""}${span.step}`}
              {span.attempt > 1 && ` · ${t.run.attempt(span.attempt)}`}
              {!isUnfolded && span.children.length > 0 && ` · ${t.run.steps(format.number(span.children.length))}`}
            </span>
          </button>
        </div>
        <StateBadge state={span.state} />
        <div className="lane" aria-hidden="true">
          {span.state !== "skipped" && <div className={`bar ${span.state}`} style={placeBar(span, view.range, view.now)} />}
        </div>
        <span className="end">{span.state === "skipped" ? <span className="muted">–</span> : <Duration ms={elapsed} />}</span>
        <span className="end">{span.usage ? <Money exact={span.usage.costExact} /> : <span className="muted">–</span>}</span>
        <span className="end numbers">
          {span.usage ? format.number(span.usage.inputTokens + span.usage.outputTokens) : <span className="muted">–</span>}
        </span>
      </div>
      {isOpen && <SpanDetail id={id} span={span} run={view.id} called={view.called.get(span.nodeId)} />}
      {span.children.length > 0 && isUnfolded && (
        <ul>
          {span.children.map((child, index) => (
            <SpanRow key={`${keyOf(child)}#${index}`} span={child} depth={depth + 1} view={view} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** The name of the node, or what an agent did: a model or a tool has a name, but what is loaded is the agent itself. */
function titleOf({ nodeId, action }: Span, names: Map<string, string>, t: Dictionary): string {
  if (action === null) return names.get(nodeId) ?? nodeId;
  const kind = t.run.kinds[action.kind];
  return action.kind === "load" ? kind : `${kind} ${action.name}`;
}

function Arrow() {
  return <svg viewBox="0 0 16 16" aria-hidden="true"><path d="m6 4 4 4-4 4" /></svg>;
}
