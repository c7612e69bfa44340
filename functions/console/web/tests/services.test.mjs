import "./browser.mjs";
import assert from "node:assert/strict";
import { test } from "node:test";
import { dictionaries } from "../src/i18n/dictionaries";
import { filterGroups } from "../src/screens/editor/Picker";
import { parametersOf, readArguments, readProblems, templateExpression } from "../src/screens/editor/services/arguments";
import { findPicked, serviceGroups } from "../src/screens/editor/services/choices";
import { presetsOf } from "../src/screens/editor/services/presets";

const operation = (id, name, description, properties = {}, required = [], example = {}) =>
  ({ id, name, description, method: "POST", form: { type: "object", required, properties }, example, paging: null, returns: null });
const sheets = {
  id: "google-sheets", name: "Google Sheets", description: "Spreadsheets of Google.", categories: ["spreadsheets", "files"], operationCount: 2,
  documentation: "https://docs.test",
  authentication: [
    { type: "oauth2_authorization_code", authorizationUrl: "https://{site}.test/auth", tokenUrl: "https://id.test/token", scopes: ["a", "b"],
      scopeSeparator: ",", authorizeParameters: { access_type: "offline" }, description: "Create a client." },
    { type: "header", header: "Authorization", value: "Bot {key}", description: "The token." },
    { type: "basic", username: "the e-mail address", password: "the API token", description: "In the settings." },
    { type: "none", description: "Public." },
  ],
  operations: [
    operation("append-rows", "Append rows", "Adds rows after the last row.", {
      range: { type: "string", title: "Range", "x-expression": "jinja" },
      rows: { type: "array", items: { type: "array" }, title: "Rows", "x-expression": "cel" },
      valueInput: { type: "string", enum: ["RAW"], default: "RAW", "x-expression": "jinja" },
    }, ["range", "rows", "valueInput"], { range: "A:C", rows: [["Ada", 36]] }),
    operation("read-rows", "Read rows", "Reads cells; append comes later."),
  ],
};
const texts = dictionaries.en.editor.services;
const nodes = { title: "Logic", choices: [{ key: "condition", name: "Condition", text: "Chooses a branch.", category: "logic" }] };
const groups = [nodes, ...serviceGroups([sheets], texts)];
const found = (search) => filterGroups(groups, search, "Others").map(({ title, choices }) => [title, ...choices.map(({ name }) => name)]);

test("services are listed by their first category, and their operations are found by a search", () => {
  assert.deepEqual(found(" "), [["Logic", "Condition"], ["Services: Spreadsheets", "Google Sheets"]]);
  assert.deepEqual(found("sheets rows").flat(), ["Services: Spreadsheets", "Google Sheets: Append rows", "Google Sheets: Read rows"]);
});

test("names come before descriptions and categories", () => {
  assert.deepEqual(found("append"), [["Services: Spreadsheets", "Google Sheets: Append rows"], ["Others", "Google Sheets: Read rows"]]);
  assert.deepEqual(found("branch"), [["Logic", "Condition"]]);
  assert.deepEqual(found("logic"), [["Logic", "Condition"]]);
  assert.deepEqual(found("nothing of this"), []);
});

test("a choice is a service or an operation", () => {
  const { choices } = groups[1];
  assert.deepEqual(choices.map(({ key }) => findPicked([sheets], key)), [
    { service: sheets, operation: null }, ...sheets.operations.map(({ id }) => ({ service: sheets, operation: id })),
  ]);
  assert.equal(findPicked([sheets], "condition"), null);
});

test("a template is one expression", () => {
  for (const [template, expression] of [
    ["{{ input.name }}", "input.name"],
    [" {{ input.name | upper }}\n", "input.name | upper"],
    ["Hi \"{{ input.name }}\"", '"Hi \\"" ~ (input.name) ~ "\\""'],
    ["{{ a }}{{ b }}", "(a) ~ (b)"],
    ["{{ '}}' }}", "'}}'"],
    ["a\nb {{ x }}", '"a\\nb " ~ (x)'],
    ["input.name", null], ["{{ input.name", null], ["{{ }}", null], ["{% if a %}b{% endif %}", null], ["{{ a }}{# b #}", null],
  ]) assert.equal(templateExpression(template), expression, template);
});

const parameters = parametersOf(sheets.operations[0], texts.suchAs);

test("a parameter with a default is optional, and an example explains it", () => {
  assert.deepEqual(parameters.map(({ name, isRequired }) => [name, isRequired]), [["range", true], ["rows", true], ["valueInput", false]]);
  const [range, rows, valueInput] = parameters;
  assert.equal(range.schema.example, "A:C");
  assert.equal(rows.schema.items.description, 'Such as `["Ada",36]`.');
  assert.equal(valueInput.schema.example, "RAW");
});

test("a parameter is sent as a value or as an expression", () => {
  const written = (computed) => ({
    values: { range: "{{ as it is }}", rows: [[1]], valueInput: undefined },
    expressions: { range: "{{ input.range }}", rows: "[[input.name]]" },
    computed: new Set(computed),
  });
  assert.deepEqual(readArguments(parameters, written([])).body, { values: { range: "{{ as it is }}", rows: [[1]] }, expressions: {} });
  assert.deepEqual(readArguments(parameters, written(["range", "rows"])).body,
    { values: {}, expressions: { range: "input.range", rows: "[[input.name]]" } });
  const fixed = { values: {}, expressions: { range: "A:C" }, computed: new Set(["range", "rows"]) };
  // An empty expression is the API's matter.
  assert.deepEqual(readArguments(parameters, fixed), { body: { values: {}, expressions: { rows: "" } }, refused: ["range"] });
});

test("the problems of parameters are found in the sentence of the API", () => {
  const fields = (message) => {
    const { problems, rest } = readProblems("http", message);
    return [problems.map(({ field, message, nodeId }) => [field, message.slice(field.length + 2), nodeId]), rest];
  };
  assert.deepEqual(fields("values.rows[0]: must be a list; expressions.shop: cannot be an expression; give a value"),
    [[["values.rows[0]", "must be a list", "http"], ["expressions.shop", "cannot be an expression; give a value", "http"]], ""]);
  assert.deepEqual(fields("config.url: is too long"), [[], "config.url: is too long"]);
});

test("a new credential has what is known of the service", () => {
  const [oauth, header, basic, ...others] = presetsOf(sheets, { site: "shop" }, texts);
  assert.deepEqual(others, []);
  assert.deepEqual(oauth, { type: "oauth2_authorization_code", about: "Create a client.", values: { authorizationUrl: "https://shop.test/auth",
    tokenUrl: "https://id.test/token", scope: "a,b", authorizationParameters: "access_type=offline" } });
  assert.deepEqual(header.values, { header: "Authorization" });
  assert.equal(basic.about, "In the settings. User name: the e-mail address. Password: the API token.");
  assert.match(header.about, /^The token\. .*`Bot \{key\}`/);
  assert.equal(presetsOf(sheets, {}, texts)[0].values.authorizationUrl, "https://{site}.test/auth");
});
