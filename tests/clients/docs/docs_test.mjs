// The page /docs in a browser: search, samples, calls, phones, no faults of accessibility, nothing from other hosts.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";

const BASE = process.env.BASE, TOKEN = process.env.TOKEN, PICTURES = process.env.PICTURES;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const VIEWS = ["guides", "errors", "gateway", "gateway/create_chat_completion", "builder/start_run", "workbenches/create_workbench"];
const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];
let browser;

before(async () => { browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: flags }); });
after(async () => { await browser.close(); });

/** Opens a view, and collects what must not happen: messages of the console and requests to other hosts. */
async function open(view, width = 1440, colorScheme = "light") {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  page.faults = [];
  page.on("console", (message) => message.type() === "error" && page.faults.push(message.text()));
  page.on("pageerror", (error) => page.faults.push(String(error)));
  page.on("request", (request) => request.url().startsWith(BASE) || page.faults.push(request.url()));
  await page.goto(`${BASE}/docs/index.html#${view}`);
  await page.waitForSelector("#list a", { state: "attached" });
  return page;
}

for (const width of [1440, 390]) {
  for (const scheme of ["light", "dark"]) {
    test(`no fault of accessibility at ${width} px, ${scheme}`, async () => {
      for (const view of VIEWS) {
        const page = await open(view, width, scheme);
        if (PICTURES) await page.screenshot({ path: `${PICTURES}/${view.replace("/", "-")}-${width}-${scheme}.png` });
        if (width < 800) await page.click("#menu");
        // The page's policy refuses scripts of others, so axe is evaluated by the debugger.
        await page.evaluate(AXE);
        const { violations } = await page.evaluate((values) => axe.run({ runOnly: { type: "tag", values } }), RULES);
        const found = violations.map(({ id, nodes }) => `${id}: ${nodes.length}, ${nodes[0].html.slice(0, 200)} ${nodes[0].failureSummary}`);
        assert.deepEqual(found, [], view);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${view} is ${wide} px wide`);
        assert.deepEqual(page.faults, [], view);
        await page.close();
      }
    });
  }
}

test("the search finds operations by name, path, field and error code", async () => {
  const page = await open("guides");
  for (const [words, expected] of [["chat", "Create a chat completion"], ["chat/completions", "Create a chat completion"],
    ["temperature", "Create a chat completion"], ["idempotency_conflict", "Create a chat completion"]]) {
    await page.fill("#search", words);
    const found = await page.locator("#list a").allTextContents();
    assert.ok(found.includes(expected), `${words}: ${found}`);
  }
  await page.fill("#search", "chat");
  assert.match((await page.locator("#list a").first().textContent()).toLowerCase(), /chat/);
  await page.fill("#search", "zzzz");
  assert.equal(await page.textContent("#found"), "0 found");
  await page.close();
});

test("the body of a chat is on the first screens, and its samples are in three languages", async () => {
  const page = await open("gateway/create_chat_completion");
  const body = await page.locator("h2", { hasText: "Body" }).boundingBox();
  assert.ok(body.y < 900, `the body begins at ${body.y} px`);
  assert.ok(await page.locator(".fields code:text-is('temperature')").first().isVisible(), "the fields of the body are listed");
  assert.ok(!(await page.textContent("main")).includes("[object"));
  for (const [language, part] of [["curl", "--json '{"], ["Python", "client.chat.completions.create("], ["TypeScript", "import OpenAI"]]) {
    await page.click(`button:text-is("${language}")`);
    assert.ok((await page.textContent("pre[aria-label=Sample]")).includes(part), language);
  }
  await page.close();
});

test("a call can be sent from the page", { skip: !TOKEN && "no key" }, async () => {
  const page = await open("gateway/create_chat_completion");
  await page.fill("#token", TOKEN);
  await page.click("form button");
  await page.waitForSelector("pre[aria-label=Response]:has-text('I am dev-chat')");
  assert.deepEqual(page.faults, []);
  await page.close();
});

test("without JavaScript, the page leads to the list of all operations", async () => {
  const page = await browser.newPage({ javaScriptEnabled: false });
  await page.goto(`${BASE}/docs/index.html`);
  await page.click("noscript a[href='operations.html']");
  const listed = await page.locator("li").allTextContents();
  assert.ok(listed.includes("Create a chat completion: POST /gateway/v1/chat/completions"), listed);
  await page.close();
  const scripted = await browser.newPage();
  await scripted.goto(`${BASE}/docs/operations.html`);
  await scripted.evaluate(AXE);
  const { violations } = await scripted.evaluate((values) => axe.run({ runOnly: { type: "tag", values } }), RULES);
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`), []);
  await scripted.close();
});

test("the guides link to operations that exist", async () => {
  const page = await open("guides");
  const links = await page.locator("#guides a[href*='/'][href^='#']").evaluateAll((all) => all.map((link) => link.hash));
  assert.ok(links.length >= 2, links);
  for (const link of links) assert.equal(await page.locator(`#list a[href="${link}"]`).count(), 1, link);
  await page.close();
});

test("the table of error codes names each code with its status", async () => {
  const page = await open("errors");
  const codes = await page.locator("tbody tr td:first-child").allTextContents();
  for (const code of ["invalid_body", "model_access_denied", "operator_only", "provider_timeout"]) assert.ok(codes.includes(code), code);
  await page.close();
});
