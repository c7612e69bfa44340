import { readDay } from "../runs/filters";

export const periods = ["7", "30", "90", "custom"] as const;
export type Period = (typeof periods)[number];

/** The most workflows of one request. */
export const MOST_WORKFLOWS = 20;
export const MOST_DAYS = 366;
const DAY_MS = 24 * 60 * 60_000;

export interface AnalyticsFilters {
  /** Empty: those whose runs ended last. */
  workflows: string[];
  period: Period;
  from: string;
  to: string;
}

export function readFilters(query: URLSearchParams, now = new Date()): AnalyticsFilters {
  const period = periods.find((period) => period === query.get("period")) ?? "30";
  const workflows = (query.get("workflows") ?? "").split(",").filter(Boolean).slice(0, MOST_WORKFLOWS);
  if (period === "custom") return { workflows, period, from: readDay(query.get("from")), to: readDay(query.get("to")) };
  return { workflows, period, from: dayBefore(now, Number(period) - 1), to: dayBefore(now, 0) };
}

export function isPeriod(from: string, to: string): boolean {
  return from !== "" && from <= to && (Date.parse(to) - Date.parse(from)) / DAY_MS < MOST_DAYS;
}

/** A day of the person's time zone. */
function dayBefore(now: Date, days: number): string {
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() - days);
  return [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}
