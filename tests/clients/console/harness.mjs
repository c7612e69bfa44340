// What the tests of the console share: a browser, signed-in pages that record their faults, and calls of the APIs.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after } from "node:test";
import { setTimeout } from "node:timers/promises";
import { chromium } from "playwright-core";

export const BASE = process.env.BASE;
const PICTURES = process.env.PICTURES;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** The longest delay of an answer, in ms. */
const DELAY = Number(process.env.DELAY ?? 0);
const PATIENCE = 60_000;
const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];
if (PICTURES) mkdirSync(PICTURES, { recursive: true });
// Here and not in `before`: Node begins all of those at the same time.
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: flags });
after(() => browser.close());
let session;

/** A page of a signed-in person. Collects what must not happen, and the requests to the APIs. */
export async function open(place, { width = 1440, colorScheme = "light", language = "en", signedIn = true, time } = {}) {
  const locale = language === "es" ? "es-ES" : "en-US";
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, locale,
    ...(signedIn && { storageState: session }) });
  if (DELAY > 0) {
    await context.route(/\/(builder|gateway|workbenches)\/v1[/?]/, async (route) => {
      await setTimeout(Math.random() * DELAY);
      // The page may be closed by now.
      await route.continue().catch(() => {});
    });
  }
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.faults = [], page.calls = [];
  page.on("console", (message) => message.type() === "error" && page.faults.push(message.text()));
  page.on("pageerror", (error) => page.faults.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith(BASE)) page.faults.push(request.url());
    if (/\/(builder|gateway|workbenches)\/v1[/?]/.test(request.url())) page.calls.push(request.url().slice(BASE.length));
  });
  // The clock of the page stands still, so that two pages show the same durations.
  if (time) await page.clock.setFixedTime(time);
  await page.goto(`${BASE}/console#${place}`);
  return page;
}

/** Signs a person in with one click. The pages that are opened later have this session. */
export async function signIn(person = "ada", place = "/") {
  const page = await open(place, { signedIn: false });
  await page.getByRole("button", { name: new RegExp(`^${person}`) }).first().click();
  await page.locator("main h1").first().waitFor();
  session = await page.context().storageState();
  return page;
}

/** Waits until the screen shows what it has loaded. */
export async function loaded(page) {
  await page.locator("main h1").first().waitFor();
  await page.waitForFunction(() => !document.querySelector("main [aria-busy=true]"));
}

/** Calls an API as the person of a page. */
export function call(page, method, path, body) {
  return page.evaluate(async ([method, path, body]) => {
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    const answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    return { status: answer.status, body: await answer.json().catch(() => null) };
  }, [method, path, body]);
}

/** Asks an API until its answer is as expected. */
export async function until(page, path, isMet, patience = PATIENCE) {
  for (const end = Date.now() + patience; Date.now() < end; await page.waitForTimeout(50)) {
    const { body } = await call(page, "GET", path);
    if (isMet(body.data)) return body.data;
  }
  assert.fail(`${path} is never as expected`);
}

/** Signs in, makes one of everything, and returns the places of all screens. */
export async function fill() {
  const page = await signIn();
  const made = async (path, body = {}) => {
    const { status, body: { data } } = await call(page, "POST", path, body);
    assert.ok(status < 300, `${path}: ${status}`);
    return data;
  };
  const template = "/builder/v1/workflows/templates/expense-approval";
  const { exampleInput: input } = (await call(page, "GET", template)).body.data;
  const { id: workflow } = await made(`${template}/instantiate`);
  await made(`/builder/v1/workflows/${workflow}/publish`);
  const { id: run } = await made(`/builder/v1/workflows/${workflow}/runs`, { input });
  await until(page, `/builder/v1/workflows/${workflow}/runs/${run}`, ({ state }) => state === "paused");
  // A small claim needs no decision.
  await made(`/builder/v1/workflows/${workflow}/runs`, { input: { ...input, amount: 20 } });
  await until(page, "/builder/v1/workflows/runs/summaries", (all) => all.find(({ workflowId }) => workflowId === workflow)?.completed);
  const { id: agent } = await made("/builder/v1/agents", { name: "Scout", config: { model: "dev-chat" } });
  const { id: invocation } = await made(`/builder/v1/agents/${agent}/invoke`, { input: "Where is my order?" });
  for (const path of [`workflows/${workflow}`, `agents/${agent}`]) {
    assert.equal((await call(page, "PUT", `/builder/v1/${path}/tool`, {})).status, 200, path);
  }
  await page.context().close();
  const ofWorkflow = `/workflows/${workflow}`;
  const ofAgent = `/agents/${agent}`;
  return { home: "/", workflows: "/workflows", workflow: ofWorkflow, "workflow-runs": `${ofWorkflow}/runs`, releases: `${ofWorkflow}/releases`,
    members: `${ofWorkflow}/members`, channels: `${ofWorkflow}/channels`, webhooks: `${ofWorkflow}/webhooks`,
    credentials: `${ofWorkflow}/credentials`, schedules: `${ofWorkflow}/schedules`, "workflow-assistants": `${ofWorkflow}/assistants`,
    editor: `${ofWorkflow}/edit`, agents: "/agents", agent: ofAgent, "agent-try": `${ofAgent}/try`, "agent-calls": `${ofAgent}/calls`,
    "agent-assistants": `${ofAgent}/assistants`, "agent-members": `${ofAgent}/members`,
    call: `${ofAgent}/calls?call=${invocation}`, runs: "/runs",
    "failed-runs": "/runs?state=failed&error=not_in_order", analytics: "/analytics",
    "analytics-custom": "/analytics?period=custom&from=2026-01-01&to=2026-03-31", run: `${ofWorkflow}/runs/${run}` };
}

/** No fault of accessibility, nothing wider than the page, and nothing in the console of the browser. */
export async function check(page, name, expected = /^$/) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate((values) => axe.run({ runOnly: { type: "tag", values } }), RULES);
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.length}, ${nodes[0].html.slice(0, 200)} ${nodes[0].failureSummary}`);
  assert.deepEqual(found, [], name);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= page.viewportSize().width, `${name} is ${wide} px wide`);
  assert.deepEqual(page.faults.filter((fault) => !expected.test(fault)), [], name);
}

/** Stores a picture of a page in the folder PICTURES. */
export async function picture(page, name) {
  if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}.png` });
}
