// Agents: created and changed with the keyboard, by two people at once, shared, tried, and the way back from their calls.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { BASE, call, check, loaded, open, picture, signIn, until } from "./harness.mjs";

let ada, bob, agent;

before(async () => {
  bob = await signIn("bob");
  ada = await signIn("ada");
  await ada.context().close();
});

const path = () => `/builder/v1/agents/${agent}`;
const pressOn = async (page, locator) => {
  await locator.focus();
  await page.keyboard.press("Enter");
};

test("a working agent is created, changed and saved with the keyboard", async () => {
  const page = await open("/agents");
  await loaded(page);
  await pressOn(page, page.getByRole("main").getByRole("button", { name: "New agent" }).first());
  await page.getByLabel("Instructions").waitFor();
  agent = page.url().split("/").pop();

  await page.getByLabel("Description", { exact: true }).focus();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("Knows the shop.");
  await page.getByLabel("Temperature").focus();
  await page.keyboard.type("9");
  await page.keyboard.press("ControlOrMeta+S");
  // What cannot be read is not saved: the field says why, and has the focus.
  await page.getByText("Write a number from 0 to 2.").waitFor();
  assert.equal((await call(page, "GET", path())).body.data.description, "Answers customers from what it knows about the shop.");
  await page.keyboard.press("Backspace");
  await page.keyboard.type("0.5");
  await pressOn(page, page.getByLabel("Add a tool"));
  await pressOn(page, page.getByRole("button", { name: /^HTTP request/ }));
  await page.getByRole("group").getByLabel("Name", { exact: true }).nth(1).fill("find order");
  await page.getByLabel("URL").fill("https://api.example.com/orders/{order}");
  await page.getByLabel("Credential").selectOption("bearer");
  await page.keyboard.press("ControlOrMeta+S");
  // The API's refusal is at its field.
  await page.locator("input[aria-invalid=true]").waitFor();
  await page.waitForFunction(() => document.activeElement.getAttribute("aria-invalid") === "true");
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("find_order");
  await page.keyboard.press("ControlOrMeta+S");
  const { config, problems } = await until(page, path(), ({ config }) => config.tools.length === 1);
  assert.deepEqual([config.temperature, config.tools[0].name, problems[0].code], [0.5, "find_order", "credential_missing"]);

  // The secret is stored once, and is nowhere afterwards.
  await pressOn(page, page.getByRole("button", { name: "Store the credential…" }));
  await page.getByRole("dialog").getByLabel("Token").fill("a-secret");
  page.faults = [];
  await check(page, "credential");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Replace…" }).waitFor();
  assert.equal((await call(page, "GET", path())).body.data.status, "published");
  assert.ok(!(await page.content()).includes("a-secret"));
  await picture(page, "agent-saved");
  await page.context().close();
});

