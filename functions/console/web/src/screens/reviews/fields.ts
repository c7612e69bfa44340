import type { ReviewField } from "../../api/types";
import type { Dictionary } from "../../i18n";

/** What the person typed for a field: a text, or for a boolean `true`, `false` or nothing. */
export type Draft = Record<string, string>;

export function draftOf(fields: readonly ReviewField[]): Draft {
  return Object.fromEntries(fields.map((field) => [field.name, textOf(field)]));
}

function textOf({ type, value }: ReviewField): string {
  if (value === null || value === undefined) return "";
  if (type === "json") return JSON.stringify(value, null, 2);
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The values of the fields that the person changed, or the sentence about the first one that cannot be read. */
export function readDraft(fields: readonly ReviewField[], draft: Draft, t: Dictionary): Record<string, unknown> | string {
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const text = draft[field.name] ?? "";
    if (text === textOf(field)) continue;
    const label = field.label || field.name;
    if (field.type === "text") values[field.name] = text;
    else if (text.trim() === "") values[field.name] = null;
    else if (field.type === "boolean") values[field.name] = text === "true";
    else if (field.type === "number") {
      const number = Number(text);
      if (!Number.isFinite(number)) return t.review.notNumber(label);
      values[field.name] = number;
    } else {
      try {
        values[field.name] = JSON.parse(text);
      } catch {
        return t.review.notJson(label);
      }
    }
  }
  return values;
}
