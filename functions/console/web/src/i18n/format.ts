import { plainDecimal } from "../api/money";
import type { Language } from "./language";

export type Format = ReturnType<typeof createFormat>;

const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** The formats of dates, numbers, durations and money in a language. */
export function createFormat(language: Language) {
  const number = new Intl.NumberFormat(language);
  const percent = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });
  const dateTime = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" });
  const time = new Intl.DateTimeFormat(language, { timeStyle: "medium" });
  const date = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", year: "numeric" });
  const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" });
  const money = new Intl.NumberFormat(language, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: 2,
    maximumFractionDigits: 20,
  });
  const list = new Intl.ListFormat(language, { type: "conjunction" });
  const unit = (name: string, digits: number) =>
    new Intl.NumberFormat(language, { style: "unit", unit: name, unitDisplay: "short", maximumFractionDigits: digits });
  const milliseconds = unit("millisecond", 0);
  const seconds = unit("second", 1);
  const minutes = unit("minute", 0);
  const hours = unit("hour", 0);
  const days = unit("day", 0);
  const sizes = { byte: unit("byte", 0), kilobyte: unit("kilobyte", 0), megabyte: unit("megabyte", 1) };

  return {
    number: (value: number) => number.format(value),
    /** A part of one, such as 0.125. */
    percent: (part: number) => percent.format(part),
    dateTime: (time: string | number) => dateTime.format(new Date(time)),
    time: (value: string) => time.format(new Date(value)),
    list: (items: string[]) => list.format(items),

    /** An exact amount of US dollars, from a decimal text: no digit is rounded. */
    money: (exact: string) => money.format(plainDecimal(exact) as Intl.StringNumericLiteral),

    /** How long ago a time was, or when it will be. After a week it is a date. */
    relative(time: string, now: number): string {
      const difference = (new Date(time).getTime() - now) / 1000;
      if (Math.abs(difference) > 7 * 86_400) return date.format(new Date(time));
      for (const [name, length] of UNITS) {
        if (Math.abs(difference) >= length) return relative.format(Math.trunc(difference / length), name);
      }
      return Math.abs(difference) < 5 ? relative.format(0, "second") : relative.format(Math.trunc(difference), "second");
    },

    duration(ms: number): string {
      if (Math.round(ms) < 1000) return milliseconds.format(ms);
      // What would be rounded to 60 seconds is a minute.
      if (ms < 59_950) return seconds.format(ms / 1000);
      const whole = Math.round(ms / 1000);
      if (whole < 3600) return `${minutes.format(Math.floor(whole / 60))} ${seconds.format(whole % 60)}`;
      if (whole < 86_400) return `${hours.format(Math.floor(whole / 3600))} ${minutes.format(Math.floor((whole % 3600) / 60))}`;
      return `${days.format(Math.floor(whole / 86_400))} ${hours.format(Math.floor((whole % 86_400) / 3600))}`;
    },

    size(bytes: number): string {
      if (bytes < 1000) return sizes.byte.format(bytes);
      if (bytes < 999_500) return sizes.kilobyte.format(bytes / 1000);
      return sizes.megabyte.format(bytes / 1_000_000);
    },
  };
}
