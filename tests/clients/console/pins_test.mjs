// The editor: pinned outputs, parts of a draft, publishing with a comparison, and decisions that cannot be skipped.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { BASE, call, check, loaded, open, picture, signIn, until } from "./harness.mjs";

before(async () => { await (await signIn()).context().close(); });

const node = (page, id) => page.locator(`.react-flow__node[data-id=${id}]`);
const text = (id, template, x) => ({ id, type: "template", name: id, config: { template }, position: { x, y: 0 } });
const graph = {
  nodes: [
    { id: "input", type: "input", config: { example: { who: "Ada" } }, position: { x: 0, y: 0 } },
    text("hello", "Hello {{ nodes.input.output.who }}", 320),
    text("louder", "{{ nodes.hello.output }}!", 640),
    { id: "end", type: "send_result", config: { output: "nodes.louder.output" }, position: { x: 960, y: 0 } },
  ],
  connections: [{ from: "input", to: "hello" }, { from: "hello", to: "louder" }, { from: "louder", to: "end" }],
};

/** Creates a workflow and opens its editor. */
async function edit(options) {
  const page = await open("/workflows", options);
  await loaded(page);
  const created = await call(page, "POST", "/builder/v1/workflows", { name: "Greetings", graph });
  const { id } = created.body.data;
  await page.goto(`${BASE}/console#/workflows/${id}/edit`);
  await node(page, "end").waitFor();
  return { page, id, path: `/builder/v1/workflows/${id}` };
}

/** Presses a key on a selected node, and confirms the dialog that it opens. Returns what is sent and answered. */
async function attempt(page, id, key) {
  await node(page, id).click();
  await page.keyboard.press(key);
  const sent = page.waitForResponse((response) => response.url().endsWith("/preview"));
  await page.locator("dialog[open] footer .primary").click();
  const response = await sent;
  await page.locator("dialog[open]").waitFor({ state: "detached" });
  const { nodes } = (await response.json()).data;
  return { sent: response.request().postDataJSON(), outputs: Object.fromEntries(nodes.map(({ nodeId, output, pinned }) => [nodeId, pinned ? `pinned ${output}` : output])) };
}

test("a draft is run up to a node and from a node, with pinned outputs that are no part of it", async () => {
  const { page, id, path } = await edit();
  const drawer = page.locator(".data-drawer");
  const first = await attempt(page, "hello", "r");
  assert.deepEqual([first.sent.until, first.outputs], ["hello", { input: { who: "Ada" }, hello: "Hello Ada" }]);
  await drawer.getByText("Hello Ada").waitFor();
  await drawer.getByText('"who": "Ada"').waitFor();

  // What came before keeps its last output, and the node itself is executed.
  const second = await attempt(page, "louder", "Shift+R");
  assert.deepEqual(second.outputs, { input: "pinned [object Object]", hello: "pinned Hello Ada", louder: "Hello Ada!", end: "Hello Ada!" });

  // A written output, with the keyboard alone.
  await node(page, "hello").click();
  await page.keyboard.press("p");
  await page.locator("dialog[open] textarea").focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.type('"Good morning"');
  await page.locator("dialog[open] footer .primary").focus();
  await page.keyboard.press("Enter");
  await node(page, "hello").getByRole("img", { name: "Pinned" }).waitFor();
  await page.locator("[aria-label='Connection from hello, port out, to louder, port in']").waitFor({ state: "attached" });
  await check(page, "a pinned node");
  await picture(page, "pinned-node");
  await page.reload();
  await node(page, "hello").getByRole("img", { name: "Pinned" }).waitFor();
  assert.deepEqual((await attempt(page, "louder", "r")).outputs, { input: { who: "Ada" }, hello: "pinned Good morning", louder: "Good morning!" });
  const { graph: stored } = (await call(page, "GET", path)).body.data;
  assert.ok(!JSON.stringify(stored).includes("Good morning"));

  // Runs execute the node.
  await call(page, "POST", `${path}/publish`, {});
  const { body: { data: run } } = await call(page, "POST", `${path}/runs`, { input: { who: "Bob" } });
  assert.equal((await until(page, `${path}/runs/${run.id}`, ({ state }) => state === "completed")).output, "Hello Bob!");

  // The pin goes with its node, also from the browser.
  await node(page, "hello").click();
  await page.keyboard.press("Delete");
  await node(page, "hello").waitFor({ state: "detached" });
  assert.deepEqual(await page.evaluate((id) => Object.keys(localStorage).filter((key) => key.includes(id)), id), []);
  await page.context().close();
});

