/** The values that each field of a cron expression allows. */
export interface Cron {
  minutes: number[];
  hours: number[];
  days: number[];
  months: number[];
  /** From 0, which is Sunday, to 6. */
  weekdays: number[];
  everyHour: boolean;
  everyDay: boolean;
  everyMonth: boolean;
  everyWeekday: boolean;
}

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const WEEKDAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

/** Reads the common syntax: values, lists, ranges, steps and names. Null for the rest, such as `L`, `W` and `#`. */
export function parseCron(text: string): Cron | null {
  const fields = text.trim().split(/\s+/);
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = fields;
  const minutes = parseField(minute, 0, 59);
  const hours = parseField(hour, 0, 23);
  const days = parseField(day, 1, 31);
  const months = parseField(month, 1, 12, MONTHS);
  const weekdays = parseField(weekday, 0, 7, WEEKDAYS);
  if (fields.length !== 5 || !minutes || !hours || !days || !months || !weekdays) return null;
  return {
    minutes,
    hours,
    days,
    months,
    weekdays: sorted(weekdays.map((value) => value % 7)),
    // The platform decides by the text, too.
    everyHour: ["*", "*/1", "0-23"].includes(hour),
    everyDay: day === "*",
    everyMonth: months.length === 12,
    everyWeekday: weekday === "*",
  };
}

const sorted = (values: number[]) => [...new Set(values)].sort((a, b) => a - b);

function parseField(text: string, least: number, most: number, names: string[] = []): number[] | null {
  const valueOf = (part: string) => {
    const place = names.indexOf(part.toUpperCase());
    if (place !== -1) return place + least;
    return /^\d{1,2}$/.test(part) && Number(part) >= least && Number(part) <= most ? Number(part) : null;
  };
  const found: number[] = [];
  for (const part of text.split(",")) {
    const [, range = "", step] = /^(\*|\w+(?:-\w+)?)(?:\/(\d{1,2}))?$/.exec(part) ?? [];
    const isAll = range === "*";
    const [first = "", last] = range.split("-", 2);
    const from = isAll ? least : valueOf(first);
    const to = isAll ? most : last === undefined ? from : valueOf(last);
    const by = step === undefined ? 1 : Number(step);
    const isSingleWithStep = !isAll && last === undefined && step !== undefined;
    if (from === null || to === null || from > to || by === 0 || isSingleWithStep) return null;
    for (let value = from; value <= to; value += by) found.push(value);
  }
  return sorted(found);
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** The next 29 February is at most eight years away. */
const MOST_DAYS = 366 * 8 + 2;

/**
 * The next times of a schedule, as the platform plans them. A schedule with fixed hours fires once for each local time: at
 * the end of the gap if a change of the clocks skips it, and the first time if it is repeated. A schedule of every hour
 * follows elapsed time instead.
 */
export function nextTimes(cron: Cron, zone: string, after: number, count: number): number[] {
  const offset = offsetsOf(zone);
  const today = Math.floor((after + offset(after)) / DAY) * DAY;
  const times: number[] = [];
  let extraDays = 2;
  for (let passed = -1; passed < MOST_DAYS && extraDays > 0; passed++) {
    // Times of neighbouring days can change places when the clocks change.
    if (new Set(times).size >= count) extraDays--;
    const day = today + passed * DAY;
    if (!matchesDay(cron, new Date(day))) continue;
    const usual = offset(day - 2 * DAY);
    const isUsual = offset(day + 2 * DAY) === usual;
    for (const hour of cron.hours) {
      for (const minute of cron.minutes) {
        const local = day + (hour * 60 + minute) * MINUTE;
        const instants = isUsual ? [local - usual] : instantsOf(local, offset, cron.everyHour);
        times.push(...instants.filter((instant) => instant > after));
      }
    }
  }
  return sorted(times).slice(0, count);
}

function matchesDay(cron: Cron, date: Date): boolean {
  if (!cron.months.includes(date.getUTCMonth() + 1)) return false;
  const isDay = cron.days.includes(date.getUTCDate());
  const isWeekday = cron.weekdays.includes(date.getUTCDay());
  // With both fields, one of them suffices.
  return cron.everyDay || cron.everyWeekday ? isDay && isWeekday : isDay || isWeekday;
}

type Offset = (instant: number) => number;

/** The difference of the clocks of a zone to UTC. */
function offsetsOf(zone: string): Offset {
  const format = new Intl.DateTimeFormat("en", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (instant) => {
    const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
    const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
    const local = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
    return local - Math.floor(instant / 1000) * 1000;
  };
}

/** When the clocks show a local time, which is written as if it were in UTC. */
function instantsOf(local: number, offset: Offset, followsElapsedTime: boolean): number[] {
  const before = offset(local - DAY);
  const after = offset(local + DAY);
  const instants = sorted([local - before, local - after]).filter((instant) => instant + offset(instant) === local);
  if (followsElapsedTime) return instants;
  return [instants[0] ?? endOfGap(local, after, offset)];
}

/** The clocks skip the local time: the moment when they change. */
function endOfGap(local: number, after: number, offset: Offset): number {
  let early = local - DAY;
  let late = local + DAY;
  while (late - early > 1000) {
    const middle = Math.floor((early + late) / 2000) * 1000;
    if (offset(middle) === after) late = middle;
    else early = middle;
  }
  return late;
}
