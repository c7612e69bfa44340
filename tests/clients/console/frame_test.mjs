// The frame around all screens: lost connections, ended sessions, new releases, errors, dialogs, language, theme, keys.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { BASE, call, check, fill, loaded, open, picture } from "./harness.mjs";

let SCREENS;
before(async () => { SCREENS = await fill(); });

const SENTENCE = "The storage did not answer. Try again in a minute.";
const API = /\/(builder|gateway)\/v1\/(?!me$)/;
const account = (page) => page.getByRole("banner").locator("summary");

/** Answers each request that reads data as a broken platform does. */
function breakReads(page) {
  return page.route(API, (route) => route.request().method() !== "GET" ? route.fallback() : route.fulfill({
    status: 500, headers: { "x-request-id": "req-test-1" }, contentType: "application/json",
    body: JSON.stringify({ error: { code: "internal_error", message: SENTENCE, request_id: "req-test-1" } }) }));
}

/** Empties all lists in the answers. */
function emptyLists(page) {
  return page.route(API, async (route) => {
    if (route.request().method() !== "GET" || /node-types|events\?follow/.test(route.request().url())) return route.fallback();
    const response = await route.fetch();
    const body = await response.json().catch(() => null);
    if (!Array.isArray(body?.data)) return route.fulfill({ response });
    const meta = body.meta && { ...body.meta, ...("total" in body.meta && { total: 0 }), nextCursor: null };
    return route.fulfill({ response, json: { ...body, data: [], ...(meta && { meta }) } });
  });
}

test("each screen shows the sentence and the request of an error, and loads again on request", async () => {
  for (const [name, place] of Object.entries(SCREENS)) {
    const page = await open("/none", { width: 390 });
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    await breakReads(page);
    await page.goto(`${BASE}/console#${place}`);
    await page.getByText(SENTENCE).first().waitFor();
    await page.getByText("req-test-1").first().waitFor();
    await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
    page.faults = page.faults.filter((fault) => !fault.includes("500"));
    await check(page, `${name} with errors`);
    await picture(page, `${name}-error`);
    await page.unroute(API);
    // What is below a dialog cannot be reached.
    const part = name === "call" ? page.getByRole("dialog") : page.getByRole("main");
    const failed = part.locator(".error-state");
    while ((await failed.count()) > 0) {
      const one = await failed.first().elementHandle();
      await failed.first().getByRole("button", { name: "Try again" }).click();
      await page.waitForFunction((one) => !one.isConnected, one);
    }
    await part.getByText(SENTENCE).waitFor({ state: "detached" });
    await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
    await page.context().close();
  }
});

test("each empty list says what to do", async () => {
  const { home, call: _, editor, run, "workflow-assistants": ofWorkflow, "agent-assistants": ofAgent, ...lists } = SCREENS;
  for (const [name, place] of Object.entries(lists)) {
    const page = await open("/none", { width: 390, language: "es" });
    await emptyLists(page);
    await page.goto(`${BASE}/console#${place}`);
    await loaded(page);
    const states = page.locator("main :is(.empty-state, .calm, p.muted)");
    await states.first().waitFor();
    await check(page, `${name} without rows`);
    await picture(page, `${name}-empty`);
    await page.context().close();
  }
});

test("a lost connection is reported in the language of the person, and the screen resumes by itself", async () => {
  const page = await open("/runs", { language: "es" });
  await loaded(page);
  await page.route(/\/(builder|gateway|health)/, (route) => route.abort("connectionrefused"));
  await page.getByRole("link", { name: "Agentes" }).click();
  await page.getByText("Se perdió la conexión con la plataforma.").waitFor();
  await page.getByRole("alert").getByText("La plataforma no respondió.").waitFor();
  // The browser's own words are details.
  assert.match(await page.getByRole("alert").locator(".facts").innerText(), /Detalles Failed to fetch/);
  await picture(page, "connection-lost");
  await page.unroute(/\/(builder|gateway|health)/);
  await page.getByText("Conexión restablecida").waitFor();
  await page.getByRole("link", { name: "Scout" }).first().waitFor();
  assert.equal(await page.getByText("Se perdió la conexión").count(), 0);
  page.faults = page.faults.filter((fault) => !fault.includes("ERR_CONNECTION_REFUSED"));
  await check(page, "a connection that is back");
  await page.context().close();
});

