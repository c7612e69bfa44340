/** The fields of the gateway that are amounts of money. */
const AMOUNTS = ["cost", "uncollected", "credits_remaining", "initial_credits", "limit", "used", "amount", "charged"] as const;
type Amount = (typeof AMOUNTS)[number];
const amounts: ReadonlySet<string> = new Set(AMOUNTS);

/** A body of the gateway whose amounts are decimal texts instead of numbers. */
export type Exact<T> = T extends readonly (infer E)[]
  ? Exact<E>[]
  : T extends object
    ? { [K in keyof T]: K extends Amount ? ExactAmount<T[K]> : Exact<T[K]> }
    : T;
type ExactAmount<V> = V extends number ? string : V;

/**
 * Parses a body of the gateway without rounding its amounts: it writes them as JSON numbers, which JavaScript would round.
 * A browser that does not hand out the source of a number gets the rounded one.
 */
export function parseExact<T>(text: string): Exact<T> {
  const revive = (key: string, value: unknown, context?: { source?: string }) =>
    typeof value === "number" && amounts.has(key) ? plainDecimal(context?.source ?? String(value)) : value;
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown) as Exact<T>;
}

/** Writes a decimal number without an exponent. */
export function plainDecimal(text: string): string {
  const parts = /^(-?)(\d+)(?:\.(\d+))?[eE]([+-]?\d+)$/.exec(text);
  if (parts === null) return text;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = parts;
  const shift = Number(exponent);
  const digits = whole + fraction;
  const point = whole.length + shift;
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  if (point >= digits.length) return sign + digits + "0".repeat(point - digits.length);
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** The platform writes amounts with at most this many decimals. */
const DECIMALS = 12;

/** An exact amount as a whole number, so that amounts can be added. */
export function toUnits(exact: string): bigint {
  const [whole = "0", fraction = ""] = plainDecimal(exact).split(".");
  return BigInt(whole + fraction.slice(0, DECIMALS).padEnd(DECIMALS, "0"));
}

/** Writes such a whole number as an exact amount. */
export function fromUnits(units: bigint): string {
  const sign = units < 0n ? "-" : "";
  const digits = String(units < 0n ? -units : units).padStart(DECIMALS + 1, "0");
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, "");
  return sign + digits.slice(0, -DECIMALS) + (fraction && `.${fraction}`);
}
