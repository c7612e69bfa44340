// The fields for expressions and templates: completion, results and errors, with the keyboard alone.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { call, check, loaded, open, picture, signIn, until } from "./harness.mjs";

before(async () => { await (await signIn()).context().close(); });

const graph = {
  nodes: [
    { id: "input", type: "input", config: { example: { customer: "Ada", lines: [{ sku: "A1", price: 5 }, { sku: "B2", price: 7 }] } } },
    { id: "order", type: "transform", name: "Order", config: { fields: { total: "input.lines.map(l, l.price).sum()", "first-sku": "input.lines[0].sku" } } },
    { id: "each", type: "loop", config: { items: "nodes.input.output.lines" } },
    { id: "line", type: "template", config: { template: "{{ vars.item.sku }}" } },
    { id: "end", type: "send_result", config: { output: "nodes.order.output" } },
  ],
  connections: [
    { from: "input", to: "order" }, { from: "order", to: { node: "each", port: "in" } }, { from: { node: "each", port: "item" }, to: "line" },
    { from: "line", to: { node: "each", port: "next" } }, { from: { node: "each", port: "done" }, to: "end" },
  ],
};

/** A published workflow that has run once. */
async function create(page, hasRun = true) {
  const { body } = await call(page, "POST", "/builder/v1/workflows", { name: "Expressions", graph });
  const path = `/builder/v1/workflows/${body.data.id}`;
  if (hasRun) {
    await call(page, "POST", `${path}/publish`, {});
    const run = await call(page, "POST", `${path}/runs`, { input: graph.nodes[0].config.example });
    await until(page, `${path}/runs/${run.body.data.id}`, ({ state }) => state === "completed");
  }
  return { path, editor: `/workflows/${body.data.id}/edit` };
}

/** Opens the panel of a node, and puts the focus into a field, which becomes empty. */
async function begin(page, id, field) {
  await page.locator(`.react-flow__node[data-id=${id}]`).focus();
  await page.keyboard.press("Escape");
  await page.locator(`.react-flow__node[data-id=${id}]`).focus();
  await page.keyboard.press("Enter");
  const area = page.locator(`[data-field="config.${field}"]`);
  await area.focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  return area;
}

const options = (page) => page.locator("[role=listbox] [role=option]");
const option = (page, name) => page.locator("[role=listbox]").getByText(name, { exact: true });
/** The names of what the list offers. */
const offered = (page) => page.locator(".suggestion-name").allTextContents();
/** The option that screen readers read. */
const active = (page) => page.evaluate(() => document.getElementById(document.activeElement.getAttribute("aria-activedescendant"))?.textContent);
const result = (page) => page.locator(".expression-result pre");

/** A page whose browser reports the answers to wrong expressions, which have the status 400. This is no fault. */
async function openForgiving(place, options) {
  const page = await open(place, options);
  const push = (fault) => (fault.includes("400") ? 0 : Array.prototype.push.call(page.faults, fault));
  Object.defineProperty(page.faults, "push", { value: push });
  return page;
}

const languages = { en: { list: "Values and functions", error: "the expression ends too early" },
  es: { list: "Valores y funciones", error: "la expresión termina demasiado pronto" } };
