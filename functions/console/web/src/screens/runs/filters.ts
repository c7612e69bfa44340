import type { RunOrigin, RunState } from "../../api/types";

export const states = ["queued", "running", "paused", "completed", "failed", "cancelled"] as const satisfies readonly RunState[];
export const origins = ["manual", "webhook", "scheduled", "channel"] as const satisfies readonly RunOrigin[];

export interface RunFilters {
  state: RunState | "";
  origin: RunOrigin | "";
  from: string;
  to: string;
  workflow: string;
}

export function readFilters(query: URLSearchParams): RunFilters {
  const oneOf = <V extends string>(name: string, values: readonly V[]) => values.find((value) => value === query.get(name)) ?? "";
  const day = (name: string) => (/^\d{4}-\d\d-\d\d$/.test(query.get(name) ?? "") ? (query.get(name) ?? "") : "");
  return {
    state: oneOf("state", states),
    origin: oneOf("origin", origins),
    from: day("from"),
    to: day("to"),
    workflow: query.get("workflow") ?? "",
  };
}

/** The parameters of the API. Days are those of the person's time zone, and the last one is included. */
export function toParameters({ state, origin, from, to }: RunFilters) {
  return {
    ...(state && { state: [state] }),
    ...(origin && { origin: [origin] }),
    ...(from && { from: startOf(from, 0) }),
    ...(to && { to: startOf(to, 1) }),
  };
}

function startOf(day: string, later: number): string {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + later).toISOString();
}
