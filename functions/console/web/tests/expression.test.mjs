import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { bareContext, caretContext } from "../src/screens/editor/expression/caret";
import { complete } from "../src/screens/editor/expression/complete";
import { library, tests } from "../src/screens/editor/expression/library";
import { changeLanguage, readExpression, writeExpression } from "../src/screens/editor/expression/language";
import { findNeeds } from "../src/screens/editor/expression/needs";
import { brief, elementScopeOf, loopsAround, placeAt, scopeOf, typeOf, upstreamOf } from "../src/screens/editor/expression/scope";
import { tokenize } from "../src/screens/editor/expression/tokens";
import { en } from "../src/i18n/en";

const kinds = (text, language) => tokenize(text, language).map(({ kind, text }) => `${kind} ${text}`);
/** The context at the bar in a text. */
const at = (text, language = "cel") => {
  const caret = text.indexOf("^");
  return caretContext(text.replace("^", ""), caret, language);
};

test("splits an expression into tokens that cover all but the spaces", () => {
  assert.deepEqual(kinds("nodes.a.output.size() >= 1.5e3 && x != 'it\\'s' // why", "cel"), [
    "root nodes", "operator .", "property a", "operator .", "property output", "operator .", "function size", "operator (", "operator )",
    "operator >=", "number 1.5e3", "operator &&", "name x", "operator !=", "string 'it\\'s'", "comment // why"]);
  assert.deepEqual(kinds("input.`content-type` in [true, r\"\\d\", 0x1F]", "cel").slice(2), [
    "property `content-type`", "keyword in", "operator [", "keyword true", "operator ,", 'string r"\\d"', "operator ,", "number 0x1F", "operator ]"]);
  for (const text of ["'open", '"""a\n"b"""', "año + ñ_1", "a ? b : {\"c\": [1]}", "😀 $ `"]) {
    for (const language of ["cel", "jinja"]) {
      let end = 0;
      for (const token of tokenize(text, language)) {
        assert.equal(text.slice(end, token.start).trim(), "");
        assert.equal(text.slice(token.start, token.end), token.text);
        end = token.end;
      }
      assert.equal(text.slice(end).trim(), "");
    }
  }
});

test("splits a template into texts, placeholders, statements and comments", () => {
  assert.deepEqual(kinds("Hi {{ input.name | upper }}!{# no {{ #}{%- if x is defined -%}a{% endif %}", "jinja"), [
    "text Hi ", "delimiter {{", "root input", "operator .", "property name", "operator |", "function upper", "delimiter }}", "text !",
    "comment {# no {{ #}", "delimiter {%-", "keyword if", "name x", "keyword is", "function defined", "delimiter -%}", "text a",
    "delimiter {%", "keyword endif", "delimiter %}"]);
  assert.deepEqual(kinds("{% raw %}{{ x }}{% endraw %}{{ '}}' }}", "jinja").slice(3), [
    "text {{ x }}", "delimiter {%", "keyword endraw", "delimiter %}", "delimiter {{", "string '}}'", "delimiter }}"]);
  assert.deepEqual(kinds("{{ open", "jinja"), ["delimiter {{", "name open"]);
});

test("code is JavaScript", () => {
  assert.deepEqual(kinds("const n = nodes?.call /* why */ ?? `a${1}`; // end", "javascript"), [
    "keyword const", "name n", "operator =", "root nodes", "operator ?.", "property call", "comment /* why */", "operator ?", "operator ?",
    "string `a${", "number 1", "delimiter }", "string `", "operator ;", "comment // end",
  ]);
  assert.deepEqual(at("return input.lines.^", "javascript").path, ["input", "lines"]);
  assert.equal(at("return 1 // inp^", "javascript"), null);
});

test("values within a text in backticks are found", () => {
  assert.deepEqual(kinds("`$a \\`${input.n + { a: `${1}` }.a}, ${vars.item}`", "js"), [
    "string `$a \\`${", "root input", "operator .", "property n", "operator +", "operator {", "name a", "operator :", "string `${", "number 1",
    "delimiter }", "string `", "operator }", "operator .", "property a", "delimiter }", "string , ${", "root vars", "operator .", "property item",
    "delimiter }", "string `"]);
  assert.deepEqual(kinds("`open ${input", "js"), ["string `open ${", "root input"]);
  assert.deepEqual(at("`Hello ${input.name.^}`", "js").path, ["input", "name"]);
});