test("without a preview, the panel shows the latest run, which is loaded when it is needed", async () => {
  const { page, id, path } = await edit({ language: "es", colorScheme: "dark" });
  await call(page, "POST", `${path}/publish`, {});
  const { body: { data: run } } = await call(page, "POST", `${path}/runs`, { input: { who: "Bob" } });
  await until(page, `${path}/runs/${run.id}`, ({ state }) => state === "completed");
  page.calls.length = 0;
  await page.reload();
  await node(page, "end").waitFor();
  await page.locator("[data-save=saved]").waitFor();
  assert.ok(page.calls.filter((url) => !url.endsWith("/me")).length <= 4, page.calls.join("\n"));
  await node(page, "louder").click();
  const drawer = page.locator(".data-drawer");
  await drawer.getByText("Hello Bob!").waitFor();
  await drawer.getByText("Hello Bob", { exact: true }).waitFor();
  assert.ok((await drawer.getByRole("link").getAttribute("href")).endsWith(`/workflows/${id}/runs/${run.id}`));
  await check(page, "the values of a run");
  await picture(page, "node-values-es-dark");
  await page.context().close();
});

test("the dialog of a publication shows what changes, and its end does not close another dialog", async () => {
  const { page, path } = await edit();
  await call(page, "POST", `${path}/publish`, {});
  await page.reload();
  await node(page, "louder").click();
  await page.locator("#node-name").fill("Shout");
  await page.getByRole("button", { name: "Remove the connection from Shout", exact: false }).focus();
  await page.keyboard.press("Enter");
  // The focus stays in the list of connections.
  assert.equal(await page.evaluate(() => document.activeElement.closest(".connections") !== null), true);
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  const dialog = page.locator("dialog[open]");
  await dialog.getByText("Shout").first().waitFor();
  await dialog.getByText("louder.out → end.in").waitFor();
  await check(page, "the changes of a publication");
  await picture(page, "publish");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+z");
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await dialog.getByText("louder.out → end.in").waitFor({ state: "detached" });

  let release;
  const isHeld = new Promise((done) => { release = done; });
  await page.route(`**${path}/publish`, async (route) => {
    await isHeld;
    await route.continue();
  });
  await dialog.locator("textarea").fill("A better name");
  const asked = page.waitForRequest((request) => request.url().endsWith("/publish"));
  await dialog.locator("footer .primary").click();
  await asked;
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Add a node" }).click();
  await dialog.getByRole("combobox").waitFor();
  release();
  await page.getByText("Release 2 is active").waitFor();
  assert.equal(await dialog.getByRole("combobox").count(), 1);
  const { body: { data: releases } } = await call(page, "GET", `${path}/releases`);
  assert.equal(releases[0].notes, "A better name");
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("a run and a publication whose answers were lost are not repeated", async () => {
  const { page, path } = await edit();
  const loseOnce = async (place) => {
    let lost = false;
    await page.route(`**${path}/${place}`, async (route) => {
      if (lost || route.request().method() !== "POST") return route.fallback();
      lost = true;
      await route.fetch();
      await route.abort();
    });
  };
  const dialog = page.locator("dialog[open]");
  await loseOnce("publish");
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await dialog.locator("footer .primary").click();
  await dialog.getByRole("alert").waitFor();
  await dialog.locator("footer .primary").click();
  await page.getByText("Release 1 is active").waitFor();
  await dialog.waitFor({ state: "detached" });

  await loseOnce("runs");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await dialog.locator("footer .primary").click();
  await dialog.getByRole("alert").waitFor();
  await dialog.locator("footer .primary").click();
  await dialog.getByText("The run has started.").waitFor();
  assert.equal((await call(page, "GET", `${path}/runs`)).body.data.length, 1);
  assert.equal((await call(page, "GET", `${path}/releases`)).body.data.length, 1);
  await page.context().close();
});

test("two people who rename a workflow are asked, and Escape is no answer", async () => {
  const { page, path } = await edit();
  await call(page, "PATCH", path, { name: "Theirs" });
  await page.getByRole("button", { name: "Rename" }).click();
  await page.locator("dialog[open] input").fill("Mine");
  await page.keyboard.press("Enter");
  const dialog = page.locator("dialog[open]");
  await dialog.getByText("Name of the workflow").waitFor();
  for (let times = 0; times < 3; times += 1) await page.keyboard.press("Escape");
  await dialog.getByRole("alert").waitFor();
  assert.equal(await dialog.count(), 1);
  // A refused save is the expected answer to the other name.
  page.faults = page.faults.filter((fault) => !fault.includes("412"));
  await check(page, "two names");
  await picture(page, "rename-conflict");
  await dialog.getByRole("radio", { name: "Mine" }).check();
  await dialog.locator("footer .primary").click();
  await until(page, path, ({ name }) => name === "Mine");
  await page.getByRole("heading", { name: "Mine" }).waitFor();
  await page.context().close();
});

test("keys without a modifier act on the canvas alone", async () => {
  const { page } = await edit();
  for (const place of [page.getByRole("button", { name: "Problems" }), page.locator(".editor-side"), page.locator(".data-toggle")]) {
    await place.focus();
    for (const key of ["/", "c", "r", "p", "Delete"]) await page.keyboard.press(key);
    assert.deepEqual([await page.locator("dialog[open]").count(), await page.locator(".react-flow__node").count()], [0, 4]);
  }
  await node(page, "hello").focus();
  await page.keyboard.press("/");
  await page.locator("dialog[open] [role=combobox]").waitFor();
  await page.context().close();
});
