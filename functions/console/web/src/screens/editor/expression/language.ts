// An expression as the value of a field.
import type { ExpressionLanguage } from "./tokens";

export interface Expression {
  language: ExpressionLanguage;
  text: string;
}

/** Reads a string in the language of the field, or `{"js": "…"}`. */
export function readExpression(value: unknown, ofField: ExpressionLanguage): Expression {
  if (typeof value === "string") return { language: ofField, text: value };
  const source = typeof value === "object" && value !== null && "js" in value ? value.js : undefined;
  return typeof source === "string" ? { language: "js", text: source } : { language: ofField, text: "" };
}

export const writeExpression = ({ language, text }: Expression): unknown => (language === "js" ? { js: text } : text);

const PLACEHOLDER = /\{\{-?\s*([\w.]+)\s*-?\}\}/g;
const BACKTICKS = /^`([^`\\]*)`$/;

/** A template becomes a text in backticks, and back, as far as that is simple. A person sees the result at once. */
export function changeLanguage(text: string, from: ExpressionLanguage, to: ExpressionLanguage): string {
  if (from === "jinja" && text !== "") {
    const only = /^\{\{\s*([\w.]+)\s*\}\}$/.exec(text.trim())?.[1];
    const rest = text.replace(PLACEHOLDER, "");
    // What is not simple stays as it is, and a person rewrites it.
    if (only === undefined && /\{[{%#]/.test(rest)) return text;
    return only ?? `\`${text.replace(/[\\`]|\$(?=\{)/g, "\\$&").replace(PLACEHOLDER, "${$1}")}\``;
  }
  if (to !== "jinja" || text === "") return text;
  const inner = BACKTICKS.exec(text.trim())?.[1];
  return inner === undefined ? `{{ ${text} }}` : inner.replace(/\$\{([\w.]+)\}/g, "{{ $1 }}");
}