test("nothing that is written is lost: leaving asks, and Back stays until it is answered", async () => {
  const page = await open("/agents");
  await loaded(page);
  await page.goto(`${BASE}/console#/agents/${agent}`);
  await page.getByLabel("Instructions").fill("Not saved yet.");
  // Its tabs belong to the same screen.
  await page.getByRole("link", { name: "Members", exact: true }).click();
  await page.getByRole("link", { name: "Configuration", exact: true }).click();
  assert.equal(await page.getByLabel("Instructions").inputValue(), "Not saved yet.");
  await page.getByRole("link", { name: "Workflows" }).click();
  await page.getByRole("dialog", { name: "Discard your changes?" }).waitFor();
  assert.ok(page.url().endsWith(agent), page.url());
  await check(page, "leave");
  await page.getByRole("button", { name: "Keep editing" }).click();
  assert.equal(await page.getByLabel("Instructions").inputValue(), "Not saved yet.");
  await page.getByRole("link", { name: "Workflows" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
  await page.getByRole("heading", { name: "Workflows", level: 1 }).waitFor();
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("an agent is shared, and the other person sees it", async () => {
  const page = await open(`/agents/${agent}/members`);
  await page.getByRole("button", { name: "Add a member" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Search").fill("bo");
  await dialog.getByRole("radio", { name: "bob" }).check();
  await dialog.getByLabel("Role", { exact: true }).selectOption("editor");
  await check(page, "share");
  await dialog.getByRole("button", { name: "Add a member" }).click();
  await page.getByRole("combobox", { name: "Role of bob" }).waitFor();
  await page.context().close();

  await bob.goto(`${BASE}/console#/agents?ownership=shared`);
  await bob.getByRole("link", { name: "Help desk" }).click();
  await bob.getByLabel("Instructions").waitFor();
  assert.equal(await bob.getByLabel("Instructions").isEnabled(), true);
});

for (const language of ["en", "es"]) {
  test(`of two people who save at once, the second one sees what changed and keeps what they wrote (${language})`, async () => {
    const page = await open(`/agents/${agent}`, { language });
    const [instructions, save] = language === "en" ? ["Instructions", "Save"] : ["Instrucciones", "Guardar"];
    await page.getByLabel(instructions).fill(`By ada, ${language}.`);
    const theirs = { description: `By bob, ${language}.`, config: { instructions: "By bob." } };
    assert.equal((await call(bob, "PATCH", path(), theirs)).status, 200);
    await page.getByRole("button", { name: save, exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(theirs.description).waitFor();
    await dialog.getByText("By bob.", { exact: true }).waitFor();
    // The browser reports the refused request.
    page.faults = page.faults.filter((fault) => !fault.includes("412"));
    await check(page, `conflict ${language}`);
    await picture(page, `agent-conflict-${language}`);
    await dialog.getByRole("button", { name: save, exact: true }).click();
    const saved = await until(page, path(), ({ config }) => config.instructions === `By ada, ${language}.`);
    assert.equal(saved.description, theirs.description);
    await page.context().close();
  });
}

test("an agent is tried: its answer, its steps and its cost", async () => {
  const page = await open(`/agents/${agent}/try`);
  const message = page.getByLabel("Your message");
  await message.focus();
  await page.keyboard.type("First line");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("second line");
  await page.keyboard.press("Enter");
  const log = page.getByRole("log");
  await log.getByText(/You said: First line/).waitFor();
  await log.getByText(/^\$0\.000/).waitFor();
  await log.getByText(/\d steps$/).click();
  await log.getByText("dev-chat", { exact: true }).waitFor();
  // The conversation goes on, and stays while the person is elsewhere.
  await page.keyboard.press("Tab");
  await message.fill("And now?");
  await page.keyboard.press("Enter");
  await log.getByText(/You said: And now/).waitFor();
  await page.getByRole("link", { name: "Members", exact: true }).click();
  await page.getByRole("link", { name: "Try it", exact: true }).click();
  await log.getByRole("link", { name: "Open the call" }).nth(1).waitFor();
  await picture(page, "agent-tried");
  await check(page, "try it");
  await page.context().close();
});

test("a call that was opened closes with Back, and Back again leaves the screen", async () => {
  const page = await open("/agents");
  await page.getByRole("link", { name: "Help desk" }).click();
  await page.getByRole("link", { name: "Calls", exact: true }).click();
  const calls = page.locator("main a[href*='call=']");
  await calls.first().click();
  await page.getByRole("dialog").waitFor();
  await page.goBack();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.ok(page.url().endsWith("/calls"), page.url());
  // Closed in any other way, it leaves nothing in the history either.
  await calls.first().click();
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.ok(page.url().endsWith("/calls"), page.url());
  await page.goBack();
  await page.getByLabel("Instructions").waitFor();
  assert.ok(page.url().endsWith(agent), page.url());
  await page.context().close();
});

for (const language of ["en", "es"]) {
  test(`the dialogs of an agent have no fault of accessibility (${language})`, async () => {
    const page = await open("/agents", { language, width: 390 });
    const spanish = language === "es";
    const menu = page.getByLabel(spanish ? "Acciones de Help desk" : "Actions for Help desk").first();
    for (const action of spanish ? ["Archivar…", "Eliminar…"] : ["Archive…", "Delete…"]) {
      await menu.click();
      await page.getByRole("button", { name: action }).click();
      await page.getByRole("dialog").waitFor();
      await check(page, `${action} ${language}`);
      await page.keyboard.press("Escape");
    }
    await page.goto(`${BASE}/console#/agents/${agent}`);
    await page.getByLabel(spanish ? "Añadir una herramienta" : "Add a tool").click();
    await check(page, `kinds of tools ${language}`);
    await page.getByRole("button", { name: spanish ? /^Flujo/ : /^Workflow/ }).click();
    await page.getByRole("dialog").waitFor();
    await loaded(page);
    await check(page, `choose a workflow ${language}`);
    await page.context().close();
  });
}

test("an agent is copied, paused and deleted from the list", async () => {
  const page = await open("/agents");
  const act = async (name, action) => {
    await page.getByLabel(`Actions for ${name}`, { exact: true }).click();
    await page.getByRole("button", { name: action, exact: true }).click();
  };
  await act("Help desk", "Duplicate");
  await page.getByRole("heading", { name: "Help desk (copy)", level: 1 }).waitFor();
  await page.goto(`${BASE}/console#/agents`);
  await act("Help desk (copy)", "Pause");
  await page.getByText("Help desk (copy) is paused").waitFor();
  await act("Help desk (copy)", "Delete…");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("link", { name: "Help desk (copy)" }).waitFor({ state: "detached" });
  assert.deepEqual(page.faults, []);
  await page.context().close();
});
