import type { CaretContext } from "./caret";
import { library, type LibraryFunction, tests } from "./library";
import { brief, membersOf, type Place, placeAt, type Scope, typeOf, type ValueType } from "./scope";
import { type ExpressionLanguage, STATEMENTS } from "./tokens";

export interface Completion {
  kind: "value" | "function" | "word";
  label: string;
  /** The type of a value, or the arguments of a function. */
  type: ValueType | null;
  signature: string;
  /** What it was last, in a few characters. */
  value: string | null;
  /** What the dictionary says about it: the name of a function, or of a variable. */
  about: string | null;
  /** The name of the node. */
  node: string | null;
  insert: string;
  /** Where the caret is afterwards, from the end of what is inserted. */
  back: number;
  /** The part of the text that it replaces. */
  from: number;
  to: number;
}

/** What tells an entry from all others of its list. */
export const keyOf = ({ kind, label, signature }: Completion) => `${kind} ${label} ${signature}`;

const MAX = 60;
const BRIEF = 36;
const IDENTIFIER = /^[\p{L}_][\p{L}\p{N}_]*$/u;
/** Words of CEL that cannot be names of fields after a dot. */
const RESERVED = new Set(["true", "false", "null", "in"]);

/** The words that may begin a value. */
const WORDS: Record<ExpressionLanguage, readonly string[]> = {
  cel: ["true", "false", "null"],
  jinja: ["true", "false", "none", "not"],
  javascript: [],
  js: [],
};

/** What can be written at the caret, what begins with the prefix first. */
export function complete(context: CaretContext, scope: Scope, language: ExpressionLanguage, nameOf: (id: string) => string): Completion[] {
  const wanted = context.prefix.toLowerCase();
  const found = candidates(context, scope, language, nameOf).flatMap((entry) => {
    const at = entry.label.toLowerCase().indexOf(wanted);
    const isNamed = entry.node !== null && entry.node.toLowerCase().includes(wanted);
    return at === -1 && !isNamed ? [] : [{ entry, rank: entry.label === context.prefix ? 0 : at === 0 ? 1 : 2 }];
  });
  const entries = found.sort((a, b) => a.rank - b.rank).map(({ entry }) => entry).slice(0, MAX);
  // What is written already needs no completion, unless it is the beginning of something else.
  const [first] = entries;
  const beginning = found.filter(({ rank }) => rank < 2).length;
  const isWritten = beginning === 1 && first?.label === context.prefix && first.kind !== "function";
  if (isWritten) return [];
  return context.isBare ? entries.map((entry) => ({ ...entry, insert: `{{ ${entry.insert} }}`, back: entry.back + " }}".length })) : entries;
}

function candidates(context: CaretContext, scope: Scope, language: ExpressionLanguage, nameOf: (id: string) => string): Completion[] {
  const { kind, path } = context;
  const ofLibrary = (functions: readonly LibraryFunction[]) => functions.map((entry) => asFunction(entry, context));
  switch (kind) {
    case "root":
      return [
        ...variables(context, scope),
        ...wholeNodes(context, scope, nameOf),
        ...ofLibrary(library[language].filter(({ on }) => on.length === 0)),
        ...WORDS[language].map((word) => asWord(word, context)),
      ];
    case "member": {
      const methods = language !== "jinja" && !context.isQuoted ? ofLibrary(methodsOf(path, scope, language)) : [];
      return [...members(context, scope, nameOf), ...methods];
    }
    case "filter":
      return ofLibrary(methodsOf(path, scope, language)).map(withoutParentheses);
    case "test":
      // Their names are those of filters, which the dictionary explains.
      return ofLibrary(tests).map((entry) => ({ ...withoutParentheses(entry), about: null }));
    case "statement":
      return STATEMENTS.map((word) => asWord(word, context));
  }
}

/** A filter or test without arguments has no parentheses. */
const withoutParentheses = (entry: Completion): Completion =>
  entry.signature === "()" ? { ...entry, signature: "", insert: entry.label, back: 0 } : entry;

