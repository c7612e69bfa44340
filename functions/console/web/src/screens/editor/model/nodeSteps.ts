// What a node did in previews and in a run, in one shape.
import type { Span } from "../../../api/types";
import { leadsBack } from "./ports";
import type { Graph, PreviewNode } from "./types";

/** A value, or why it is not there: it is too large for the answer, or the node did not get so far. */
export type Shown = { kind: "value"; value: unknown } | { kind: "large"; bytes: number | null } | { kind: "none" };

export interface NodeStep {
  key: string;
  step: string;
  state: PreviewNode["state"] | Span["state"];
  port: string | null;
  durationMs: number | null;
  error: { code: string; message: string } | null;
  /** The values that went in, with the node that each comes from, as far as that is known. */
  inputs: { from: string | null; shown: Shown }[];
  output: Shown;
  console: PreviewNode["console"];
}

type Previews = ReadonlyMap<string, { steps: readonly PreviewNode[] }>;

/** The steps of a node in previews. What went in are the values of the nodes before it. */
export function previewSteps(graph: Graph, nodeId: string, previewed: Previews): NodeStep[] {
  return (previewed.get(nodeId)?.steps ?? []).map((step) => ({
    key: step.step,
    step: step.step,
    state: step.state,
    port: step.port,
    durationMs: step.durationMs,
    error: step.error,
    inputs: step.action === null && step.state !== "skipped" ? inputsOf(graph, step, previewed) : [],
    output: outputOf(step),
    console: step.console,
  }));
}

function outputOf({ state, output, outputBytes }: PreviewNode): Shown {
  if (outputBytes !== null) return { kind: "large", bytes: outputBytes };
  return state === "completed" ? { kind: "value", value: output } : { kind: "none" };
}

/** The outputs of the nodes before a step, in the same iteration of a loop or outside of it. */
function inputsOf(graph: Graph, { nodeId, step }: PreviewNode, previewed: Previews): NodeStep["inputs"] {
  const type = graph.nodes.find(({ id }) => id === nodeId)?.type;
  const sources = graph.connections.filter(({ to }) => to.node === nodeId && !leadsBack(type, to.port)).map(({ from }) => from);
  return sources.flatMap(({ node, port }) => {
    const steps = previewed.get(node)?.steps ?? [];
    const source = placesOf(step).map((place) => steps.find((other) => other.step === place + node)).find((found) => found !== undefined);
    return source?.port === port ? [{ from: node, shown: outputOf(source) }] : [];
  });
}

/** `a[1]/b[2]/c` is in `a[1]/b[2]/`, in `a[1]/`, and in the whole. */
function placesOf(step: string): string[] {
  const parts = step.split("/").slice(0, -1);
  return [...parts.map((_, index) => `${parts.slice(0, parts.length - index).join("/")}/`), ""];
}

/** The steps of a node in a run, each attempt as one. */
export function runSteps(spans: readonly Span[]): NodeStep[] {
  return spans.map((span, index) => ({
    key: `${span.step}#${span.attempt}#${index}`,
    step: span.attempt > 1 ? `${span.step} #${span.attempt}` : span.step,
    state: span.state,
    port: span.port,
    durationMs: span.durationMs,
    error: span.error,
    inputs: span.state === "skipped" ? [] : [{ from: null, shown: partOf(span, "input") }],
    output: span.state === "completed" || span.omitted.includes("output") ? partOf(span, "output") : { kind: "none" },
    console: span.console,
  }));
}

const partOf = (span: Span, part: "input" | "output"): Shown =>
  span.omitted.includes(part) ? { kind: "large", bytes: null } : { kind: "value", value: span[part] };
