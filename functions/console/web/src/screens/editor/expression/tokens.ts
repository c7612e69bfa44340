/** `javascript` is the body of a function, and `js` a single expression. */
export type ExpressionLanguage = "cel" | "jinja" | "javascript" | "js";

export type TokenKind =
  /** What a template prints as it is. */
  | "text"
  /** `{{`, `%}` and the like. */
  | "delimiter"
  | "comment"
  | "string"
  | "number"
  | "keyword"
  /** `input`, `nodes`, `vars` and `run`. */
  | "root"
  | "name"
  | "property"
  | "function"
  | "operator";

export interface Token {
  kind: TokenKind;
  text: string;
  start: number;
  end: number;
}

const JAVASCRIPT_KEYWORDS = new Set([
  "true", "false", "null", "undefined", "in", "of", "instanceof", "typeof", "void", "new", "delete", "this", "super", "const", "let", "var", "function",
  "async", "await", "yield", "return", "throw", "try", "catch", "finally", "if", "else", "for", "while", "do", "switch", "case", "default", "break",
  "continue", "class", "extends", "static", "get", "set",
]);
const KEYWORDS: Record<ExpressionLanguage, ReadonlySet<string>> = {
  cel: new Set(["true", "false", "null", "in"]),
  javascript: JAVASCRIPT_KEYWORDS,
  js: JAVASCRIPT_KEYWORDS,
  jinja: new Set(["true", "false", "none", "True", "False", "None", "in", "not", "and", "or", "is", "if", "else"]),
};
/** The words that begin a statement of a template. */
export const STATEMENTS = ["for", "endfor", "if", "elif", "else", "endif", "set", "endset", "with", "endwith", "filter", "endfilter", "raw", "endraw"];
const ROOTS: readonly string[] = ["input", "nodes", "vars", "run"];

const CLOSE: Record<string, string> = { "{{": "}}", "{%": "%}", "{#": "#}" };
const STRING = /(?:[rRbB]?)(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?)/y;
/** A string of a template can have line breaks, and no prefix. */
const JINJA_STRING = /"(?:\\[\s\S]|[^"\\])*"?|'(?:\\[\s\S]|[^'\\])*'?/y;
const JAVASCRIPT_STRING = /"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?|`(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{)?/y;
/** The part of a text in backticks that follows `${…}`. */
const JAVASCRIPT_REST = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{)?/y;
const JAVASCRIPT_COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y;
const NUMBER = /0[xX][\da-fA-F]+[uU]?|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?[uU]?/y;
const NAME = /[\p{L}_][\p{L}\p{N}_]*/uy;
const FIELD = /`[^`\n]*`?/y;
const COMMENT = /\/\/[^\n]*/y;
const STRINGS: Record<ExpressionLanguage, RegExp> = { cel: STRING, jinja: JINJA_STRING, javascript: JAVASCRIPT_STRING, js: JAVASCRIPT_STRING };
/** The comments within code. Those of a template are around it. */
const COMMENTS: Record<ExpressionLanguage, RegExp | null> = { cel: COMMENT, jinja: null, javascript: JAVASCRIPT_COMMENT, js: JAVASCRIPT_COMMENT };
const OPERATOR = /\?\.|=>|===|!==|==|!=|<=|>=|&&|\|\||\/\/|\*\*|\S/uy;
const SPACE = /\s+/y;

/** Splits a text into tokens. Every text has tokens: what is wrong in it is the compiler's matter. */
export function tokenize(text: string, language: ExpressionLanguage): Token[] {
  const tokens: Token[] = [];
  if (language === "jinja") readTemplate(text, tokens);
  else readCode(text, 0, language, null, tokens);
  return tokens;
}

function readTemplate(text: string, tokens: Token[]) {
  const push = (kind: TokenKind, start: number, end: number) => {
    if (end > start) tokens.push({ kind, text: text.slice(start, end), start, end });
  };
  let at = 0;
  while (at < text.length) {
    const begin = findFrom(text, /\{[{%#]/g, at);
    push("text", at, begin);
    if (begin === text.length) return;
    const open = text.slice(begin, begin + 2);
    if (open === "{#") {
      const end = text.indexOf("#}", begin);
      at = end === -1 ? text.length : end + 2;
      push("comment", begin, at);
      continue;
    }
    // A minus removes the space around, as in `{%- if x -%}`.
    const inside = begin + (/[-+]/.test(text.charAt(begin + 2)) ? 3 : 2);
    push("delimiter", begin, inside);
    const first = tokens.length;
    at = readCode(text, inside, "jinja", CLOSE[open] ?? "}}", tokens);
    const word = tokens[first];
    if (open !== "{%" || word === undefined) continue;
    if (STATEMENTS.includes(word.text)) word.kind = "keyword";
    if (word.text === "raw") {
      const end = findFrom(text, /\{%[-+]?\s*endraw/g, at);
      push("text", at, end);
      at = end;
    }
  }
}

function findFrom(text: string, wanted: RegExp, from: number): number {
  wanted.lastIndex = from;
  return wanted.exec(text)?.index ?? text.length;
}

/** Reads tokens up to the closing delimiter, and returns where they end. */
function readCode(text: string, from: number, language: ExpressionLanguage, close: string | null, tokens: Token[]): number {
  let at = from;
  // The braces that are open, where a brace ends the code.
  let depth = 0;
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  const push = (kind: TokenKind, found: string) => {
    tokens.push({ kind, text: found, start: at, end: at + found.length });
    at += found.length;
  };
  while (at < text.length) {
    const space = match(SPACE);
    if (space !== undefined) {
      at += space.length;
      continue;
    }
    const before = tokens.at(-1)?.text;
    if (close !== null) {
      const sign = language === "jinja" && /[-+]/.test(text.charAt(at)) ? 1 : 0;
      if (depth === 0 && text.startsWith(close, at + sign)) {
        push("delimiter", text.slice(at, at + sign + close.length));
        return at;
      }
    }
    const comments = COMMENTS[language];
    const comment = comments === null ? undefined : match(comments);
    if (comment !== undefined) {
      push("comment", comment);
      continue;
    }
    const string = match(STRINGS[language]);
    if (string !== undefined) {
      push("string", string);
      let isOpen = string.startsWith("`") && string.endsWith("${");
      while (isOpen) {
        at = readCode(text, at, language, "}", tokens);
        const rest = match(JAVASCRIPT_REST) ?? "";
        if (rest !== "") push("string", rest);
        isOpen = rest.endsWith("${");
      }
      continue;
    }
    const field = language === "cel" && before === "." ? match(FIELD) : undefined;
    if (field !== undefined) {
      push("property", field);
      continue;
    }
    const number = match(NUMBER);
    if (number !== undefined) {
      push("number", number);
      continue;
    }
    const name = match(NAME);
    if (name !== undefined) {
      const isCalled = /^\s*\(/.test(text.slice(at + name.length, at + name.length + 20));
      push(kindOfName(name, before, isCalled, language), name);
      continue;
    }
    const operator = match(OPERATOR) ?? text.charAt(at);
    if (operator === "{") depth += 1;
    if (operator === "}") depth -= 1;
    push("operator", operator);
  }
  return at;
}

function kindOfName(name: string, before: string | undefined, isCalled: boolean, language: ExpressionLanguage): TokenKind {
  if (language === "jinja" && (before === "|" || before === "is") && name !== "not") return "function";
  if (before === "." || before === "?.") return isCalled ? "function" : "property";
  if (KEYWORDS[language].has(name)) return "keyword";
  if (isCalled) return "function";
  return ROOTS.includes(name) ? "root" : "name";
}