test("a browser that comes online asks the platform without delay", async () => {
  const page = await open("/agents");
  await loaded(page);
  await page.context().setOffline(true);
  await page.getByText("The connection to the platform was lost.").waitFor();
  const asked = page.waitForResponse(/\/health$/);
  await page.context().setOffline(false);
  await asked;
  await page.getByText("Connected again").waitFor();
  await page.context().close();
});

test("a toast about a lost connection is a sentence of the console", async () => {
  const page = await open("/workflows", { language: "es" });
  await loaded(page);
  await page.route(/\/clone/, (route) => route.abort("connectionrefused"));
  await page.getByRole("row").nth(1).locator("summary").click();
  await page.getByRole("button", { name: "Clonar" }).click();
  await page.locator(".toast").getByText("La plataforma no respondió.").waitFor();
  await page.context().close();
});

test("a screen whose file could not be loaded is loaded again", async () => {
  const page = await open("/none");
  await page.route(/\/editor\.js/, (route) => route.abort("connectionrefused"));
  await page.goto(`${BASE}/console#${SCREENS.editor}`);
  await page.getByText("This screen could not be loaded.").waitFor();
  page.faults = page.faults.filter((fault) => !/ERR_CONNECTION_REFUSED|could not be loaded/.test(fault));
  await check(page, "a screen that is not loaded");
  await picture(page, "not-loaded");
  // The platform answers, but the file fails again: the whole page is loaded again, in case the browser remembers the failure.
  const reloaded = page.waitForEvent("load");
  await page.getByRole("button", { name: "Try again" }).click();
  await reloaded;
  await page.getByText("This screen could not be loaded.").waitFor();
  await page.unroute(/\/editor\.js/);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.locator(".react-flow__node").first().waitFor();
  assert.ok(page.url().endsWith(`/console#${SCREENS.editor}`), page.url());
  await page.context().close();
});

test("a page of an older build is loaded again, at the same address", async () => {
  const page = await open("/none");
  await page.route(/\/editor\.js/, (route) => route.fulfill({ contentType: "text/javascript", body: 'import { gone } from "./console.js"; gone();' }));
  await page.goto(`${BASE}/console#${SCREENS.editor}`);
  await page.getByText("This screen could not be loaded.").waitFor();
  await page.evaluate(() => { document.querySelector("meta[name=build]").content = "older"; });
  await page.unroute(/\/editor\.js/);
  const reloaded = page.waitForEvent("load");
  await page.getByRole("button", { name: "Try again" }).click();
  await reloaded;
  await page.locator(".react-flow__node").first().waitFor();
  assert.ok(page.url().endsWith(`/console#${SCREENS.editor}`), page.url());
  await page.context().close();
});

test("nothing that was written is lost when the session ends", async () => {
  const page = await open(SCREENS.run);
  await page.getByLabel("Comment").fill("All receipts are there");
  const [session] = (await page.context().cookies()).filter(({ name }) => /session/i.test(name));
  await page.context().clearCookies();
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Your session has ended" });
  await dialog.waitFor();
  await check(page, "an ended session", /401/);
  await picture(page, "session-ended");
  assert.equal(await page.getByLabel("Comment").inputValue(), "All receipts are there");
  // A list that is loaded in the background does not leave the page either.
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  assert.match(await dialog.getByRole("link", { name: "Sign in" }).getAttribute("href"), /console\/login/);
  await page.context().addCookies([session]);
  await page.evaluate(() => window.dispatchEvent(new Event("focus")));
  await page.getByText("You are signed in again").waitFor();
  await dialog.waitFor({ state: "detached" });
  assert.equal(await page.getByLabel("Comment").inputValue(), "All receipts are there");
  await page.context().close();
});

