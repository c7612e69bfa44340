// The screen of a run: its graph, its time, its critical path, its calls of models, and what can be done from there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BASE, call, check, loaded, open, picture, signIn, until } from "./harness.mjs";

let survey, expense;

/** Publishes a template, or a graph, and starts a run of it. */
async function start(page, { template, graph, input }) {
  const created = template === undefined
    ? await call(page, "POST", "/builder/v1/workflows", { name: "A run", graph })
    : await call(page, "POST", `/builder/v1/workflows/templates/${template}/instantiate`, {});
  const workflow = created.body.data.id;
  await call(page, "POST", `/builder/v1/workflows/${workflow}/publish`, {});
  const example = input ?? (await call(page, "GET", `/builder/v1/workflows/templates/${template}`)).body.data.exampleInput;
  const started = await call(page, "POST", `/builder/v1/workflows/${workflow}/runs`, { input: example });
  assert.equal(started.status, 202, JSON.stringify(started));
  const run = started.body.data.id;
  return { place: `/workflows/${workflow}/runs/${run}`, api: `/builder/v1/workflows/${workflow}/runs/${run}` };
}

test("a run ends, and another one waits", async () => {
  const page = await signIn();
  survey = await start(page, { template: "survey-sentiment" });
  expense = await start(page, { template: "expense-approval" });
  await until(page, survey.api, ({ state }) => state === "completed");
  await until(page, expense.api, ({ state }) => state === "paused");
  await page.context().close();
});

const node = (page, id) => page.locator(`[data-node="${id}"]`);
const titleOf = (page, id) => node(page, id).locator("title").textContent();
const slider = (page) => page.locator(".time-slider input");
const row = (page, name) => page.locator(".trace li", { hasText: name });

for (const width of [1440, 390]) {
  for (const [language, colorScheme] of [["en", "light"], ["es", "dark"]]) {
    test(`a chosen node at a past moment has no fault of accessibility at ${width} px in ${language}`, async () => {
      const page = await open(survey.place, { width, language, colorScheme });
      await loaded(page);
      await node(page, "each").waitFor();
      assert.ok(page.calls.filter((path) => path !== "/gateway/v1/me").length <= 4, page.calls.join("\n"));
      await page.getByRole("checkbox").check();
      await page.locator(".critical-words").waitFor();
      await node(page, "summary").click();
      await page.locator(".calls summary").click();
      await page.locator(".calls tbody tr").waitFor();
      await slider(page).press("ArrowLeft");
      await page.evaluate(() => scrollTo(0, 0));
      await picture(page, `run-past-${width}-${language}`);
      await check(page, `a past moment, ${language}`);
      await page.context().close();
    });
  }
}

