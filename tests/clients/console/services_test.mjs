// The services in the palette of the editor: from the search to an `http` node in the draft.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { BASE, call, check, loaded, open, picture, signIn, until } from "./harness.mjs";

before(async () => { await (await signIn()).context().close(); });

const node = (page, id) => page.locator(`.react-flow__node[data-id=${id}]`);
// A refused parameter is an answer with this status.
const REFUSED = /400/;

/** The editor of a new workflow whose trigger is selected. */
async function openEditor(settings) {
  const page = await open("/workflows", settings);
  await loaded(page);
  const config = { example: { sheet: "Orders", name: "Ada" } };
  const graph = { nodes: [{ id: "input", type: "input", config, position: { x: 0, y: 0 } }], connections: [] };
  const { body: { data: { id } } } = await call(page, "POST", "/builder/v1/workflows", { name: "Services", graph });
  await page.goto(`${BASE}/console#/workflows/${id}/edit`);
  await node(page, "input").click();
  await page.locator("#node-name").waitFor();
  return { page, id, path: `/builder/v1/workflows/${id}` };
}

/** Opens the palette with a key, and waits for the services. */
async function openPalette(page) {
  await node(page, "input").focus();
  await page.keyboard.press("/");
  await page.locator("dialog[open]").getByRole("option", { name: /^Google Sheets/ }).waitFor();
  return page.locator("dialog[open]");
}

const saved = (page, path, id) => until(page, path, ({ graph }) => graph.nodes.some((node) => node.id === id));

test("an operation is found, its form is filled in, a wrong parameter is corrected, and the node is saved", async () => {
  const { page, path } = await openEditor();
  const dialog = await openPalette(page);
  await dialog.getByRole("combobox").fill("append");
  await picture(page, "services-search");
  await check(page, "the search");
  await dialog.getByRole("option", { name: /^Google Sheets: Append rows/ }).click();
  await dialog.getByRole("heading", { name: "Google Sheets: Append rows" }).waitFor();
  const field = (name) => dialog.locator(`[data-field="${name}"]`);

  // A value is sent as it is, and an expression is a template here.
  await field("values.spreadsheetId").fill("1Bx{{");
  await dialog.getByRole("button", { name: "Expression: Range" }).click();
  await field("expressions.range").fill("{{ input.sheet }}!A:C");
  await dialog.getByRole("button", { name: "Add: Rows" }).click();
  const row = field("values.values[0]");
  await row.fill("36");
  const add = dialog.getByRole("button", { name: "Add the node" });
  await add.click();
  await dialog.getByText("must be a list").waitFor();
  assert.ok(await row.evaluate((row) => row === document.activeElement && row.getAttribute("aria-invalid") === "true"), "the wrong field has the focus");
  await picture(page, "services-problem");
  await check(page, "the form", REFUSED);
  assert.equal(await page.locator(".react-flow__node").count(), 1);

  // What is not JSON is not sent as what it was before.
  await row.fill('["Ada", ');
  await add.click();
  assert.equal(await row.evaluate((row) => row.validationMessage), "This is not valid JSON.");
  await row.fill('["Ada", 36]');
  assert.equal(await dialog.getByText("must be a list").count(), 0);
  await add.click();
  await dialog.waitFor({ state: "detached" });
  await node(page, "google_sheets").getByText("Google Sheets: Append rows").waitFor();
  const { graph } = await saved(page, path, "google_sheets");
  const { position, ...made } = graph.nodes.find(({ id }) => id === "google_sheets");
  assert.deepEqual(made, {
    id: "google_sheets", type: "http", name: "Google Sheets: Append rows",
    config: {
      method: "POST",
      url: `https://sheets.googleapis.com/v4/spreadsheets/1Bx%7B%7B/values/{{ ((input.sheet) ~ "!A:C") | urlencode | replace('/', '%2F') }}:append`,
      query: { valueInputOption: "USER_ENTERED" },
      body: { type: "json", value: "{'values': [['Ada', 36]]}" },
    },
  });
  assert.deepEqual(graph.connections.map(({ from, to }) => [from.node, to.node]), [["input", "google_sheets"]]);
  // The usual form of a request edits it.
  await page.locator('[data-field="config.method"]').waitFor();
  assert.equal(await page.locator("#node-name").inputValue(), "Google Sheets: Append rows");
  await page.context().close();
});

test("an operation is found and added with the keyboard alone, also in Spanish", async () => {
  const { page, path } = await openEditor({ language: "es" });
  const dialog = await openPalette(page);
  const { keyboard } = page;
  // Node types are found first, and services by the names of their categories.
  await keyboard.type("hojas de calculo");
  await dialog.getByRole("option").first().waitFor();
  assert.match(await dialog.getByRole("option", { selected: true }).textContent(), /^Google Sheets/);
  await keyboard.press("Control+a");
  await keyboard.type("send message");
  assert.match(await dialog.getByRole("option", { selected: true }).textContent(), /^Enviar un mensaje/);
  assert.ok(await dialog.getByRole("option", { name: /^Gmail: Send a message/ }).count() > 0);
  // A service opens with its operations, and the way back keeps the focus in the search.
  await keyboard.press("Control+a");
  await keyboard.type("slack");
  await keyboard.press("Enter");
  await dialog.getByRole("heading", { name: "Slack" }).waitFor();
  await dialog.getByRole("option", { name: /^Post a message/ }).first().waitFor();
  const back = dialog.getByRole("button", { name: "Volver" });
  while (!(await back.evaluate((button) => button === document.activeElement))) await keyboard.press("Tab");
  await keyboard.press("Enter");
  await dialog.getByRole("heading", { name: "Añadir un nodo" }).waitFor();
  await keyboard.type("hacker item");
  await keyboard.press("ArrowDown");
  await keyboard.press("ArrowUp");
  await keyboard.press("Enter");
  await dialog.getByRole("heading", { name: /^Hacker News: / }).waitFor();
  await keyboard.press("Enter");
  await dialog.getByText("falta").first().waitFor();
  await check(page, "the form in Spanish", REFUSED);
  await keyboard.type("8863");
  await keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  const { graph } = await saved(page, path, "hacker_news");
  assert.match(graph.nodes.find(({ id }) => id === "hacker_news").config.url, /8863/);
  assert.ok(await node(page, "hacker_news").evaluate((card) => card === document.activeElement), "the new node has the focus");
  await page.context().close();
});