test("a page without anything written leads to the sign-in, and back to its place", async () => {
  const page = await open("/agents");
  await loaded(page);
  await page.context().clearCookies();
  await page.getByRole("link", { name: "Runs" }).click();
  await page.getByRole("button", { name: /^ada/ }).first().click();
  await page.getByRole("heading", { name: "Runs", level: 1 }).waitFor();
  await page.context().close();
});

test("a dialog with written text asks before it closes, and gives the focus back", async () => {
  const page = await open(SCREENS.workflow);
  await loaded(page);
  const opener = page.getByRole("button", { name: "Run", exact: true });
  const dialog = page.getByRole("dialog", { name: /^Run / });
  const question = page.getByRole("dialog", { name: "Discard your changes?" });
  // Without a change, the Escape key closes it.
  await opener.click();
  await dialog.waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  assert.ok(await opener.evaluate((element) => element === document.activeElement), "the focus is back");

  await opener.click();
  await dialog.getByRole("textbox").fill('{"written": true}');
  for (let count = 0; count < 3; count += 1) {
    await page.keyboard.press("Escape");
    await question.waitFor();
    await check(page, "two dialogs");
    // The inner one closes alone.
    await page.keyboard.press("Escape");
    await question.waitFor({ state: "detached" });
    assert.ok(await dialog.getByRole("textbox").evaluate((element) => element === document.activeElement), "the focus is in the field");
  }
  await page.mouse.click(10, 400);
  await question.waitFor();
  await picture(page, "discard");
  await question.getByRole("button", { name: "Keep editing" }).click();
  assert.equal(await dialog.getByRole("textbox").inputValue(), '{"written": true}');
  await dialog.getByRole("button", { name: "Close" }).click();
  await question.getByRole("button", { name: "Discard" }).click();
  await dialog.waitFor({ state: "detached" });
  assert.ok(await opener.evaluate((element) => element === document.activeElement), "the focus is back");
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("a dialog that a menu opened gives the focus back to the menu", async () => {
  const page = await open("/runs");
  await loaded(page);
  await account(page).click();
  await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.ok(await account(page).evaluate((element) => element === document.activeElement));
  await page.context().close();
});

test("single keys act outside of fields and dialogs, and can be switched off", async () => {
  const page = await open("/workflows");
  await loaded(page);
  const at = (place) => page.waitForFunction((place) => location.hash === place, `#${place}`);
  await page.keyboard.press("g");
  await page.keyboard.press("r");
  await at("/runs");
  await loaded(page);
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("h");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByLabel("State").focus();
  await page.keyboard.press("g");
  await page.keyboard.press("h");
  await at("/runs");

  await account(page).click();
  await page.getByLabel("Shortcuts of a single key").uncheck();
  await check(page, "the account menu");
  await picture(page, "account");
  await page.keyboard.press("Escape");
  await page.reload();
  await loaded(page);
  for (const key of ["g", "h", "?", "/"]) await page.keyboard.press(key);
  await at("/runs");
  assert.equal(await page.getByRole("dialog").count(), 0);
  await page.context().close();
});

/** What a screen says, without times, and the words of the page itself. */
function words(page) {
  return page.evaluate(() => {
    const walker = document.createTreeWalker(document.getElementById("root"), NodeFilter.SHOW_TEXT), found = [];
    while (walker.nextNode()) {
      const { parentElement, textContent } = walker.currentNode;
      if (!parentElement.closest("time, .menu-body, script")) found.push(textContent.trim());
    }
    const labels = [...document.querySelectorAll("main [aria-label]")].map((element) => element.getAttribute("aria-label"));
    return [document.title, document.documentElement.lang, ...found, ...labels].filter((text) => text !== "").sort();
  });
}

/** Waits until a page says what another one says. */
async function saysLike(page, other, name) {
  const isMet = async () => JSON.stringify(await words(page)) === JSON.stringify(await words(other));
  for (const end = Date.now() + 10_000; Date.now() < end && !(await isMet()); await page.waitForTimeout(50));
  const [said, expected] = [await words(page), await words(other)];
  assert.deepEqual(said.filter((text) => !expected.includes(text)), expected.filter((text) => !said.includes(text)), name);
  assert.ok(said.length > 10, name);
}

test("the language and the theme change on each screen without another load", async () => {
  // The menu of the account is below the dialog of a call.
  const { call: _, ...screens } = SCREENS;
  for (const [name, place] of Object.entries(screens)) {
    const time = new Date();
    const [page, english, spanish] = await Promise.all(["en", "en", "es"].map((language) => open(place, { language, time })));
    for (const each of [page, english, spanish]) await loaded(each);
    await saysLike(page, english, `${name} in English`);
    await page.evaluate(() => { window.isSame = true; });
    await account(page).click();
    await page.getByLabel("Language").selectOption("es");
    await saysLike(page, spanish, `${name} in Spanish`);
    await page.getByLabel("Idioma").selectOption("en");
    await saysLike(page, english, `${name} in English again`);
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    await page.getByLabel("Theme").selectOption("dark");
    assert.notEqual(await ground(), light);
    // The menu would cover parts of the screen.
    await page.keyboard.press("Escape");
    await check(page, `${name} in the dark`);
    await account(page).click();
    await page.getByLabel("Theme").selectOption("system");
    assert.equal(await ground(), light);
    assert.ok(await page.evaluate(() => window.isSame), "the page is the same");
    for (const each of [page, english, spanish]) await each.context().close();
  }
});

test("an amount of money is shown with all of its digits", async () => {
  const page = await open("/none", { language: "es" });
  const cost = "9007199254740993.00000000000000000001";
  await page.route(/billing\/balance/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replace(/"cost":[\d.]+/, `"cost":${cost}`) });
  });
  await page.goto(`${BASE}/console#/`);
  await page.getByText(/9\.007\.199\.254\.740\.993,00000000000000000001\s\$/).first().waitFor();
  await page.context().close();
});

