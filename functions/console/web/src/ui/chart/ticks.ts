export type Unit = "count" | "time" | "money";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Steps of times that are not 1, 2 or 5 with zeros. */
const LONG_STEPS = [
  10 * SECOND, 15 * SECOND, 30 * SECOND, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE,
  HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 5 * DAY, 10 * DAY, 20 * DAY,
];

/** The values at an axis from 0 to at least `most`, in three steps or fewer that are easy to read. */
export function findTicks(most: number, unit: Unit): number[] {
  const step = findStep(most > 0 ? most / 3 : unit === "money" ? 0.01 : 1, unit);
  const count = Math.max(1, Math.ceil(most / step - 1e-9));
  // 3 × 0.1 is 0.30000000000000004.
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

function findStep(least: number, unit: Unit): number {
  if (unit === "time" && least > 5 * SECOND) {
    const step = LONG_STEPS.find((step) => step >= least);
    if (step !== undefined) return step;
  }
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5, 10].find((factor) => factor * power >= least * (1 - 1e-9)) ?? 10;
  return unit === "money" ? factor * power : Math.max(1, factor * power);
}