test("a credential of a type that the service takes is created in the form, with what is known of it", async () => {
  const { page, id, path } = await openEditor({ colorScheme: "dark" });
  const credentials = `${path}/webhook-credentials/outbound`;
  await call(page, "POST", credentials, { name: "A password", type: "basic", username: "ada", password: "x" });
  const dialog = await openPalette(page);
  await dialog.getByRole("combobox").fill("discord send");
  await page.keyboard.press("Enter");
  const choice = dialog.locator('[data-field="config.credentialId"]');
  await choice.waitFor();
  await page.waitForFunction(() => document.querySelector('[data-field="config.credentialId"] option')?.textContent === "None");
  assert.deepEqual(await choice.locator("option").allTextContents(), ["None"]);
  await dialog.getByRole("button", { name: "New credential…" }).click();
  const fields = page.locator("dialog[open]").last();
  await fields.getByText("Bot {key}").waitFor();
  assert.deepEqual(await fields.getByRole("combobox", { name: "Type" }).locator("option").allTextContents(), ["Header"]);
  assert.equal(await fields.getByRole("textbox", { name: "Header" }).inputValue(), "Authorization");
  await picture(page, "services-credential");
  await check(page, "the credential");
  await fields.getByLabel("Value").fill("Bot abc");
  await fields.getByRole("button", { name: "Create" }).click();
  await page.waitForFunction(() => document.querySelector('[data-field="config.credentialId"]')?.value !== "");
  await dialog.locator('[data-field="values.channelId"]').fill("42");
  await dialog.locator('[data-field="values.content"]').fill("Hello\nAda");
  await dialog.getByRole("button", { name: "Add the node" }).click();
  const { graph } = await saved(page, path, "discord");
  const [{ id: created }] = (await call(page, "GET", credentials)).body.data.filter(({ name }) => name === "Discord");
  assert.equal(graph.nodes.find(({ id }) => id === "discord").config.credentialId, created);
  assert.deepEqual(page.faults, []);

  // A credential that waits for a consent has the way to it, which does not leave the form.
  const google = await openPalette(page);
  await google.getByRole("combobox").fill("gmail send");
  await page.keyboard.press("Enter");
  await google.getByRole("button", { name: "New credential…" }).click();
  const oauth = page.locator("dialog[open]").last();
  await oauth.getByLabel("Client ID").fill("client");
  await oauth.getByRole("button", { name: "Create" }).click();
  const link = google.getByRole("link", { name: "Authorize: Gmail" });
  await link.waitFor();
  assert.equal(await link.getAttribute("target"), "_blank");
  assert.match(await link.getAttribute("href"), new RegExp(`/workflows/${id}/webhook-credentials/outbound/[^/]+/authorize$`));
  await picture(page, "services-consent");
  await check(page, "the consent");
  await page.context().close();
});

test("a wrong field in a closed part of the form is shown, and written text is not lost without a question", async () => {
  const { page } = await openEditor();
  const dialog = await openPalette(page);
  await dialog.getByRole("combobox").fill("slack/list-replies");
  await page.keyboard.press("Enter");
  const fold = dialog.locator("summary");
  await fold.click();
  const limit = dialog.locator('[data-field="values.limit"]');
  await limit.fill("ten");
  await fold.click();
  const add = dialog.getByRole("button", { name: "Add the node" });
  await add.click();
  assert.ok(await limit.evaluate((limit) => limit === document.activeElement && limit.validationMessage !== ""), "what is not a number");
  await limit.fill("1000000");
  await dialog.locator('[data-field="values.channel"]').fill("C1");
  await dialog.locator('[data-field="values.ts"]').fill("1.2");
  await fold.click();
  await add.click();
  await limit.and(page.locator("[aria-invalid=true]:focus")).waitFor();
  await dialog.getByRole("button", { name: "Back" }).click();
  await page.getByRole("button", { name: "Keep editing" }).click();
  assert.equal(await limit.inputValue(), "1000000");
  await dialog.getByRole("button", { name: "Back" }).click();
  await page.getByRole("button", { name: "Discard", exact: true }).click();
  await dialog.getByRole("option", { name: /^Post a message/ }).first().waitFor();
  assert.ok(await dialog.getByRole("combobox").evaluate((field) => field === document.activeElement), "the search has the focus");
  await page.context().close();
});

test("the palette works without the services, and loads them again", async () => {
  const { page, path } = await openEditor();
  await page.route("**/workflows/services", (route) => route.fulfill({ status: 500, json: {} }));
  await node(page, "input").focus();
  await page.keyboard.press("/");
  const dialog = page.locator("dialog[open]");
  await dialog.getByText("The services could not be loaded.").waitFor();
  await check(page, "no services", /500/);
  await page.unroute("**/workflows/services");
  await dialog.getByRole("button", { name: "Try again" }).click();
  await dialog.getByRole("option", { name: /^Slack/ }).waitFor();
  await dialog.getByRole("combobox").fill("condition");
  await page.keyboard.press("Enter");
  await saved(page, path, "condition");
  await page.context().close();
});
