import type { Span } from "../../api/types";

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

/** Where the bar of a step is, in percent of the range. */
export function placeBar(span: Span, { start, end }: Range, now: number): { left: string; width: string } {
  const length = end - start;
  const from = (Date.parse(span.startedAt) - start) / length;
  const to = ((span.endedAt === null ? now : Date.parse(span.endedAt)) - start) / length;
  const percent = (part: number) => `${Math.round(Math.min(1, Math.max(0, part)) * 10_000) / 100}%`;
  return { left: percent(from), width: percent(to - from) };
}

export function countSpans(spans: readonly Span[]): number {
  return spans.reduce((count, span) => count + 1 + countSpans(span.children), 0);
}

export function isInProgress(spans: readonly Span[]): boolean {
  return spans.some((span) => span.endedAt === null || isInProgress(span.children));
}

/** The time of the last change that the trace shows. */
export function lastChange(spans: readonly Span[]): string {
  return spans.reduce((last, span) => {
    const own = span.endedAt ?? span.startedAt;
    const inside = lastChange(span.children);
    return [last, own, inside].reduce((a, b) => (a > b ? a : b));
  }, "");
}

/** The nodes from which a run can be repeated, in the order in which they began. */
export function topNodes(spans: readonly Span[]): string[] {
  return [...new Set(spans.filter((span) => span.state !== "skipped").map((span) => span.nodeId))];
}
