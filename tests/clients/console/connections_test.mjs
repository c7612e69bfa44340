// What connects a workflow with the world: channels, credentials, webhooks, schedules.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { call, check, loaded, open, picture, signIn } from "./harness.mjs";

const SECRET = "s3cret-of-the-shop";
const received = [];
/** Another system: it answers `/refused` with 401 and all else with 200. */
const system = createServer((request, answer) => {
  received.push(request.headers.authorization);
  answer.writeHead(request.url === "/refused" ? 401 : 200).end();
});
const link = (from, to) => ({ from: { node: from, port: "out" }, to: { node: to, port: "in" } });
const place = (x, y) => ({ position: { x, y } });
let ada, bob, shop, support, address;

/** Calls an API and returns the data of its answer. */
async function made(page, method, path, body) {
  const { status, body: answer } = await call(page, method, `/builder/v1/workflows${path}`, body);
  assert.ok(status < 300, `${method} ${path}: ${status} ${JSON.stringify(answer)}`);
  return answer?.data;
}

before(async () => {
  await new Promise((resolve) => system.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${system.address().port}`;
  bob = await signIn("bob");
  ada = await signIn();
  ({ id: shop } = await made(ada, "POST", "", { name: "Shop", graph: {
    nodes: [
      { id: "order", type: "webhook", name: "Order", config: {}, ...place(0, 0) },
      { id: "manual", type: "input", name: "Manual", config: {}, ...place(0, 320) },
      { id: "nightly", type: "schedule", name: "Nightly", config: { cron: "30 2 * * MON-FRI", zone: "Europe/Madrid" }, ...place(0, 160) },
      { id: "stock", type: "http", name: "Stock", config: { url: `${address}/stock` }, ...place(320, 160) },
      { id: "result", type: "send_result", name: "Result", config: {}, ...place(640, 0) }],
    connections: [link("order", "result"), link("manual", "result"), link("nightly", "stock"), link("stock", "result")] } }));
  ({ id: support } = await made(ada, "POST", "", { name: "Support", graph: {
    nodes: [{ id: "question", type: "message", name: "Question", config: {}, ...place(0, 0) },
      { id: "answer", type: "send_message", name: "Answer", config: { text: "Thank you" }, ...place(320, 0) }],
    connections: [link("question", "answer")] } }));
  const members = (await call(ada, "GET", "/builder/v1/members")).body.data;
  const { userId } = members.find(({ name }) => name === "bob");
  await made(ada, "POST", `/${support}/members`, { userId, role: "editor" });
});
after(() => system.close());

/** Opens a tab of a workflow. The texts may be copied. */
async function openTab(workflow, tab, options) {
  const page = await open(`/workflows/${workflow}/${tab}`, options);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await loaded(page);
  return page;
}

const button = (page, name) => page.getByRole("button", { name, exact: true });
const dialog = (page, name) => page.getByRole("dialog", { name, exact: true });

test("a credential is created, tested, and never shown again", async () => {
  const page = await openTab(shop, "credentials");
  await button(page, "New credential").click();
  const form = dialog(page, "New credential");
  await form.getByLabel("Name").fill("Stock system");
  assert.equal(await form.getByLabel("Token", { exact: true }).getAttribute("type"), "password");
  await form.getByLabel("Token", { exact: true }).fill(SECRET);
  await button(form, "Create").click();
  await form.waitFor({ state: "detached" });
  await button(page, "Test: Stock system").click();
  const tests = dialog(page, "Test Stock system");
  for (const [url, found] of [[address, /It works.*Status 200/], [`${address}/refused`, /It does not work.*Status 401/]]) {
    await tests.getByLabel("URL").fill(url);
    await button(tests, "Test").click();
    await tests.locator(".test-result", { hasText: found }).waitFor();
  }
  assert.deepEqual(received.splice(0), [`Bearer ${SECRET}`, `Bearer ${SECRET}`]);
  await tests.getByLabel("URL").fill("http://127.0.0.1:1");
  await button(tests, "Test").click();
  await tests.getByText("The address could not be reached.").waitFor();
  await tests.getByRole("button", { name: "Close" }).last().click();
  assert.ok(!(await page.content()).includes(SECRET));
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("a webhook is created where a channel needs it, and its token stays until it is copied", async () => {
  const page = await openTab(shop, "channels");
  await page.getByText("Choose the webhook whose calls start this node.").waitFor();
  await button(page, "Change the channel: Order").click();
  const channel = dialog(page, "Channel of Order");
  await button(channel, "New webhook").click();
  await dialog(page, "New webhook").getByLabel("Name").fill("Orders");
  await button(dialog(page, "New webhook"), "Create").click();
  const secret = dialog(page, "Token of Orders");
  await secret.waitFor();
  // Chromium closes a dialog that refuses Escape when it is pressed again.
  for (let count = 0; count < 3; count++) await page.keyboard.press("Escape");
  await secret.getByRole("alert").waitFor();
  const token = await secret.locator("code").first().innerText();
  assert.ok((await secret.locator("code").last().innerText()).includes(`Authorization: Bearer ${token}`));
  assert.ok((await secret.locator("code").nth(1).innerText()).endsWith(`?token=${token}`));
  await button(secret, "Copy: the command").click();
  assert.ok((await page.evaluate(() => navigator.clipboard.readText())).startsWith("curl "));
  await page.keyboard.press("Escape");
  await secret.waitFor({ state: "detached" });
  await button(channel, "Save").click();
  await channel.waitFor({ state: "detached" });
  await page.getByText("Ready").waitFor();
  assert.ok(!(await page.content()).includes(token));
  const { inputs } = await made(ada, "GET", `/${shop}/connections`);
  assert.ok(inputs.find(({ nodeId }) => nodeId === "order").config.webhookId);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("the test of a webhook ends in a run, and a wrong token is refused in words", async () => {
  await made(ada, "POST", `/${shop}/publish`);
  const page = await openTab(shop, "webhooks");
  await button(page, "Test: Orders").click();
  await dialog(page, "Test Orders").getByLabel("Token").fill("wrong");
  await button(dialog(page, "Test Orders"), "Send").click();
  await dialog(page, "Test Orders").getByText("The call did not succeed").waitFor();
  await dialog(page, "Test Orders").getByRole("button", { name: "Close" }).last().click();
  // The browser logs the refused call.
  assert.deepEqual(page.faults.splice(0).filter((fault) => !fault.includes("401")), []);
  await button(page, "New token: Orders").click();
  await button(dialog(page, "New token for Orders?"), "New token").click();
  await button(dialog(page, "Token of Orders"), "Test").click();
  const tests = dialog(page, "Test Orders");
  await tests.getByLabel("Event").fill('{"item": 7}');
  await button(tests, "Send").click();
  await tests.getByText("The run has completed").waitFor();
  await tests.getByRole("link", { name: "Open the run" }).click();
  await page.waitForURL(/\/runs\//);
  const run = await made(ada, "GET", page.url().split("#/workflows")[1]);
  assert.deepEqual([run.origin, run.state, run.output], ["webhook", "completed", { item: 7 }]);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("a change of the same channel by another person is shown, and other changes of theirs stay", async () => {
  const account = { type: "telegram", botToken: "1:a", secretToken: "a" };
  const [one, other] = await Promise.all(["One", "Other"].map((name) => made(ada, "POST", `/${support}/webhook-credentials/outbound`, { name, ...account })));
  const page = await openTab(support, "channels");
  await button(page, "Change the channel: Question").click();
  const channel = dialog(page, "Channel of Question");
  await channel.getByLabel(/^One/).check();
  const theirs = { nodeId: "answer", config: { provider: "telegram", credentialId: other.id } };
  await made(bob, "PUT", `/${support}/connections`, { inputs: [], outputs: [theirs] });
  await button(channel, "Save").click();
  await channel.waitFor({ state: "detached" });
  const credentialsOf = async () => {
    const { inputs, outputs } = await made(ada, "GET", `/${support}/connections`);
    return [...inputs, ...outputs].map(({ config }) => config.credentialId);
  };
  assert.deepEqual(await credentialsOf(), [one.id, other.id]);

  await button(page, "Change the channel: Question").click();
  await channel.getByLabel("None").check();
  await made(bob, "PUT", `/${support}/connections`, { inputs: [{ ...theirs, nodeId: "question" }], outputs: [theirs] });
  await button(channel, "Save").click();
  await channel.getByRole("alert").getByText("Other", { exact: true }).waitFor();
  assert.deepEqual(await credentialsOf(), [other.id, other.id]);
  await button(channel, "Save mine instead").click();
  await channel.waitFor({ state: "detached" });
  assert.deepEqual(await credentialsOf(), [undefined, other.id]);
  assert.deepEqual(page.faults.filter((fault) => !fault.includes("412")), []);
  await page.context().close();
});

test("what uses a credential is named before it is deleted, and the address for its messages is shown", async () => {
  const page = await openTab(support, "credentials");
  const [{ id }] = (await made(ada, "GET", `/${support}/webhook-credentials/outbound`)).filter(({ name }) => name === "Other");
  await page.getByText(`/hooks/v1/messages/${id}`).waitFor();
  await button(page, "Delete: Other").click();
  await dialog(page, "Delete Other?").getByText("Answer", { exact: true }).waitFor();
  await button(dialog(page, "Delete Other?"), "Delete").click();
  await page.getByRole("status").getByText("Deleted: Other").waitFor();
  await dialog(page, "Delete Other?").waitFor({ state: "detached" });
  assert.deepEqual((await made(ada, "GET", `/${support}/webhook-credentials/outbound`)).map(({ name }) => name), ["One"]);
  await page.context().close();
});

test("a schedule is written in words, with its next times, and leads to its node", async () => {
  const page = await openTab(shop, "schedules");
  await page.getByRole("heading", { name: "At 2:30 AM, from Monday to Friday" }).waitFor();
  const times = await page.locator(".times time").evaluateAll((all) => all.map(({ dateTime }) => Date.parse(dateTime)));
  assert.equal(times.length, 5);
  assert.ok(times.every((time, index) => time > (times[index - 1] ?? Date.now())), String(times));
  await made(ada, "POST", `/${shop}/pause`);
  await page.reload();
  await page.getByText("The workflow is paused", { exact: false }).waitFor();
  await made(ada, "POST", `/${shop}/resume`);
  await page.getByRole("link", { name: "Open the node in the editor: Nightly" }).click();
  await page.locator(".react-flow__node.selected[data-id=nightly]").waitFor();
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("a run that is started and left at once is still announced", async () => {
  const page = await openTab(shop, "webhooks");
  let proceed;
  const left = new Promise((resolve) => { proceed = resolve; });
  await page.route("**/runs", async (route) => {
    if (route.request().method() === "POST") await left;
    await route.continue();
  });
  await button(page, "Run").click();
  await button(dialog(page, "Run Shop"), "Run").click();
  await page.keyboard.press("Escape");
  await dialog(page, "Run Shop").waitFor({ state: "detached" });
  proceed();
  await page.getByRole("status").getByText("A run of Shop has started").waitFor();
  await page.context().close();
});

/** The dialogs of each tab, and how they are opened in each language. */
const DIALOGS = [
  [() => shop, "credentials", { en: "New credential", es: "Nueva credencial" }],
  [() => shop, "credentials", { en: "Test: Stock system", es: "Probar: Stock system" }],
  [() => shop, "credentials", { en: "Delete: Stock system", es: "Eliminar: Stock system" }],
  [() => shop, "channels", { en: "Change the channel: Order", es: "Cambiar el canal: Order" }],
  [() => support, "channels", { en: "Change the channel: Question", es: "Cambiar el canal: Question" }],
  [() => shop, "webhooks", { en: "Test: Orders", es: "Probar: Orders" }],
  [() => shop, "webhooks", { en: "New token: Orders", es: "Nuevo token: Orders" }],
];

for (const [language, colorScheme] of [["en", "dark"], ["es", "light"]]) {
  test(`the dialogs have no fault of accessibility at 390 px in ${language}`, async () => {
    for (const [workflow, tab, names] of DIALOGS) {
      const page = await openTab(workflow(), tab, { width: 390, language, colorScheme });
      await button(page, names[language]).click();
      await page.getByRole("dialog").waitFor();
      await page.waitForFunction(() => !document.querySelector("dialog [aria-busy=true]"));
      await picture(page, `${names.en.replaceAll(/\W+/g, "-")}-${language}`);
      await check(page, `${names.en} ${language}`);
      if (names.en === "New credential") {
        const types = page.locator("dialog select");
        for (const type of await types.locator("option").evaluateAll((all) => all.map(({ value }) => value))) {
          await types.selectOption(type);
          await check(page, `${type} ${language}`);
        }
      }
      if (names.en.startsWith("New token")) {
        await page.locator("dialog footer .danger").click();
        await page.locator("dialog .secret").waitFor();
        await check(page, `secret ${language}`);
      }
      await page.context().close();
    }
  });
}
