import type { Dictionary } from "../../../i18n";
import type { Cron } from "./cron";

interface Words {
  t: Dictionary;
  language: string;
  list: (items: string[]) => string;
}

/** As many times of a day are listed. More of them are described by their minutes and hours. */
const LISTED = 6;

/** A cron expression as a sentence, such as “At 8:30, from Monday to Friday”. */
export function describeCron(cron: Cron, words: Words): string {
  const { t } = words;
  const parts = [describeTimes(cron, words), describeDays(cron, words)];
  if (!cron.everyMonth) parts.push(t.connections.schedules.inMonths(words.list(cron.months.map((month) => monthName(month, words)))));
  return parts.filter((part) => part !== "").join(", ");
}

function describeTimes({ minutes, hours, everyHour }: Cron, { t, language, list }: Words): string {
  const { schedules } = t.connections;
  const minuteStep = stepOf(minutes, 60);
  if (everyHour && minuteStep === 1) return schedules.everyMinute;
  if (everyHour && minuteStep !== null) return schedules.everyMinutes(String(minuteStep));
  if (everyHour) return schedules.everyHourAt(list(ranges(minutes)), minutes.length === 1);
  if (minutes.length * hours.length <= LISTED) {
    const clock = new Intl.DateTimeFormat(language, { timeStyle: "short", timeZone: "UTC" });
    const times = hours.flatMap((hour) => minutes.map((minute) => clock.format(Date.UTC(2000, 0, 1, hour, minute))));
    return schedules.at(list(times), times[0] ?? "");
  }
  const hourStep = stepOf(hours, 24);
  if (minutes.length === 1 && hourStep !== null) return schedules.everyHours(String(hourStep), String(minutes[0]));
  return schedules.atMinutes(list(ranges(minutes)), list(ranges(hours)));
}

function describeDays(cron: Cron, words: Words): string {
  const { schedules } = words.t.connections;
  if (cron.everyDay && cron.everyWeekday) return stepOf(cron.minutes, 60) !== null && cron.everyHour ? "" : schedules.everyDay;
  const days = schedules.onDays(words.list(ranges(cron.days)), cron.days.length === 1);
  if (cron.everyWeekday) return days;
  const weekdays = describeWeekdays(cron.weekdays, words);
  return cron.everyDay ? weekdays : schedules.either(days, weekdays);
}

function describeWeekdays(weekdays: number[], { t, language, list }: Words): string {
  const { schedules } = t.connections;
  if (weekdays.length === 7) return schedules.everyDay;
  // The week of a sentence begins on Monday.
  const days = [...weekdays].sort((a, b) => ((a + 6) % 7) - ((b + 6) % 7));
  const format = new Intl.DateTimeFormat(language, { weekday: "long", timeZone: "UTC" });
  // 2 January 2000 was a Sunday.
  const names = days.map((day) => format.format(Date.UTC(2000, 0, 2 + day)));
  const [first = 0] = days;
  const isRange = days.length > 2 && days.every((day, index) => (day + 6) % 7 === ((first + 6) % 7) + index);
  return isRange ? schedules.weekdayRange(names[0] ?? "", names.at(-1) ?? "") : schedules.onWeekdays(names, list);
}

function monthName(month: number, { language }: Words): string {
  return new Intl.DateTimeFormat(language, { month: "long", timeZone: "UTC" }).format(Date.UTC(2000, month - 1, 1));
}

/** The distance of values that begin at 0 and fill the whole hour or day evenly. */
function stepOf(values: number[], whole: number): number | null {
  const step = whole / values.length;
  return Number.isInteger(step) && values.every((value, index) => value === index * step) && values.length > 1 ? step : null;
}

/** Values that follow each other are a range: 8–17. */
function ranges(values: number[]): string[] {
  const found: [number, number][] = [];
  for (const value of values) {
    const last = found.at(-1);
    if (last !== undefined && value === last[1] + 1) last[1] = value;
    else found.push([value, value]);
  }
  return found.flatMap(([from, to]) => (to - from > 1 ? [`${from}–${to}`] : from === to ? [`${from}`] : [`${from}`, `${to}`]));
}