test("an expression is a string in the language of its field, or JavaScript", () => {
  const js = { language: "js", text: "input.a" };
  assert.deepEqual(readExpression("input.a", "cel"), { language: "cel", text: "input.a" });
  assert.deepEqual(readExpression({ js: "input.a" }, "cel"), js);
  assert.deepEqual(writeExpression(js), { js: "input.a" });
  for (const other of [undefined, null, 1, {}, { js: 1 }, []]) assert.deepEqual(readExpression(other, "jinja"), { language: "jinja", text: "" });
});

test("a template becomes JavaScript and back", () => {
  for (const [template, js] of [
    ["Hi {{ input.name }}!", "`Hi ${input.name}!`"],
    ["{{ input.name }}", "input.name"],
    ["5 ` and ${", "`5 \\` and \\${`"],
    ["", ""],
    ["{{ a | upper }} {{ b }}", "{{ a | upper }} {{ b }}"],
  ]) assert.equal(changeLanguage(template, "jinja", "js"), js);
  assert.equal(changeLanguage("`Hi ${input.name}!`", "js", "jinja"), "Hi {{ input.name }}!");
  assert.equal(changeLanguage("input.name", "js", "jinja"), "{{ input.name }}");
  assert.equal(changeLanguage("input.a > 1", "cel", "js"), "input.a > 1");
});

test("knows what is being written at the caret", () => {
  assert.deepEqual(at("inp^ut + 1"), { kind: "root", path: null, prefix: "inp", from: 0, to: 5, isQuoted: false, isBare: false, locals: new Map() });
  assert.deepEqual(at("nodes.^").path, ["nodes"]);
  assert.deepEqual(at("1 + nodes.a.output.li^").path, ["nodes", "a", "output"]);
  assert.deepEqual(at('nodes["my-step"].output.x[2].^').path, ["nodes", "my-step", "output", "x", 0]);
  assert.deepEqual(at("input.lines.filter(x, x > 1).first().^").path, ["input", "lines", 0]);
  assert.equal(at("size(input).^").path, null);
  assert.deepEqual(at("input.`a-b`.^").path, ["input", "a-b"]);
  for (const text of ["'inp^'", "1 // inp^", "12^", "input ^", "input.lines.filter(^"]) {
    assert.equal(at(text), null, text);
  }
  assert.equal(at("a == ^").kind, "root");
  const quoted = at('nodes["my^"].output');
  assert.deepEqual([quoted.path, quoted.prefix, quoted.isQuoted, quoted.from, quoted.to], [["nodes"], "my", true, 5, 11]);
  const open = at('{{ nodes["my^ }}', "jinja");
  assert.deepEqual([open.from, open.to], [8, 12]);
});

test("knows what is being written in a template", () => {
  for (const text of ["inp^", "{{ x }} ^", "{# inp^ #}", "{% for inp^", "{^{ x }}", "{% set y^"]) assert.equal(at(text, "jinja"), null, text);
  assert.equal(at("{{^", "jinja").kind, "root");
  assert.equal(at("{{ x | up^ }}", "jinja").kind, "filter");
  assert.deepEqual(at("{{ input.x | ^", "jinja").path, ["input", "x"]);
  assert.equal(at("{% if x is not de^", "jinja").kind, "test");
  assert.equal(at("{% en^ %}", "jinja").kind, "statement");
  // A value can be put into what the template prints as it is.
  assert.equal(bareContext("Hi ", 3).isBare, true);
  for (const text of ["{{ x", "{# x", "{{ 'x"]) assert.equal(bareContext(text, 4), null, text);
});

test("knows the variables that the text binds", () => {
  assert.deepEqual(at("input.lines.map(l, l.^").path, ["input", "lines", 0]);
  assert.deepEqual(at("input.lines.all(i, l, l.x.exists(y, y.^").path, ["input", "lines", 0, "x", 0]);
  assert.deepEqual(at("input.lines.map(l, l.x) + l.^").path, ["l"]);
  assert.deepEqual(at("{% for l in input.lines %}{{ l.^", "jinja").path, ["input", "lines", 0]);
  assert.deepEqual(at("{% for l in input.lines %}{% for m in l.x | sort %}{{ m.^", "jinja").path, ["input", "lines", 0, "x", 0]);
  assert.deepEqual(at("{% for l in input.lines %}{{ loop.^", "jinja").path, ["loop"]);
  assert.deepEqual([...at("{% for l in input.lines %}{% endfor %}{{ ^", "jinja").locals], []);
  assert.deepEqual(at("{% set a = input.b %}{{ a.^", "jinja").path, ["input", "b"]);
});

