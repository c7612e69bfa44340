// The console in a browser: signing in, a template from its start to its approval, lists, languages, phones, no faults of
// accessibility, few requests, nothing from other hosts.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";

const BASE = process.env.BASE, PICTURES = process.env.PICTURES;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const PATIENCE = 60_000;
const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];
let browser, session;

/** A page of a signed-in person. Collects what must not happen, and the requests to the APIs. */
async function open(place, { width = 1440, colorScheme = "light", language = "en", signedIn = true } = {}) {
  const locale = language === "es" ? "es-ES" : "en-US";
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, locale,
    ...(signedIn && { storageState: session }) });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.faults = [], page.calls = [];
  page.on("console", (message) => message.type() === "error" && page.faults.push(message.text()));
  page.on("pageerror", (error) => page.faults.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith(BASE)) page.faults.push(request.url());
    if (/\/(builder|gateway|workbenches)\/v1\//.test(request.url())) page.calls.push(request.url().slice(BASE.length));
  });
  await page.goto(`${BASE}/console#${place}`);
  return page;
}

/** Waits until the screen shows what it has loaded. */
async function loaded(page) {
  await page.locator("main h1").first().waitFor();
  await page.waitForFunction(() => !document.querySelector("main [aria-busy=true]"));
}

/** Calls an API as the person of a page. */
function call(page, method, path, body) {
  return page.evaluate(async ([method, path, body]) => {
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    const answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    return { status: answer.status, body: await answer.json().catch(() => null) };
  }, [method, path, body]);
}

/** Asks an API until its answer is as expected. */
async function until(page, path, isMet) {
  for (const end = Date.now() + PATIENCE; Date.now() < end; await page.waitForTimeout(50)) {
    const { body } = await call(page, "GET", path);
    if (isMet(body.data)) return body.data;
  }
  assert.fail(`${path} is never as expected`);
}

let workflow, run, agent, invocation;

before(async () => {
  if (PICTURES) mkdirSync(PICTURES, { recursive: true });
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: flags });
});
after(async () => { await browser.close(); });

test("the address of the platform leads through one click of the sign-in to the place that was asked for", async () => {
  const page = await open("/runs", { signedIn: false });
  await page.getByRole("button", { name: /^ada/ }).first().click();
  await page.getByRole("heading", { name: "Runs", level: 1 }).waitFor();
  assert.ok(page.url().endsWith("/console#/runs"), page.url());
  session = await page.context().storageState();
  await page.goto(BASE);
  await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
  // Only the first page, without a session, was refused.
  assert.ok(page.faults.every((fault) => fault.includes("401")), page.faults.join("\n"));
  await page.context().close();
});