for (const [language, texts] of Object.entries(languages)) {
  test(`an expression is completed and evaluated while it is written: ${language}`, async () => {
    const page = await openForgiving("/workflows", { language, colorScheme: language === "en" ? "light" : "dark" });
    await loaded(page);
    const { path, editor } = await create(page);
    await page.evaluate((place) => { location.hash = place; }, editor);
    const area = await begin(page, "end", "output");
    await page.keyboard.type("nodes.");
    await options(page).first().waitFor();
    assert.equal(await area.getAttribute("aria-autocomplete"), "list");
    await page.getByRole("listbox", { name: texts.list }).waitFor();
    // The body of the loop is not before what follows the loop.
    assert.deepEqual(await offered(page), ["each", "order", "input"]);
    await page.keyboard.press("ArrowDown");
    // The values of the last run arrive after the names.
    await options(page).filter({ hasText: "total: 12" }).waitFor();
    assert.match(await active(page), /^order.*total: 12.*Order$/);
    await check(page, `list ${language}`);
    await picture(page, `expression-list-${language}`);

    // Escape closes only the list.
    await page.keyboard.press("Escape");
    await options(page).first().waitFor({ state: "detached" });
    assert.equal(await area.inputValue(), "nodes.");
    await page.keyboard.press("Control+Space");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    assert.equal(await area.inputValue(), "nodes.order.output");
    await page.keyboard.type(".to");
    await page.keyboard.press("Tab");
    await page.keyboard.type(" + 30");
    assert.equal(await area.inputValue(), "nodes.order.output.total + 30");
    await result(page).getByText("42", { exact: true }).waitFor();
    assert.equal(await area.evaluate((area) => area === document.activeElement), true);
    await until(page, path, ({ graph }) => graph.nodes.some(({ config }) => config.output === "nodes.order.output.total + 30"));

    await page.keyboard.type(" +");
    await page.getByText(texts.error).first().waitFor();
    await result(page).waitFor({ state: "detached" });
    // A completion is undone like what is typed.
    await page.keyboard.press("Control+a");
    await page.keyboard.type("inp");
    await page.keyboard.press("Enter");
    assert.equal(await area.inputValue(), "input");
    await page.keyboard.press("Control+z");
    assert.notEqual(await area.inputValue(), "input");
    await check(page, `after ${language}`);
    await page.context().close();
  });
}

const javascript = { en: { language: "Language of Output", value: "Language of Fields 1" }, es: { language: "Lenguaje de Salida", value: "Lenguaje de Campos 1" } };
for (const [language, texts] of Object.entries(javascript)) {
  test(`an expression is written in JavaScript: ${language}`, async () => {
    const page = await openForgiving("/workflows", { language, colorScheme: language === "en" ? "light" : "dark" });
    await loaded(page);
    const { path, editor } = await create(page);
    const saved = (isSaved) => until(page, path, ({ graph }) => isSaved(graph.nodes.find(({ id }) => id === "end").config.output));
    await page.evaluate((place) => { location.hash = place; }, editor);
    const area = await begin(page, "end", "output");
    await page.keyboard.type("nodes.order.output.total");
    await saved((output) => output === "nodes.order.output.total");
    // What is written stays.
    await page.getByLabel(texts.language).selectOption("js");
    await saved((output) => output.js === "nodes.order.output.total");
    await area.focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("`Total: ${nodes.order.output.to");
    await option(page, "total").waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.type(".toFixed(2)} of ${nodes.input.output.customer}`");
    await result(page).getByText("Total: 12.00 of Ada").waitFor();
    await saved((output) => output.js === "`Total: ${nodes.order.output.total.toFixed(2)} of ${nodes.input.output.customer}`");
    await check(page, `javascript ${language}`);
    await picture(page, `expression-javascript-${language}`);
    await page.getByLabel(texts.language).selectOption("cel");
    await saved((output) => typeof output === "string");

    // Each value of a map has a language of its own.
    await begin(page, "order", "fields.total");
    await page.getByLabel(texts.value).selectOption("js");
    await page.locator('[data-field="config.fields.total"]').focus();
    await page.keyboard.type("input.lines.map(({ price }) => price)");
    await until(page, path, ({ graph }) => graph.nodes[1].config.fields.total.js === "input.lines.map(({ price }) => price)");
    await check(page, `values in javascript ${language}`);
    await picture(page, `expression-javascript-values-${language}`);
    await page.context().close();
  });
}

test("a template is completed, also with filters, names in brackets and the element of a loop", async () => {
  const page = await openForgiving("/workflows");
  await loaded(page);
  const { editor } = await create(page);
  await page.evaluate((place) => { location.hash = place; }, editor);
  const area = await begin(page, "line", "template");
  // What a template prints as it is has no list.
  await page.keyboard.type("inp");
  assert.equal(await options(page).count(), 0);
  await page.keyboard.type("ut {{ vars.item.");
  await option(page, "sku").waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.type(" | low");
  await page.keyboard.press("Enter");
  await page.keyboard.type(" }} {{ nodes.order.output.fir");
  await option(page, "first-sku").waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.type(" }}");
  assert.equal(await area.inputValue(), 'input {{ vars.item.sku | lower }} {{ nodes.order.output["first-sku"] }}');
  await result(page).getByText("input a1 A1", { exact: true }).waitFor();
  await page.context().close();
});