test("the slider goes back through the run: states, connections, costs and bars are those of the moment", async () => {
  const page = await open(survey.place);
  await node(page, "result").waitFor();
  const changes = Number(await slider(page).getAttribute("max"));
  await slider(page).press("Home");
  await page.locator(".trace li.future").first().waitFor();
  assert.match(await titleOf(page, "survey"), /Not begun/);
  assert.equal(await page.locator(".picture path.taken").count(), 0);
  assert.equal(await page.locator(".trace .bar").count(), 0);
  assert.equal(await page.locator(".moment-facts strong").textContent(), "$0.00");
  // Until the first model is asked.
  for (let step = 0; step < changes && !(await node(page, "classify").getAttribute("class")).includes("running"); step++) {
    await slider(page).press("ArrowRight");
  }
  assert.match(await titleOf(page, "each"), /Running/);
  assert.match(await titleOf(page, "survey"), /Completed/);
  assert.match(await titleOf(page, "summary"), /Not begun/);
  assert.match(await slider(page).getAttribute("aria-valuetext"), new RegExp(`change \\d+ of ${changes}$`));
  await slider(page).press("End");
  await page.locator(".trace li.future").first().waitFor({ state: "detached" });
  assert.match(await titleOf(page, "classify"), /4 times/);
  const { usage } = await until(page, survey.api, ({ state }) => state === "completed");
  assert.equal(await page.locator(".moment-facts strong").textContent(), `$${usage.costExact}`);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("a run is played to its end", async () => {
  const page = await open(survey.place);
  await page.getByRole("button", { name: "Play" }).click();
  await page.getByRole("button", { name: "Pause" }).waitFor();
  await page.getByRole("button", { name: "Play" }).waitFor();
  assert.equal(await slider(page).inputValue(), await slider(page).getAttribute("max"));
  await page.context().close();
});

test("the keyboard leads from node to node, and the chosen one shows its steps with exact calls and receipts", async () => {
  const page = await open(survey.place);
  await node(page, "survey").focus();
  for (const id of ["filled", "any", "each", "tally", "classify"]) {
    await page.keyboard.press(id === "classify" ? "ArrowDown" : "ArrowRight");
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("data-node")), id);
  }
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: "Node Classify" }).waitFor();
  assert.equal(await page.locator(".span-row").count(), 4);
  await row(page, "each[2]/classify").locator(".span-title").click();
  await page.locator(".calls summary").click();
  const spans = (await call(page, "GET", `${survey.api}/trace?step=${encodeURIComponent("each[2]/classify")}`)).body.data.spans;
  const charge = page.locator(".calls tbody tr");
  await charge.waitFor();
  assert.equal(await charge.count(), 1);
  assert.ok((await charge.textContent()).includes(`$${spans[0].usage.costExact}`), await charge.textContent());
  await charge.getByRole("button", { name: "Receipt" }).click();
  await page.locator(".receipt", { hasText: spans[0].usage.costExact }).waitFor();
  await page.getByRole("button", { name: "Show all steps" }).click();
  await row(page, "Answers").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("data-node")), "classify");
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("a run is repeated from a node of the picture, once for one confirmation", async () => {
  const page = await open(survey.place);
  await node(page, "summary").click();
  await page.getByRole("button", { name: "Retry from here" }).click();
  const dialog = page.getByRole("dialog");
  assert.equal(await dialog.getByLabel("Retry from", { exact: true }).inputValue(), "summary");
  const bodies = [];
  page.on("request", (request) => request.url().endsWith("/retry") && bodies.push(request.postDataJSON()));
  // The answer of the first request is lost.
  await page.route("**/retry", (route) => route.abort(), { times: 1 });
  await dialog.getByRole("button", { name: "Retry", exact: true }).click();
  await dialog.getByText("did not answer").waitFor();
  await dialog.getByRole("button", { name: "Retry", exact: true }).click();
  await page.getByText("Retry of the run").waitFor();
  assert.equal(bodies.length, 2);
  assert.ok(bodies[0].idempotencyKey);
  assert.deepEqual(bodies[0], bodies[1]);
  await page.context().close();
});

test("a waiting node leads to its decision, and the picture follows the run", async () => {
  const page = await open(expense.place);
  const waiting = page.locator(".picture .node.waiting");
  await waiting.waitFor();
  await waiting.click();
  await page.getByRole("button", { name: "Go to the decision" }).click();
  assert.equal(await page.evaluate(() => document.activeElement.closest(".waits") !== null), true);
  const resolved = await call(page, "POST", `${expense.api}/resolve-wait`, { decision: "approve" });
  assert.equal(resolved.status, 200, JSON.stringify(resolved));
  await waiting.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "End" }).waitFor();
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("a lost connection is shown, and the run is followed again once it is back", async () => {
  const page = await open("/runs");
  const { place, api } = await start(page, { template: "expense-approval" });
  await until(page, api, ({ state }) => state === "paused");
  await page.route("**/events?follow=true", (route) => route.abort());
  await page.goto(`${BASE}/console#${place}`);
  await page.getByText("The connection was lost. Reconnecting…").waitFor();
  await page.unroute("**/events?follow=true");
  await page.getByText("Live", { exact: true }).first().waitFor();
  await page.getByText("The connection was lost.").waitFor({ state: "detached" });
  await call(page, "POST", `${api}/resolve-wait`, { decision: "approve" });
  await page.getByText("Completed").first().waitFor();
  await page.context().close();
});

