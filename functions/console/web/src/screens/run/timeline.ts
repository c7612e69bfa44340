import type { RunState, Span } from "../../api/types";

export interface Range {
  start: number;
  end: number;
}

export const keyOf = (span: Span) => `${span.step}#${span.attempt}`;

/** The time from the first step to the last end, or to now while a step goes on. */
export function rangeOf(spans: readonly Span[], now: number): Range {
  let start = Number.POSITIVE_INFINITY;
  let end = Number.NEGATIVE_INFINITY;
  const visit = (span: Span) => {
    start = Math.min(start, Date.parse(span.startedAt));
    end = Math.max(end, span.endedAt === null ? now : Date.parse(span.endedAt));
    span.children.forEach(visit);
  };
  spans.forEach(visit);
  return Number.isFinite(start) ? { start, end: Math.max(end, start + 1) } : { start: now, end: now + 1 };
}

/** Where a time is, in percent of the range. */
export function percentOf(time: number, { start, end }: Range): string {
  return percent((time - start) / (end - start));
}

const percent = (part: number) => `${Math.round(Math.min(1, Math.max(0, part)) * 10_000) / 100}%`;

/** Where the bar of a step is. With `until`, the step goes on at that time. */
export function placeBar(span: Span, { start, end }: Range, until: number | null): { left: string; width: string } {
  const length = end - start;
  const from = (Date.parse(span.startedAt) - start) / length;
  const to = ((until ?? Date.parse(span.endedAt ?? span.startedAt)) - start) / length;
  return { left: percent(from), width: percent(to - from) };
}

export interface Row {
  span: Span;
  depth: number;
}

/** The rows of the tree in their order, without what is folded. */
export function listRows(spans: readonly Span[], isUnfolded: (span: Span) => boolean): Row[] {
  const rows: Row[] = [];
  const visit = (span: Span, depth: number) => {
    rows.push({ span, depth });
    if (span.children.length > 0 && isUnfolded(span)) for (const child of span.children) visit(child, depth + 1);
  };
  for (const span of spans) visit(span, 0);
  return rows;
}

/** The steps of a node: one for each execution and attempt. What is part of them stays inside of them. */
export function findSpans(spans: readonly Span[], nodeId: string): Span[] {
  return spans.flatMap((span) => (span.nodeId === nodeId ? [span] : findSpans(span.children, nodeId)));
}

export function countSpans(spans: readonly Span[]): number {
  return spans.reduce((count, span) => count + 1 + countSpans(span.children), 0);
}

export function isInProgress(spans: readonly Span[]): boolean {
  return spans.some((span) => span.endedAt === null || isInProgress(span.children));
}

/** The nodes from which a run can be repeated, in the order in which they began. */
export function topNodes(spans: readonly Span[]): string[] {
  return [...new Set(spans.filter((span) => span.state !== "skipped").map((span) => span.nodeId))];
}

/**
 * Whether the state of a run fits its steps. No event says that a run pauses: its state follows the last step that waits,
 * a little later. A step that others are part of is in the state of those.
 */
export function fitsSteps(state: RunState, spans: readonly Span[]): boolean {
  if (state !== "queued" && state !== "running" && state !== "paused") return true;
  const open = new Set(statesInProgress(spans));
  return state === "paused" ? !open.has("running") : open.has("running");
}

function statesInProgress(spans: readonly Span[]): Span["state"][] {
  return spans.flatMap((span) => {
    const inside = statesInProgress(span.children);
    return inside.length > 0 || span.endedAt !== null ? inside : [span.state];
  });
}