test("a newcomer starts from a template with the keyboard, and approves its run", async () => {
  const page = await open("/");
  await page.getByRole("link", { name: "Choose a template" }).or(page.getByRole("button", { name: "Choose a template" })).focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Use: Expense approval" }).focus();
  await page.keyboard.press("Enter");
  workflow = (await until(page, "/builder/v1/workflows", (all) => all.length === 1))[0].id;
  const published = await call(page, "POST", `/builder/v1/workflows/${workflow}/publish`, {});
  assert.equal(published.status, 201, JSON.stringify(published));
  const template = await call(page, "GET", "/builder/v1/workflows/templates/expense-approval");
  const started = await call(page, "POST", `/builder/v1/workflows/${workflow}/runs`, { input: template.body.data.exampleInput });
  run = started.body.data.id;
  await until(page, `/builder/v1/workflows/${workflow}/runs/${run}`, ({ state }) => state === "paused");

  await page.goto(`${BASE}/console#/workflows/${workflow}/runs/${run}`);
  await page.getByRole("button", { name: "Approve", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("Completed").first().waitFor();
  const ended = await until(page, `/builder/v1/workflows/${workflow}/runs/${run}`, ({ state }) => state === "completed");
  assert.ok(ended.output, JSON.stringify(ended));
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("a run that goes on is shown as it goes, without another request for the page", async () => {
  const page = await open(`/workflows/${workflow}/runs/${run}`);
  const template = await call(page, "GET", "/builder/v1/workflows/templates/expense-approval");
  const started = await call(page, "POST", `/builder/v1/workflows/${workflow}/runs`, { input: template.body.data.exampleInput });
  const path = `/builder/v1/workflows/${workflow}/runs/${started.body.data.id}`;
  await page.goto(`${BASE}/console#${path.slice("/builder/v1".length)}`);
  await page.getByRole("button", { name: "Approve", exact: true }).waitFor();
  // Somebody else decides.
  const resolved = await call(page, "POST", `${path}/resolve-wait`, { decision: "reject" });
  assert.equal(resolved.status, 200, JSON.stringify(resolved));
  await page.getByText("Completed").first().waitFor();
  await page.getByRole("button", { name: "Approve", exact: true }).waitFor({ state: "detached" });
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("the calls of an agent are shown with their steps", async () => {
  const page = await open("/agents");
  await loaded(page);
  const created = await call(page, "POST", "/builder/v1/agents", { name: "Scout", config: { model: "dev-chat" } });
  agent = created.body.data.id;
  const answer = await call(page, "POST", `/builder/v1/agents/${agent}/invoke`, { input: "Where is my order?" });
  assert.equal(answer.status, 200, JSON.stringify(answer));
  await page.reload();
  await page.getByRole("link", { name: "Scout" }).click();
  await page.locator("main a[href*='call=']").click();
  await page.getByText("Where is my order?").first().waitFor();
  invocation = answer.body.data.id;
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("a list keeps its place and its filters on the way back", async () => {
  const page = await open("/runs");
  await loaded(page);
  await page.getByLabel("State").selectOption("completed");
  await page.waitForFunction(() => location.hash.includes("state=completed"));
  await page.getByRole("link", { name: /Expense/ }).first().click();
  await page.waitForFunction(() => location.hash.includes("/runs/"));
  await loaded(page);
  await page.goBack();
  await loaded(page);
  assert.equal(await page.getByLabel("State").inputValue(), "completed");
  await page.context().close();
});

/** Adds a node with the keyboard. */
async function add(page, words) {
  const before = await page.locator(".react-flow__node").count();
  await page.keyboard.press("/");
  await page.locator("dialog[open] [role=combobox]").waitFor();
  await page.keyboard.type(words);
  await page.keyboard.press("Enter");
  await page.waitForFunction((count) => document.querySelectorAll(".react-flow__node").length > count, before);
}

const node = (page, id) => page.locator(`.react-flow__node[data-id=${id}]`);

/** Selects a node with the keyboard, so that the panel shows it. */
async function select(page, id) {
  await node(page, id).focus();
  await page.keyboard.press("Escape");
  await node(page, id).focus();
  await page.keyboard.press("Enter");
  await page.locator("#node-name").waitFor();
}

/** Writes into a field of the panel. */
async function fill(page, field, text) {
  await page.locator(`[data-field="config.${field}"]`).focus();
  await page.keyboard.type(text);
}

test("a workflow with a review is built, published, run and approved with the keyboard alone", async () => {
  const page = await open("/workflows");
  await loaded(page);
  await page.getByRole("button", { name: "New", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.endsWith("/edit"));
  const path = `/builder/v1/workflows/${(await page.evaluate(() => location.hash)).split("/")[2]}`;
  await page.locator(".editor").waitFor();
  for (const words of ["manual start", "review", "result"]) await add(page, words);
  await select(page, "review");
  await fill(page, "title", "Refund {{ input.amount }}?");
  await select(page, "send_result");
  await fill(page, "output", "nodes.review.output");
  const draft = await until(page, path, ({ graph, problems }) =>
    graph.connections.length === 2 && graph.nodes.length === 3 && problems.every(({ severity }) => severity !== "error")
      && graph.nodes.some(({ config }) => config.output === "nodes.review.output"));
  assert.deepEqual(draft.graph.connections.map(({ from, to }) => `${from.node}>${to.node}`).sort(),
    ["input>review", "review>send_result"]);

  await page.getByRole("button", { name: "Publish", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.locator("dialog[open] footer .primary").focus();
  await page.keyboard.press("Enter");
  await until(page, path, ({ state }) => state === "published");
  await page.locator("dialog[open]").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Run", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.locator("dialog[open] textarea").focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.type('{"amount": 5}');
  await page.locator("dialog[open] footer .primary").focus();
  await page.keyboard.press("Enter");
  await page.locator("dialog[open] footer a").focus();
  await page.keyboard.press("Enter");
  await page.getByText("Refund 5?").first().waitFor();
  await page.getByRole("button", { name: "Approve", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("Completed").first().waitFor();
  const [{ id: started }] = (await call(page, "GET", `${path}/runs`)).body.data;
  const ended = await until(page, `${path}/runs/${started}`, ({ state }) => state === "completed");
  assert.deepEqual(ended.input, { amount: 5 });
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("a connection is drawn with the mouse, and two people who edit one draft lose nothing", async () => {
  const ada = await open("/workflows");
  await loaded(ada);
  const graph = { nodes: [{ id: "input", type: "input", position: { x: 0, y: 0 } },
    { id: "text", type: "template", config: { template: "Hi" }, position: { x: 320, y: 0 } },
    { id: "end", type: "send_result", position: { x: 640, y: 0 } }], connections: [{ from: "input", to: "text" }] };
  const created = await call(ada, "POST", "/builder/v1/workflows", { name: "Two people", graph });
  const path = `/builder/v1/workflows/${created.body.data.id}`;
  const bob = await open(`/workflows/${created.body.data.id}/edit`);
  await ada.goto(`${BASE}/console#/workflows/${created.body.data.id}/edit`);
  await Promise.all([ada, bob].map((page) => node(page, "end").waitFor()));

  const place = async (id, side) => {
    const box = await node(ada, id).locator(`.react-flow__handle.${side}`).first().boundingBox();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const [[fromX, fromY], [toX, toY]] = [await place("text", "source"), await place("end", "target")];
  await ada.mouse.move(fromX, fromY);
  await ada.mouse.down();
  await ada.mouse.move((fromX + toX) / 2, fromY + 40, { steps: 5 });
  await ada.mouse.move(toX, toY, { steps: 5 });
  await ada.mouse.up();
  await node(bob, "text").click();
  await bob.locator("#node-name").fill("Greeting");
  const { graph: merged } = await until(ada, path, ({ graph: { nodes, connections } }) =>
    connections.length === 2 && nodes.some(({ name }) => name === "Greeting"));
  assert.deepEqual(merged.connections.map(({ from, to }) => `${from.node}>${to.node}`), ["input>text", "text>end"]);
  // A refused save is the expected answer to the other person's change.
  for (const page of [ada, bob]) {
    assert.deepEqual(page.faults.filter((fault) => !fault.includes("412")), []);
    await page.context().close();
  }
});

test("a change is not lost if it cannot be stored, if its answer is lost, or if the person leaves", async () => {
  const page = await open("/workflows");
  await loaded(page);
  const graph = { nodes: [{ id: "input", type: "input" }, { id: "end", type: "send_result" }], connections: [{ from: "input", to: "end" }] };
  const created = await call(page, "POST", "/builder/v1/workflows", { name: "Two people", graph });
  const path = `/builder/v1/workflows/${created.body.data.id}`;
  const editor = `/workflows/${created.body.data.id}/edit`;
  await page.goto(`${BASE}/console#${editor}`);
  await node(page, "end").click();

  // The first change is stored, and its answer is lost. The next ones do not meet it as the change of another person.
  let lost = 0;
  await page.route(`**${path}`, async (route) => {
    if (route.request().method() !== "PATCH" || lost > 0) return route.fallback();
    lost += 1;
    await route.fetch();
    await route.abort();
  });
  await page.locator("#node-name").fill("Greeting");
  await until(page, path, ({ graph: { nodes } }) => nodes.some(({ name }) => name === "Greeting"));
  await page.locator("#node-name").fill("Greeting!");
  await until(page, path, ({ graph: { nodes } }) => nodes.some(({ name }) => name === "Greeting!"));
  assert.deepEqual([lost, await page.locator("dialog[open]").count()], [1, 0]);

  // No change can be stored while the person leaves.
  await page.route(`**${path}`, (route) => (route.request().method() === "PATCH" ? route.abort() : route.fallback()));
  await page.locator("#node-name").fill("Goodbye");
  await page.evaluate(() => { location.hash = "#/workflows"; });
  await page.getByText("Your last changes are not stored.").waitFor();
  await page.unrouteAll();
  await page.evaluate((place) => { location.hash = place; }, editor);
  await node(page, "end").getByText("Goodbye").waitFor();
  await until(page, path, ({ graph: { nodes } }) => nodes.some(({ name }) => name === "Goodbye"));
  await page.context().close();
});

/** The places of all screens, which the tests above have filled. */
const SCREENS = { home: () => "/", workflows: () => "/workflows", workflow: () => `/workflows/${workflow}`,
  "workflow-runs": () => `/workflows/${workflow}/runs`, releases: () => `/workflows/${workflow}/releases`,
  members: () => `/workflows/${workflow}/members`, webhooks: () => `/workflows/${workflow}/webhooks`, editor: () => `/workflows/${workflow}/edit`, agents: () => "/agents", agent: () => `/agents/${agent}`,
  call: () => `/agents/${agent}?call=${invocation}`, runs: () => "/runs", run: () => `/workflows/${workflow}/runs/${run}` };

for (const width of [1440, 390]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`no fault of accessibility at ${width} px, ${colorScheme}, and at most four requests a screen`, async () => {
      for (const [name, place] of Object.entries(SCREENS)) {
        for (const language of ["en", "es"]) {
          const page = await open(place(), { width, colorScheme, language });
          await loaded(page);
          assert.equal(await page.getAttribute("html", "lang"), language);
          if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}-${width}-${colorScheme}-${language}.png` });
          await page.evaluate(AXE);
          const { violations } = await page.evaluate((values) => axe.run({ runOnly: { type: "tag", values } }), RULES);
          const found = violations.map(({ id, nodes }) => `${id}: ${nodes.length}, ${nodes[0].html.slice(0, 200)} ${nodes[0].failureSummary}`);
          assert.deepEqual(found, [], `${name} ${language}`);
          const wide = await page.evaluate(() => document.documentElement.scrollWidth);
          assert.ok(wide <= width, `${name} is ${wide} px wide`);
          assert.deepEqual(page.faults, [], name);
          // The person is read once for all screens.
          const calls = page.calls.filter((path) => path !== "/gateway/v1/me");
          assert.ok(calls.length <= 4, `${name}: ${calls}`);
          await page.context().close();
        }
      }
    });
  }
}

/** The texts of a screen that the platform and the console have written, without values, names and numbers. */
function texts(page) {
  return page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = new Set();
    while (walker.nextNode()) {
      const { parentElement, textContent } = walker.currentNode;
      if (!parentElement.closest("[translate=no], .react-flow__node, code, pre, script, noscript, time")) found.add(textContent.trim());
    }
    return [...found].filter((text) => /[A-Za-z]{4}/.test(text));
  });
}

test("no text is left untranslated when the language changes", async () => {
  // Names of people, what they have written, and words that are the same in both languages.
  const same = /^(ada|acme|Atelier|Scout|Expense approval|Approves small claims.*|New workflow|Two people|Review|Greeting!?|Goodbye|dev-chat|Total|Error|Webhooks?|Tokens|English|Español)$/i;
  for (const [name, place] of Object.entries(SCREENS)) {
    const [english, spanish] = await Promise.all(["en", "es"].map(async (language) => {
      const page = await open(place(), { language });
      await loaded(page);
      const found = await texts(page);
      await page.context().close();
      return found;
    }));
    assert.ok(english.length > 5, `${name}: ${english}`);
    assert.deepEqual(spanish.filter((text) => english.includes(text) && !same.test(text)), [], name);
  }
});

test("who signs out is signed out, and can sign in again", async () => {
  const page = await open("/", { signedIn: false });
  await page.getByRole("button", { name: /^ada/ }).first().click();
  await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
  await page.getByRole("banner").getByLabel("Account of ada").click();
  await page.getByRole("button", { name: "Sign out" }).or(page.getByRole("menuitem", { name: "Sign out" })).click();
  await page.getByRole("heading", { name: "You are signed out" }).waitFor();
  assert.equal((await call(page, "GET", "/gateway/v1/me")).status, 401);
  await page.context().close();
});
