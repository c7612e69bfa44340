import { readFilters as readCommon, type RunFilters as CommonFilters } from "../runs/filters";

/** The filters of all runs, and the release. */
export interface RunFilters extends Omit<CommonFilters, "workflow"> {
  release: string;
}

export function readFilters(query: URLSearchParams): RunFilters {
  const { state, origin, from, to } = readCommon(query);
  return { state, origin, from, to, release: query.get("release") ?? "" };
}
