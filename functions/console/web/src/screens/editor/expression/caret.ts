import type { ExpressionLanguage, Token } from "./tokens";
import { tokenize } from "./tokens";

/** The way to a value: names of fields, and 0 for an element of a list. */
export type Path = readonly (string | 0)[];

/** The variables that the text itself binds, and what they are, if that is known. */
export type Locals = ReadonlyMap<string, Path | null>;

export interface CaretContext {
  /** What can be written at the caret. */
  kind: "root" | "member" | "filter" | "test" | "statement";
  /** The value before the dot or the bar; null if it is not known. */
  path: Path | null;
  /** What is written of it already. */
  prefix: string;
  /** The part of the text that a completion replaces. */
  from: number;
  to: number;
  /** Whether the name is written as `x["name"]`. */
  isQuoted: boolean;
  /** Whether it needs `{{ }}` around it. */
  isBare: boolean;
  locals: Locals;
}

const isName = (token: Token | undefined) =>
  token !== undefined && ["name", "root", "property", "function", "keyword"].includes(token.kind);

/** The variables that a text binds. Nothing is known of those of JavaScript. */
const LOCALS: Record<ExpressionLanguage, (before: readonly Token[]) => Locals> = {
  cel: (before) => celLocals(before),
  jinja: (before) => jinjaLocals(before),
  javascript: () => new Map(),
  js: () => new Map(),
};

/** What can be completed at the caret of a text; null if nothing can. */
export function caretContext(text: string, caret: number, language: ExpressionLanguage): CaretContext | null {
  const all = tokenize(text, language);
  const before = all.filter((token) => token.start < caret);
  const last = before.at(-1);
  // What a template prints, and comments, are free of completions.
  if (language === "jinja" && !isInCode(before, caret)) return null;
  const touched = last !== undefined && last.end >= caret ? last : undefined;
  if (touched?.kind === "comment" && (touched.end > caret || language !== "jinja")) return null;
  const locals = LOCALS[language](before);
  if (touched?.kind === "string") return quotedContext(text, caret, before, touched, locals);
  if (touched?.kind === "number") return null;
  const word = isName(touched) ? touched : undefined;
  const written = word === undefined ? before : before.slice(0, -1);
  const prefix = word === undefined ? "" : word.text.slice(0, caret - word.start);
  const place = { prefix, from: word?.start ?? caret, to: word?.end ?? caret, isQuoted: false, isBare: false, locals };
  const previous = written.at(-1);
  const index = written.length - 1;
  if (previous?.text === "." || previous?.text === "?.") {
    const path = readPath(written, index - 1, locals);
    return { kind: "member", path, ...place };
  }
  if (language === "jinja") {
    if (previous?.text === "|") return { kind: "filter", path: readPath(written, index - 1, locals), ...place };
    const beforeNot = previous?.text === "not" ? written.at(-2) : previous;
    if (beforeNot?.text === "is") return { kind: "test", path: null, ...place };
    if (previous?.kind === "delimiter" && previous.text.startsWith("{%")) return { kind: "statement", path: null, ...place };
    // New names are the person's choice.
    if (previous?.kind === "keyword" && (previous.text === "for" || previous.text === "set")) return null;
  } else if (previous?.text === "(" && written.at(-3)?.text === "." && MACROS.has(written.at(-2)?.text ?? "")) {
    return null;
  }
  return isValueExpected(previous) ? { kind: "root", path: null, ...place } : null;
}

/** A place for a value in what a template prints as it is. */
export function bareContext(text: string, caret: number): CaretContext | null {
  const before = tokenize(text, "jinja").filter((token) => token.start < caret);
  const last = before.at(-1);
  const isInComment = last?.kind === "comment" && (last.end > caret || !last.text.endsWith("#}"));
  if (isInCode(before, caret) || isInComment || (last?.kind === "delimiter" && last.end > caret)) return null;
  return { kind: "root", path: null, prefix: "", from: caret, to: caret, isQuoted: false, isBare: true, locals: jinjaLocals(before) };
}

function isInCode(before: readonly Token[], caret: number): boolean {
  const delimiter = before.findLast(({ kind }) => kind === "delimiter");
  if (delimiter === undefined || delimiter.end > caret) return false;
  return delimiter.text.startsWith("{") && before.at(-1)?.kind !== "text";
}

/** After a value comes an operator, and not another value. */
function isValueExpected(previous: Token | undefined): boolean {
  if (previous === undefined || previous.kind === "keyword") return !["true", "false", "null", "none"].includes(previous?.text ?? "");
  if (previous.kind === "operator") return previous.text !== ")" && previous.text !== "]" && previous.text !== "}";
  return previous.kind === "delimiter" || previous.kind === "comment";
}

/** Inside of `x["…"]`. */
function quotedContext(text: string, caret: number, before: readonly Token[], string: Token, locals: Locals): CaretContext | null {
  const bracket = before.length - 2;
  if (before[bracket]?.text !== "[") return null;
  const path = readPath(before, bracket - 1, locals);
  if (path === null) return null;
  const isClosed = string.text.length > 1 && string.text.endsWith(string.text.charAt(0));
  if (isClosed && caret === string.end) return null;
  // A quote that is not closed takes in what follows.
  const end = isClosed ? string.end : caret;
  const rest = /^\s*\]/.exec(text.slice(end))?.[0].length ?? 0;
  return {
    kind: "member",
    path,
    prefix: text.slice(string.start + 1, caret),
    from: before[bracket]?.start ?? string.start,
    to: end + rest,
    isQuoted: true,
    isBare: false,
    locals,
  };
}

