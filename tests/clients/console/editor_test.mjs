// The editor: with the keyboard, with the mouse, with two people, with a connection that fails.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { BASE, call, loaded, open, signIn, until } from "./harness.mjs";

before(async () => { await (await signIn()).context().close(); });

const node = (page, id) => page.locator(`.react-flow__node[data-id=${id}]`);

/** How a person presses something, adds a node and selects one: with the keyboard alone, or with the mouse. */
const hands = {
  keyboard: {
    async press(page, what) {
      await what.focus();
      await page.keyboard.press("Enter");
    },
    async add(page, name) {
      await page.keyboard.press("/");
      await page.locator("dialog[open] [role=combobox]").waitFor();
      await page.keyboard.type(name);
      await page.keyboard.press("Enter");
    },
    async select(page, id) {
      await node(page, id).focus();
      await page.keyboard.press("Escape");
      await node(page, id).focus();
      await page.keyboard.press("Enter");
    },
    write: (page, field) => field.focus(),
  },
  mouse: {
    press: (page, what) => what.click(),
    async add(page, name) {
      await page.getByRole("button", { name: "Add a node" }).first().click();
      await page.locator("dialog[open]").getByRole("option", { name: new RegExp(`^${name}`) }).first().click();
    },
    async select(page, id) {
      await page.locator(".react-flow__pane").click({ position: { x: 8, y: 8 } });
      await node(page, id).click();
    },
    write: (page, field) => field.click(),
  },
};

for (const [name, hand] of Object.entries(hands)) {
  test(`a workflow with a review is built, published, run, approved and read with the ${name}`, async () => {
    const page = await open("/workflows");
    await loaded(page);
    const press = (what) => hand.press(page, what);
    const write = async (field, text) => {
      await hand.write(page, field);
      await page.keyboard.type(text);
    };
    await press(page.getByRole("button", { name: "New", exact: true }));
    await page.waitForFunction(() => location.hash.endsWith("/edit"));
    const path = `/builder/v1/workflows/${(await page.evaluate(() => location.hash)).split("/")[2]}`;
    await page.locator(".editor").waitFor();
    for (const [before, type] of ["Manual start", "Review", "Result"].entries()) {
      await hand.add(page, type);
      await page.waitForFunction((count) => document.querySelectorAll(".react-flow__node").length > count, before);
    }
    for (const [id, field, text] of [["review", "title", "Refund {{ input.amount }}?"], ["send_result", "output", "nodes.review.output"]]) {
      await hand.select(page, id);
      await page.locator("#node-name").waitFor();
      await write(page.locator(`[data-field="config.${field}"]`), text);
    }
    const draft = await until(page, path, ({ graph, problems }) =>
      graph.connections.length === 2 && graph.nodes.length === 3 && problems.every(({ severity }) => severity !== "error")
        && graph.nodes.some(({ config }) => config.output === "nodes.review.output"));
    assert.deepEqual(draft.graph.connections.map(({ from, to }) => `${from.node}>${to.node}`).sort(),
      ["input>review", "review>send_result"]);

    await press(page.getByRole("button", { name: "Publish", exact: true }));
    await press(page.locator("dialog[open] footer .primary"));
    await until(page, path, ({ state }) => state === "published");
    await page.locator("dialog[open]").waitFor({ state: "detached" });
    await press(page.getByRole("button", { name: "Run", exact: true }));
    const input = page.locator("dialog[open] textarea");
    await hand.write(page, input);
    await page.keyboard.press("Control+a");
    await page.keyboard.type('{"amount": 5}');
    await press(page.locator("dialog[open] footer .primary"));
    await press(page.locator("dialog[open] footer a"));
    await page.getByText("Refund 5?").first().waitFor();
    await press(page.getByRole("button", { name: "Approve", exact: true }));
    await page.getByText("Completed").first().waitFor();
    const [{ id: started }] = (await call(page, "GET", `${path}/runs`)).body.data;
    const ended = await until(page, `${path}/runs/${started}`, ({ state }) => state === "completed");
    assert.deepEqual(ended.input, { amount: 5 });
    // The trace shows what the person has decided, as the API tells it.
    await press(page.locator(".span-title", { hasText: "Review" }).first());
    const { spans } = (await call(page, "GET", `${path}/runs/${started}/trace`)).body.data;
    const { output } = spans.find(({ nodeId }) => nodeId === "review");
    assert.equal(output.decision, "approved", JSON.stringify(output));
    await page.locator(".span-detail").getByText('"decision": "approved"').first().waitFor();
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });
}

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

