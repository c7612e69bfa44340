import type { Schema } from "../form/schema";
import { initialValue, kindOf } from "../form/schema";
import { tokenize } from "../expression/tokens";
import type { Config, Problem } from "../model/types";
import type { NodeArguments, Operation } from "./queries";

/** The parameters of an operation as the form has them. */
export interface Written {
  values: Config;
  /** Expressions as they are written: CEL, or a template with placeholders. */
  expressions: Record<string, string>;
  /** The parameters whose expression counts, and not the value. */
  computed: ReadonlySet<string>;
}

export interface Parameter {
  name: string;
  label: string;
  schema: Schema;
  isRequired: boolean;
}

/** The texts that mostly have several lines. The catalogue does not say which these are. */
const LONG = new Set(["body", "comment", "content", "desc", "description", "excerpt", "message", "note", "notes", "summary", "text", "twiml"]);

/** The parameters of an operation. Their default or an example is the placeholder, or the hint of an element. */
export function parametersOf(operation: Operation, suchAs: (example: string) => string): Parameter[] {
  const form = operation.form as Schema;
  const example = operation.example as Config;
  return Object.entries(form.properties ?? {}).map(([name, schema]) => ({
    name,
    label: schema.title ?? name,
    schema: {
      ...schema,
      example: schema.default ?? example[name],
      ...(schema.items && { items: withExample(schema.items, example[name], suchAs) }),
      "x-lines": schema.type === "string" && schema.enum === undefined && LONG.has(name),
    },
    // The default is sent if nothing is written.
    isRequired: (form.required?.includes(name) ?? false) && schema.default === undefined,
  }));
}

/** An element begins as an empty list or object, which hides a placeholder. */
function withExample(items: Schema, example: unknown, suchAs: (example: string) => string): Schema {
  const first: unknown = Array.isArray(example) ? example[0] : undefined;
  if (first === undefined) return items;
  return kindOf(items) === "json" ? { ...items, description: suchAs(JSON.stringify(first)) } : { ...items, example: first };
}

/** A checkbox has a value from the beginning. */
export function initialValues(parameters: readonly Parameter[]): Config {
  const flags = parameters.filter(({ schema, isRequired }) => isRequired && schema.type === "boolean");
  return Object.fromEntries(flags.map(({ name, schema }) => [name, initialValue(schema)]));
}

/** What the API takes, and the parameters whose templates cannot be expressions. */
export function readArguments(parameters: readonly Parameter[], { values, expressions, computed }: Written): { body: NodeArguments; refused: string[] } {
  const refused: string[] = [];
  const body = { values: {} as Config, expressions: {} as Record<string, string> };
  for (const { name, schema } of parameters) {
    if (!computed.has(name)) {
      if (values[name] !== undefined) body.values[name] = values[name];
      continue;
    }
    const text = expressions[name] ?? "";
    const expression = schema["x-expression"] === "jinja" && text.trim() !== "" ? templateExpression(text) : text;
    if (expression === null) refused.push(name);
    else body.expressions[name] = expression;
  }
  return { body, refused };
}

/**
 * The one Jinja expression that gives what a template prints, such as `"Hi " ~ (input.name)` for `Hi {{ input.name }}`. The
 * API puts it into a text of its own. Null if the template has no placeholder, or also statements or comments.
 */
export function templateExpression(template: string): string | null {
  const text = template.trim();
  const tokens = tokenize(text, "jinja");
  const parts: string[] = [];
  let placeholders = 0;
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token?.kind === "text") {
      parts.push(JSON.stringify(token.text));
      continue;
    }
    const close = tokens.findIndex((other, at) => at > index && other.kind === "delimiter");
    const end = tokens[close];
    if (token?.text !== "{{" || end?.text !== "}}") return null;
    const inside = text.slice(token.end, end.start).trim();
    if (inside === "") return null;
    parts.push(tokens.length === close + 1 && index === 0 ? inside : `(${inside})`);
    placeholders += 1;
    index = close;
  }
  return placeholders === 0 ? null : parts.join(" ~ ");
}

/** A problem of a parameter, as fields show it. */
export function problemOf(nodeId: string, field: string, message: string): Problem {
  return { code: "invalid_body", severity: "error", nodeId, field, message: `${field}: ${message}` };
}

/** The problems that the API reports for the parameters, by their fields; and the rest of its sentence. */
export function readProblems(nodeId: string, message: string): { problems: Problem[]; rest: string } {
  const problems: Problem[] = [];
  const rest: string[] = [];
  // The sentences of problems contain semicolons, too.
  for (const sentence of message.split(/; (?=(?:values|expressions)\.\S+: )/)) {
    const [, field, problem] = /^((?:values|expressions)\.\S+?): (.*)$/s.exec(sentence) ?? [];
    if (field === undefined || problem === undefined) rest.push(sentence);
    else problems.push(problemOf(nodeId, field, problem));
  }
  return { problems, rest: rest.join("; ") };
}
