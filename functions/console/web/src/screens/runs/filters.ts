import type { RunOrigin, RunState } from "../../api/types";

export const states = ["queued", "running", "paused", "completed", "failed", "cancelled"] as const satisfies readonly RunState[];
export const origins = ["manual", "webhook", "scheduled", "channel", "mcp"] as const satisfies readonly RunOrigin[];
/** The filters that are texts, and their parameters of the API. */
export const textFilters = { error: "errorCode", node: "nodeId", participant: "participant", release: "releaseId" } as const;
export type TextFilter = keyof typeof textFilters;

export interface RunFilters extends Record<TextFilter, string> {
  state: RunState | "";
  origin: RunOrigin | "";
  from: string;
  to: string;
  workflow: string;
}

/** What removes all filters, except the workflow. */
export const noFilters = { state: "", origin: "", from: "", to: "", error: "", node: "", participant: "", release: "" } as const;

export function readFilters(query: URLSearchParams): RunFilters {
  const oneOf = <V extends string>(name: string, values: readonly V[]) => values.find((value) => value === query.get(name)) ?? "";
  const text = (name: string) => query.get(name) ?? "";
  return {
    state: oneOf("state", states),
    origin: oneOf("origin", origins),
    from: readDay(query.get("from")),
    to: readDay(query.get("to")),
    workflow: text("workflow"),
    error: text("error"),
    node: text("node"),
    participant: text("participant"),
    release: text("release"),
  };
}

export function isFiltered(filters: RunFilters): boolean {
  return (Object.keys(noFilters) as (keyof typeof noFilters)[]).some((name) => filters[name] !== "");
}

/** The day of an address, or an empty text. */
export function readDay(text: string | null): string {
  return /^\d{4}-\d\d-\d\d$/.test(text ?? "") ? (text ?? "") : "";
}

/** The parameters of the API. Days are those of the person's time zone, and the last one is included. */
export function toParameters(filters: RunFilters) {
  const { state, origin, from, to } = filters;
  const texts = (Object.keys(textFilters) as TextFilter[]).filter((name) => filters[name].trim() !== "");
  return {
    ...(state && { state: [state] }),
    ...(origin && { origin: [origin] }),
    ...(from && { from: startOf(from, 0) }),
    ...(to && { to: startOf(to, 1) }),
    ...Object.fromEntries(texts.map((name) => [textFilters[name], filters[name].trim()])),
  };
}

function startOf(day: string, later: number): string {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + later).toISOString();
}