test("in a node with `each`, the fields see an element, and the list itself is outside of it", async () => {
  const page = await openForgiving("/workflows");
  await loaded(page);
  const each = { items: "nodes.input.output.lines" };
  const repeated = {
    nodes: [graph.nodes[0], { id: "sku", type: "template", name: "Sku", config: { template: "{{ input.sku }}", each } }, { id: "end", type: "send_result", config: {} }],
    connections: [{ from: "input", to: "sku" }, { from: "sku", to: "end" }],
  };
  const { body } = await call(page, "POST", "/builder/v1/workflows", { name: "Each", graph: repeated });
  const path = `/builder/v1/workflows/${body.data.id}`;
  await call(page, "POST", `${path}/publish`, {});
  const run = await call(page, "POST", `${path}/runs`, { input: graph.nodes[0].config.example });
  const ended = await until(page, `${path}/runs/${run.body.data.id}`, ({ state }) => state === "completed");
  assert.deepEqual(ended.output, ["A1", "B2"]);

  await page.evaluate((place) => { location.hash = place; }, `/workflows/${body.data.id}/edit`);
  await begin(page, "sku", "template");
  await page.keyboard.type("{{ input.");
  await option(page, "sku").waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.type(" }} at {{ vars.index }} of {{ vars.item.sku | lower }}");
  await result(page).getByText("A1 at 0 of a1", { exact: true }).waitFor();
  await picture(page, "each in the editor");
  await begin(page, "sku", "each.items");
  await page.keyboard.type("input.");
  await option(page, "lines").waitFor();
  assert.ok(!(await offered(page)).includes("sku"));
  await page.keyboard.press("Escape");
  await check(page, "each");

  // The run counts the elements, not the list.
  await page.evaluate((place) => { location.hash = place; }, `/workflows/${body.data.id}/runs/${run.body.data.id}`);
  await page.getByText("sku[1]/sku").first().waitFor();
  await picture(page, "each in a run");
  await page.context().close();
});

test("values that arrive while the list is open do not move the choice", async () => {
  const page = await openForgiving("/workflows");
  await loaded(page);
  const { editor } = await create(page);
  let release;
  const released = new Promise((resolve) => { release = resolve; });
  await page.route(/\/trace$/, async (route) => {
    await released;
    await route.continue();
  });
  await page.evaluate((place) => { location.hash = place; }, editor);
  const area = await begin(page, "end", "output");
  // The functions of any type, until the value is known to be a list.
  await page.keyboard.type("nodes.each.output.s");
  await options(page).filter({ hasText: "startsWith" }).waitFor();
  const before = (await offered(page)).indexOf("exists(x, test)");
  for (let presses = 0; presses < before; presses++) await page.keyboard.press("ArrowDown");
  assert.match(await active(page), /^exists\(/);
  release();
  await options(page).filter({ hasText: "startsWith" }).waitFor({ state: "detached" });
  assert.notEqual((await offered(page)).indexOf("exists(x, test)"), before);
  assert.match(await active(page), /^exists\(/);
  await page.keyboard.press("Enter");
  assert.equal(await area.inputValue(), "nodes.each.output.exists()");
  await page.context().close();
});

test("without values, the page says how to get them", async () => {
  const page = await openForgiving("/workflows");
  await loaded(page);
  const { editor } = await create(page, false);
  await page.evaluate((place) => { location.hash = place; }, editor);
  await begin(page, "end", "output");
  await page.getByText("Ctrl+Space").waitFor();
  await page.keyboard.type("nodes.order.output.total ");
  await page.getByText("Results appear here once the workflow has been tried or has run.").waitFor();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("[1, 2].map(x, x * 2)");
  await result(page).waitFor();
  assert.deepEqual(JSON.parse(await result(page).textContent()), [2, 4]);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});