test("a long list is where it was on the way back", async () => {
  const page = await open("/agents");
  await loaded(page);
  const made = await page.evaluate(() => Promise.all(Array.from({ length: 65 }, async (_, number) => {
    const body = JSON.stringify({ name: `Agent ${number}`, config: { model: "dev-chat" } });
    const answer = await fetch("/builder/v1/agents", { method: "POST", headers: { "content-type": "application/json" }, body });
    return (await answer.json()).data.id;
  })));
  await page.reload();
  await loaded(page);
  const rows = page.locator("main tbody tr");
  for (let count = await rows.count(); count < 60; count = await rows.count()) {
    await page.getByRole("button", { name: "Show more" }).click();
    await page.waitForFunction((count) => document.querySelectorAll("main tbody tr").length > count, count);
  }
  const row = rows.nth(50).getByRole("link").first();
  await row.scrollIntoViewIfNeeded();
  const place = await page.evaluate(() => scrollY);
  assert.ok(place > 500, `${place}`);
  const isThere = () => page.waitForFunction((place) => Math.abs(scrollY - place) < 3, place);
  await row.click();
  await page.waitForFunction(() => /agents\/./.test(location.hash));
  await loaded(page);
  assert.equal(await page.evaluate(() => scrollY), 0);
  await page.goBack();
  await isThere();
  assert.ok(await row.isVisible());
  await page.goForward();
  await loaded(page);
  await page.goBack();
  await isThere();
  for (const id of made) assert.equal((await call(page, "DELETE", `/builder/v1/agents/${id}`)).status, 204);
  await page.context().close();
});