const node = (id, type = "template", config = {}) => ({ id, type, name: "", config });
const edge = (from, to, port = "out", into = "in") => ({ from: { node: from, port }, to: { node: to, port: into } });
const port = (name, schema = {}) => ({ name, schema });
const type = (name, outputs, error = null) =>
  [name, { type: name, inputs: [port("in"), ...(name === "loop" ? [port("next")] : [])], outputs, errorOutput: error }];
const types = new Map([
  ["input", { type: "input", inputs: [], outputs: [port("out")], errorOutput: null }],
  type("template", [port("out", { type: "string" })]),
  type("condition", [port("true"), port("false")]),
  type("http", [port("out", { type: "object", properties: { status: { type: "integer" }, body: {} } })],
    port("error", { type: "object", properties: { code: { type: "string" } } })),
  type("loop", [port("item"), port("done", { type: "array" })]),
]);
// input → check → (true) call → lines ⟲ body → end, and aside
const graph = {
  nodes: [node("input", "input", { example: { lines: [{ sku: "a" }] } }), node("check", "condition"), node("call", "http", { onError: "branch" }),
    node("lines", "loop", { items: "input.lines" }), node("body"), node("my-end"), node("aside")],
  connections: [edge("input", "check"), edge("check", "call", "true"), edge("call", "lines"), edge("lines", "body", "item"),
    edge("body", "lines", "out", "next"), edge("lines", "my-end", "done"), edge("check", "aside", "false")],
  notes: [],
};
const none = { outputs: new Map() };
const find = (id) => graph.nodes.find((node) => node.id === id);
const scope = (id, last = none, item) => scopeOf(graph, types, last, find(id), item);

test("a node sees only the nodes before it", () => {
  assert.deepEqual(upstreamOf(graph, "input"), []);
  assert.deepEqual(upstreamOf(graph, "call"), ["check", "input"]);
  // The body of a loop is not before what follows the loop, and the loop has no output in its own body.
  assert.deepEqual(upstreamOf(graph, "my-end"), ["lines", "call", "check", "input"]);
  assert.deepEqual(upstreamOf(graph, "body"), ["call", "check", "input"]);
  assert.deepEqual(upstreamOf(graph, "lines"), ["call", "check", "input"]);
  assert.deepEqual([loopsAround(graph, "body"), loopsAround(graph, "my-end"), loopsAround(graph, "lines")], [["lines"], [], []]);
});

test("knows the types of values by schemas, examples and last values", () => {
  const typeAt = (id, path, last) => {
    const place = placeAt(scope(id, last), path);
    return place === null ? null : typeOf(place);
  };
  assert.equal(typeAt("check", ["input", "lines"]), "list");
  // A condition passes its input on.
  assert.equal(typeAt("call", ["input", "lines", 0, "sku"]), "text");
  assert.equal(typeAt("lines", ["nodes", "call", "output", "status"]), "number");
  assert.equal(typeAt("lines", ["nodes", "call", "output", "code"]), "text");
  assert.equal(typeAt("lines", ["nodes", "aside", "output"]), null);
  const last = { outputs: new Map([["call", { value: { body: [true] }, port: "out" }]]) };
  assert.equal(typeAt("lines", ["nodes", "call", "output", "body"], last), "list");
  assert.equal(typeAt("lines", ["input", "body", 0], last), "boolean");
  // The value went to another port.
  assert.equal(scope("lines", { outputs: new Map([["call", { value: { code: "x" }, port: "error" }]]) }).input.value, undefined);
  assert.equal(brief({ a: "x".repeat(50), b: 1 }, 12), '{a: "xxxxxxxxx…", …}'.replace("xxxxxxxxx", "x".repeat(12)));
});