function variables(context: CaretContext, scope: Scope): Completion[] {
  const values: [string, Place][] = [["input", scope.input], ["nodes", { schemas: [{ type: "object" }], value: undefined }]];
  if (scope.isInLoop) values.push(["vars.item", scope.item], ["vars.index", { schemas: [{ type: "integer" }], value: undefined }]);
  values.push(["run", { schemas: [{ type: "object" }], value: undefined }]);
  const own = [...context.locals].map(([name, path]): [string, Place] => [name, (path === null ? null : placeAt(scope, path)) ?? ANY]);
  const entries = [...own.reverse(), ...values].map(([name, place]) => ({ ...asValue(name, place, context), about: name }));
  return entries;
}

/** The outputs of the nodes before, so that they are found by what the person calls them. */
function wholeNodes(context: CaretContext, scope: Scope, nameOf: (id: string) => string): Completion[] {
  return [...scope.nodes].map(([id, { output }]) => {
    const label = `nodes${accessor(id)}`;
    return { ...asValue(label, output, context), insert: `${label}.output`, node: nameOf(id) };
  });
}

const ANY: Place = { schemas: [], value: undefined };

function members(context: CaretContext, scope: Scope, nameOf: (id: string) => string): Completion[] {
  const { path } = context;
  if (path === null) return [];
  const [root, first] = path;
  if (root === "nodes" && path.length === 1) {
    return [...scope.nodes].map(([id, { output }]) => {
      const entry = asMember(id, output, context);
      // A node has only its output.
      return { ...entry, insert: `${entry.insert}.output`, node: nameOf(id) };
    });
  }
  if (root === "nodes" && path.length === 2) {
    const place = placeAt(scope, [...path, "output"]);
    return place === null ? [] : [asMember("output", place, context)];
  }
  if (root === "vars" && first === undefined) {
    return scope.isInLoop ? ["item", "index"].map((name) => asMember(name, placeAt(scope, ["vars", name]) ?? ANY, context)) : [];
  }
  const place = placeAt(scope, path);
  return place === null ? [] : membersOf(place).map(({ name, place }) => asMember(name, place, context));
}

/** The functions that can be called on the value at a path. Of an unknown value, all. */
function methodsOf(path: CaretContext["path"], scope: Scope, language: ExpressionLanguage): LibraryFunction[] {
  const functions = library[language].filter(({ on }) => on.length > 0);
  if (path?.[0] === "nodes" && path.length < 3) return [];
  if (path?.length === 1 && (path[0] === "vars" || path[0] === "run")) return [];
  const place = path === null ? null : placeAt(scope, path);
  const type = place === null ? "any" : typeOf(place);
  if (type === "any" || type === "null") return functions;
  return functions.filter(({ on }) => on.includes(type) || on.includes("any"));
}

const base = { type: null, signature: "", value: null, about: null, node: null, back: 0 } as const;

function asValue(label: string, place: Place, { from, to }: CaretContext): Completion {
  return {
    ...base, kind: "value", label, insert: label, from, to, type: typeOf(place), value: place.value === undefined ? null : brief(place.value, BRIEF),
  };
}

/** A field after a dot. A name that is not an identifier is written in brackets instead. */
function asMember(name: string, place: Place, context: CaretContext): Completion {
  const entry = asValue(name, place, context);
  if (context.isQuoted) return { ...entry, insert: inBrackets(name) };
  const insert = accessor(name);
  return insert.startsWith(".") ? entry : { ...entry, insert, from: context.from - 1 };
}

const inBrackets = (name: string) => `[${JSON.stringify(name)}]`;

const accessor = (name: string) => (IDENTIFIER.test(name) && !RESERVED.has(name) ? `.${name}` : inBrackets(name));

function asFunction({ name, arguments: names }: LibraryFunction, { from, to }: CaretContext): Completion {
  const insert = `${name}()`;
  return { ...base, kind: "function", label: name, insert, from, to, signature: `(${names})`, about: name, back: names === "" ? 0 : 1 };
}

function asWord(word: string, { from, to }: CaretContext): Completion {
  return { ...base, kind: "word", label: word, insert: word, from, to };
}