/** The calls whose elements are those of the list that they are called on. */
const SAME_ELEMENTS = new Set(["filter", "sort", "reverse", "distinct", "slice", "unique"]);
const ELEMENT = new Set(["first", "last"]);

/** Reads the path that ends at a token; null if it is not a path. */
function readPath(tokens: readonly Token[], end: number, locals: Locals): Path | null {
  const token = tokens[end];
  if (token === undefined) return null;
  if (token.text === "]") {
    const open = findOpen(tokens, end);
    const of = readPath(tokens, open - 1, locals);
    const key = tokens[open + 1];
    if (of === null || key === undefined) return null;
    const isAlone = open + 2 === end;
    return [...of, isAlone && key.kind === "string" ? unquote(key.text) : 0];
  }
  if (token.text === ")") {
    const open = findOpen(tokens, end);
    const name = tokens[open - 1]?.text ?? "";
    if (tokens[open - 2]?.text !== ".") return null;
    const of = readPath(tokens, open - 3, locals);
    if (of === null) return null;
    if (ELEMENT.has(name)) return [...of, 0];
    return SAME_ELEMENTS.has(name) ? of : null;
  }
  if (!isName(token)) return null;
  const name = token.text.replaceAll("`", "");
  if (tokens[end - 1]?.text !== ".") {
    return locals.has(name) ? locals.get(name) ?? null : [name];
  }
  const of = readPath(tokens, end - 2, locals);
  return of === null ? null : [...of, name];
}

const unquote = (text: string) => text.slice(1, -1).replaceAll(/\\(.)/g, "$1");

function findOpen(tokens: readonly Token[], end: number): number {
  let depth = 0;
  for (let index = end; index >= 0; index -= 1) {
    const token = tokens[index];
    if (token?.kind !== "operator") continue;
    if (token.text === ")" || token.text === "]") depth += 1;
    if (token.text === "(" || token.text === "[") depth -= 1;
    if (depth === 0) return index;
  }
  return -1;
}

/** The calls that bind a variable to each element. Some can bind two: the index and the element. */
const MACROS = new Map([
  ["all", 2], ["exists", 2], ["exists_one", 2], ["existsOne", 2], ["map", 1], ["filter", 1], ["transformList", 2], ["transformMap", 2],
]);

/** The variables of the macros that are open at the end of the tokens. */
function celLocals(tokens: readonly Token[]): Locals {
  const open: [string, Path | null][][] = [];
  tokens.forEach((token, index) => {
    if (token.kind !== "operator") return;
    if (token.text === ")") open.pop();
    if (token.text !== "(") return;
    const variables: [string, Path | null][] = [];
    const most = tokens[index - 2]?.text === "." ? MACROS.get(tokens[index - 1]?.text ?? "") ?? 0 : 0;
    const [first, comma, second, end] = tokens.slice(index + 1, index + 5);
    if (most > 0 && first !== undefined && isName(first) && comma?.text === ",") {
      const of = readPath(tokens, index - 3, new Map(open.flat()));
      const element: Path | null = of === null ? null : [...of, 0];
      const hasTwo = most === 2 && isName(second) && end?.text === ",";
      variables.push([first.text, hasTwo ? null : element]);
      if (hasTwo && second !== undefined) variables.push([second.text, element]);
    }
    open.push(variables);
  });
  return new Map(open.flat());
}

/** The variables of the loops that are open at the end of the tokens, and those that were set. */
function jinjaLocals(tokens: readonly Token[]): Locals {
  const set = new Map<string, Path | null>();
  const loops: [string, Path | null][][] = [];
  tokens.forEach((token, index) => {
    if (token.kind !== "keyword" || tokens[index - 1]?.kind !== "delimiter") return;
    if (token.text === "endfor") loops.pop();
    const locals = () => new Map([...set, ...loops.flat()]);
    const rest = tokens.slice(index + 1);
    const end = rest.findIndex(({ kind, text }) => kind === "delimiter" || text === "|" || text === "if");
    const last = index + (end === -1 ? rest.length : end);
    if (token.text === "for") {
      const within = rest.findIndex(({ text }) => text === "in");
      if (within === -1) return;
      const names = rest.slice(0, within).filter(isName).map(({ text }) => text);
      const of = readPath(tokens, last, locals());
      const element = names.length === 1 && of !== null ? ([...of, 0] as const) : null;
      loops.push([...names.map((name): [string, Path | null] => [name, element]), ["loop", ["loop"]]]);
    }
    const name = rest[0];
    if (token.text === "set" && name !== undefined && isName(name)) {
      set.set(name.text, rest[1]?.text === "=" ? readPath(tokens, last, locals()) : null);
    }
  });
  return new Map([...set, ...loops.flat()]);
}