test("a node with `each` sees an element, and returns a list", () => {
  const each = { items: "input.lines", concurrency: 2 };
  const send = node("send", "http", { onError: "branch", each });
  const repeated = { ...graph, nodes: [...graph.nodes, send, node("after")], connections: [...graph.connections, edge("input", "send"), edge("send", "after")] };
  const element = elementScopeOf(repeated, types, none, send, { sku: "a" });
  assert.deepEqual([typeOf(placeAt(element, ["input", "sku"])), typeOf(placeAt(element, ["vars", "item"])), element.isInLoop], ["text", "object", true]);
  const whole = scopeOf(repeated, types, none, send, undefined);
  assert.deepEqual([typeOf(placeAt(whole, ["input", "lines"])), whole.isInLoop], ["list", false]);
  const after = scopeOf(repeated, types, none, repeated.nodes.at(-1), undefined);
  assert.deepEqual([typeOf(after.input), typeOf(placeAt(after, ["input", 0, "status"]))], ["list", "number"]);
  const failed = new Map([["send", { value: { code: "x" }, port: "error" }]]);
  assert.equal(placeAt(scopeOf(repeated, types, { outputs: failed }, repeated.nodes.at(-1), undefined), ["nodes", "send", "output", "code"]).value, "x");
});

test("offers what can be written, what begins with the prefix first", () => {
  const last = { outputs: new Map([["call", { value: { "content-type": "a", body: "b" }, port: "out" }]]) };
  const labels = (text, id = "my-end", language = "cel") =>
    complete(at(text, language), scope(id, last), language, (id) => id).map(({ label }) => label);
  assert.deepEqual(labels("nodes.^"), ["lines", "call", "check", "input"]);
  assert.deepEqual(labels("nodes.ca^"), ["call"]);
  assert.deepEqual(labels("inp^").slice(0, 1), ["input"]);
  // A node is found without writing where outputs are.
  assert.deepEqual(labels("cal^"), ["nodes.call"]);
  assert.deepEqual(labels("vars.^"), []);
  assert.deepEqual(labels("vars.^", "body").slice(0, 2), ["item", "index"]);
  assert.ok(labels("nodes.call.output.body.^").includes("startsWith"));
  assert.ok(!labels("nodes.call.output.body.^").includes("distinct"));
  assert.deepEqual(labels("{{ input | tojs^", "my-end", "jinja"), ["tojson"]);
  const [bare] = complete(bareContext("", 0), scope("my-end", last), "jinja", (id) => id);
  assert.deepEqual([bare.insert, bare.back], ["{{ input }}", 3]);
  const [field] = complete(at("nodes.call.output.content^"), scope("my-end", last), "cel", (id) => id);
  assert.deepEqual([field.insert, field.from], ['["content-type"]', 17]);
});

test("sends only the values that an expression uses", () => {
  const last = { outputs: new Map([["call", { value: 1, port: "out" }], ["check", { value: 2, port: "true" }]]) };
  const needs = findNeeds("nodes.call.output + nodes.input.output + run.id", "cel", scope("my-end", last));
  assert.deepEqual(needs, { data: { nodes: { call: { output: 1 } } }, missing: ["nodes.input", "run"], usesVariables: true });
  assert.deepEqual(Object.keys(findNeeds("nodes[input.x].output", "cel", scope("lines", last)).data.nodes).sort(), ["call", "check"]);
  assert.deepEqual(findNeeds("Hi {{ input }}, nodes.call", "jinja", scope("lines", last)).data, { input: 1 });
  assert.equal(findNeeds("1 + 1", "cel", scope("lines")).usesVariables, false);
});

test("each function of the library exists in the engine, and is explained", () => {
  const engine = "../../../shared/engine/src/expression/";
  const files = ["cel/macros.rs", "jinja/filters.rs", "jinja/lower.rs", "jinja/is_tests.rs"].concat(
    readdirSync(`${engine}functions`, { recursive: true }).filter((name) => name.endsWith(".rs")).map((name) => `functions/${name}`));
  const source = files.map((name) => readFileSync(engine + name, "utf8")).join("\n");
  for (const { name } of [...library.cel, ...library.jinja, ...tests]) assert.ok(source.includes(`"${name}"`), name);
  for (const { name } of [...library.cel, ...library.jinja]) assert.ok(name in en.expression.about, name);
  const known = new Set([...library.cel, ...library.jinja].map(({ name }) => name));
  const variables = ["input", "nodes", "vars.item", "vars.index", "run", "loop"];
  assert.deepEqual(Object.keys(en.expression.about).filter((name) => !known.has(name) && !variables.includes(name)), []);
});
