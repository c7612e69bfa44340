import type { RunEvent, Span, WorkflowGraph } from "../../api/types";
import { keyOf } from "./timeline";

/**
 * The tree of all steps, from the events of a run. A trace has at most 2,000 steps; the events have all of them, without
 * inputs and outputs. Those are taken from the trace. The rules are those by which the platform computes traces.
 */
export function completeSpans(graph: WorkflowGraph, traced: readonly Span[], events: readonly RunEvent[]): Span[] {
  const known = new Map<string, Span>();
  const usages = new Map<string, Span["usage"]>();
  const remember = (span: Span) => {
    known.set(keyOf(span), span);
    if (span.usage !== null) usages.set(span.step, span.usage);
    span.children.forEach(remember);
  };
  traced.forEach(remember);
  const types = new Map((graph.nodes ?? []).map(({ id, type }) => [id, type]));
  const roots: Span[] = [];
  const open = new Set<Span>();
  /** The latest attempt of each step. */
  const last = new Map<string, Span>();

  const begin = (step: string, attempt: number, at: string): Span => {
    const outer = parentOf(step);
    // A loop and an agent begin with the first step that is part of them.
    const siblings = outer === null ? roots : (last.get(outer) ?? begin(outer, 1, at)).children;
    const id = nodeOf(step);
    const span: Span = {
      ...(known.get(`${step}#${attempt}`) ?? createSpan(step, id, types.get(id) ?? "", attempt)),
      repeats: 0, state: "running", startedAt: at, endedAt: null, durationMs: null, usage: null, children: [],
    };
    siblings.push(span);
    last.set(step, span);
    open.add(span);
    return span;
  };
  const findOpen = (step: string) => {
    const span = last.get(step);
    return span?.endedAt === null ? span : undefined;
  };
  const end = (span: Span, state: Span["state"], at: string) => {
    Object.assign(span, { state, endedAt: at, durationMs: Date.parse(at) - Date.parse(span.startedAt) });
    open.delete(span);
  };

  for (const event of events) {
    const { step, at, type } = event;
    if (step === undefined) {
      // Nothing waits for the results of other attempts any more.
      if (type !== "run_queued") for (const span of open) end(span, "canceled", at);
      continue;
    }
    if (type === "step_interrupted" || type === "branch_won") continue;
    const before = last.get(step);
    if (type === "step_started") {
      const ongoing = findOpen(step);
      if (ongoing !== undefined && ongoing.attempt === event.attempt) {
        ongoing.repeats += 1;
        continue;
      }
      if (ongoing) end(ongoing, "failed", at);
      begin(step, event.attempt ?? 1, at).action = event.action ?? null;
      continue;
    }
    if (type === "step_skipped" && before !== undefined) continue;
    if (type === "step_completed" && before?.state === "failed") {
      before.port = event.port ?? null;
      continue;
    }
    const first = type === "step_canceled" && before ? before.attempt + 1 : 1;
    const span = findOpen(step) ?? begin(step, event.attempt ?? first, at);
    span.action = event.action ?? span.action;
    span.runId = event.runId ?? span.runId;
    span.error = event.error ?? span.error;
    span.usage = event.usage ?? span.usage;
    const state = ends[type];
    if (state === undefined) span.state = "waiting";
    else end(span, state, at);
    if (type === "step_completed") span.port = event.port ?? null;
  }
  // The figures of a step are those of all its attempts, so only one of them has them.
  for (const [step, span] of last) span.usage ??= usages.get(step) ?? null;
  return roots;
}

/** All other events of steps are about what they wait for. */
const ends: Record<string, Span["state"] | undefined> = {
  step_completed: "completed",
  step_failed: "failed",
  step_retried: "failed",
  step_skipped: "skipped",
  step_canceled: "canceled",
};

/** `lines` for `lines[2]/send`, and `lines[2]/ask` for `lines[2]/ask[0]`. */
export function parentOf(step: string): string | null {
  const scope = step.endsWith("]") ? step : step.slice(0, Math.max(0, step.lastIndexOf("/")));
  const end = scope.lastIndexOf("[");
  return end === -1 ? null : scope.slice(0, end);
}

function nodeOf(step: string): string {
  return step.slice(step.lastIndexOf("/") + 1).replace(/\[\d+\]$/, "");
}

function createSpan(step: string, nodeId: string, nodeType: string, attempt: number): Span {
  return {
    step, nodeId, nodeType, attempt, repeats: 0, state: "running", startedAt: "", endedAt: null, durationMs: null, action: null,
    runId: null, port: null, input: null, output: null, omitted: ["input", "output"], console: [], error: null, usage: null, children: [],
  };
}