test("all steps of a run that is larger than a trace are listed, and only the visible ones are drawn", async () => {
  const page = await open("/runs");
  const edge = (from, to) => ({ from: { node: from[0], port: from[1] }, to: { node: to[0], port: to[1] } });
  const graph = {
    nodes: [
      { id: "in", type: "input" },
      { id: "each", type: "loop", config: { items: "input.items", concurrency: 10 } },
      { id: "send", type: "transform", config: { value: "vars.item" } },
      { id: "out", type: "send_result" },
    ],
    connections: [edge(["in", "out"], ["each", "in"]), edge(["each", "item"], ["send", "in"]),
      edge(["send", "out"], ["each", "next"]), edge(["each", "done"], ["out", "in"])],
  };
  const large = await start(page, { graph, input: { items: Array.from({ length: 2100 }, (_, index) => index) } });
  await until(page, large.api, ({ state }) => state === "completed");
  await page.goto(`${BASE}/console#${large.place}`);
  await page.waitForFunction(() => document.querySelector("[data-node=send] .facts")?.textContent.includes("×2,100"));
  await node(page, "send").click();
  await page.getByRole("list", { name: "Steps 2,051 to 2,100" }).or(page.locator("[aria-label='Steps 2,051 to 2,100']")).waitFor({ state: "attached" });
  assert.ok((await page.locator(".span-row").count()) <= 200);
  await page.locator("[aria-label='Steps 2,051 to 2,100']").scrollIntoViewIfNeeded();
  await row(page, "each[2099]/send").locator(".span-title").click();
  // Its values are read when they are asked for.
  await page.getByRole("button", { name: "Load it" }).click();
  await page.locator(".span-detail pre", { hasText: "2099" }).first().waitFor();
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("a large value is shown, copied and saved", async () => {
  const page = await open("/runs");
  const graph = {
    nodes: [{ id: "in", type: "input" }, { id: "out", type: "send_result" }],
    connections: [{ from: "in", to: "out" }],
  };
  const text = "0123456789 ".repeat(90_000);
  const { place, api } = await start(page, { graph, input: { text } });
  await until(page, api, ({ state }) => state === "completed");
  await page.goto(`${BASE}/console#${place}`);
  await page.getByRole("button", { name: "Load it" }).last().click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download: Output" }).click(),
  ]);
  assert.equal(download.suggestedFilename(), "Output.json");
  await check(page, "a large value");
  await page.context().close();
});

test("a page of a form that no browser shows is opened from the run", async () => {
  const page = await open("/runs");
  const field = { name: "day", type: "choice", required: true, options: "['Monday', 'Tuesday']" };
  const graph = {
    nodes: [
      { id: "hook", type: "form", config: { title: "Book", fields: [{ name: "name", type: "text" }] } },
      { id: "ask", type: "form_page", config: { title: "Which day?", fields: [field] } },
      { id: "end", type: "send_result", config: { output: "'Booked: ' + nodes.ask.output.day" } },
    ],
    connections: [{ from: "hook", to: "ask" }, { from: { node: "ask", port: "submitted" }, to: "end" }],
  };
  const created = await call(page, "POST", "/builder/v1/workflows", { name: "Booking", graph });
  const workflow = `/builder/v1/workflows/${created.body.data.id}`;
  const webhook = await call(page, "POST", `${workflow}/webhooks`, {});
  const inputs = [{ nodeId: "hook", config: { webhookId: webhook.body.data.id } }];
  await call(page, "PUT", `${workflow}/connections`, { inputs });
  const published = await call(page, "POST", `${workflow}/publish`, {});
  assert.equal(published.status, 201, JSON.stringify(published));
  const run = (await call(page, "POST", `${workflow}/runs`, { input: { name: "Ada" } })).body.data.id;
  await until(page, `${workflow}/runs/${run}`, ({ state }) => state === "paused");
  await page.goto(`${BASE}/console#/workflows/${created.body.data.id}/runs/${run}`);
  const link = page.getByRole("link", { name: "Open the page" });
  await link.waitFor();
  await picture(page, "run-form-page");
  await check(page, "a run that waits for a page of a form");
  const [form] = await Promise.all([page.context().waitForEvent("page"), link.click()]);
  await form.getByLabel("Tuesday").check();
  await form.getByRole("button", { name: "Continue" }).click();
  await form.getByText("Booked: Tuesday").waitFor();
  await link.waitFor({ state: "detached" });
  assert.deepEqual(page.faults, []);
  await page.context().close();
});
