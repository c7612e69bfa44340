// Analytics of several workflows, the runs in the list of workflows, pictures of templates, and the first example.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { BASE, call, check, loaded, open, picture, signIn, until } from "./harness.mjs";

const ROWS = 65;
const node = (id, type, config, x) => ({ id, type, name: id, config, position: { x, y: 0 } });
const edge = (from, to, port = "out") => ({ from: { node: from, port }, to: { node: to, port: "in" } });
/** Fails at `refuse` unless its input is in order. */
const graph = {
  nodes: [
    node("start", "input", {}, 0),
    node("decide", "condition", { expression: "input.good" }, 280),
    node("accept", "send_result", { output: "input" }, 560),
    node("refuse", "fail", { message: "Not in order", code: "not_in_order" }, 560),
  ],
  connections: [edge("start", "decide"), edge("decide", "accept", "true"), edge("decide", "refuse", "false")],
  notes: [],
};
const made = async (page, path, body = {}) => {
  const { status, body: answer } = await call(page, "POST", path, body);
  assert.ok(status < 300, `${path}: ${status} ${JSON.stringify(answer)}`);
  return answer.data;
};
let first, second;

before(async () => {
  // Another test needs a person who has nothing yet.
  const page = await signIn("bob");
  const create = async (name, inputs) => {
    const { id } = await made(page, "/builder/v1/workflows", { name, graph });
    await made(page, `/builder/v1/workflows/${id}/publish`);
    for (const good of inputs) await made(page, `/builder/v1/workflows/${id}/runs`, { input: { good } });
    await until(page, `/builder/v1/workflows/${id}/runs`, (runs) =>
      runs.length === inputs.length && runs.every(({ state }) => state === "completed" || state === "failed"));
    return id;
  };
  first = await create("Counted first", [true, false, true, true, false]);
  second = await create("Counted second", [true, true]);
  // The counts are kept a moment after the runs.
  await until(page, `/builder/v1/analytics?workflowIds=${first},${second}`, ({ runs }) => runs.total === 7);
  await until(page, "/builder/v1/workflows/runs/summaries", (all) =>
    all.find(({ workflowId }) => workflowId === first)?.lastFinishedAt);
  await page.context().close();
});

const place = (query = "") => `/analytics?workflows=${first},${second}${query}`;
const dayName = (day) => new Intl.DateTimeFormat("en", { day: "numeric", month: "short", timeZone: "UTC" }).format(new Date(`${day}T00:00:00Z`));

test("the numbers of the charts and tables are those of the API", async () => {
  const page = await open(place("&period=7"));
  await loaded(page);
  const asked = page.calls.filter((path) => path !== "/gateway/v1/me");
  assert.equal(asked.length, 2, asked.join("\n"));
  const { body: { data } } = await call(page, "GET", asked.find((path) => path.startsWith("/builder/v1/analytics?")));
  assert.equal(data.days.length, 7);
  assert.deepEqual([data.runs.total, data.runs.failed], [7, 2]);
  const numbers = page.locator(".numbers-grid dd");
  assert.equal(await numbers.nth(0).innerText(), "7");
  assert.equal(await numbers.nth(1).innerText(), "2 28.6%");

  const chart = page.getByRole("figure").filter({ hasText: "Runs by day" });
  await chart.getByText("Show as a table").click();
  const rows = await chart.locator("tbody tr").allInnerTexts();
  const expected = data.days.filter(({ total }) => total > 0).reverse()
    .map(({ date, total, completed, cancelled, failed }) => [dayName(date), total, completed, cancelled, failed].join("\t"));
  assert.deepEqual(rows.map((row) => row.replace(/\s*\t\s*/g, "\t")), expected);

  const workflows = page.getByRole("table", { name: "By workflow" });
  for (const { name, runs } of data.workflows) {
    const cells = await workflows.getByRole("row").filter({ hasText: name }).getByRole("cell").allInnerTexts();
    assert.equal(cells[1], String(runs.total), name);
    assert.equal(Number.parseInt(cells[2], 10), runs.failed, name);
    const days = workflows.getByRole("row").filter({ hasText: name }).getByRole("img");
    assert.match(await days.getAttribute("aria-label"), new RegExp(`^Runs: ${runs.total}, failed: ${runs.failed},`));
  }
  assert.deepEqual(data.failures, [{ workflowId: first, nodeId: "refuse", runs: 2 }]);
  await page.getByText("2 failed runs").waitFor();
  await check(page, "analytics of two workflows");
  await page.context().close();
});

test("the arrow keys read out one day after the other", async () => {
  const page = await open(place("&period=7"));
  await loaded(page);
  const { body: { data: { days } } } = await call(page, "GET", page.calls.find((path) => path.startsWith("/builder/v1/analytics?")));
  const describe = ({ date, total, completed, cancelled, failed }) =>
    `${dayName(date)} · Runs: ${total} · Completed: ${completed} · Cancelled: ${cancelled} · Failed: ${failed}`;
  const chart = page.getByRole("figure").filter({ hasText: "Runs by day" });
  const slider = chart.getByRole("slider", { name: "Runs by day" });
  await slider.focus();
  for (const [key, index] of [[null, 6], ["ArrowLeft", 5], ["Home", 0], ["ArrowRight", 1], ["End", 6]]) {
    if (key !== null) await page.keyboard.press(key);
    assert.equal(await slider.getAttribute("aria-valuetext"), describe(days[index]), String(key));
    assert.equal(await chart.locator(".readout").innerText(), describe(days[index]), String(key));
  }
  await picture(page, "analytics-readout");
  // The mouse reads out the day that it points at.
  const box = await chart.locator(".plot").boundingBox();
  await page.mouse.move(box.x + box.width - 4, box.y + 40);
  assert.equal(await chart.locator(".readout").innerText(), describe(days[6]));
  await page.context().close();
});

test("the filters survive a new start, and the way to the failed runs and back", async () => {
  const page = await open("/analytics");
  await loaded(page);
  await page.getByLabel("Period").selectOption("90");
  await page.getByRole("button", { name: /^Workflows:/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("searchbox").fill("counted f");
  await dialog.getByLabel("Counted second").waitFor({ state: "detached" });
  await dialog.getByLabel("Counted first").check();
  await dialog.getByRole("button", { name: "Show" }).click();
  const assertFilters = async () => {
    await loaded(page);
    assert.equal(await page.getByLabel("Period").inputValue(), "90");
    await page.getByRole("button", { name: "Workflows: 1 workflow" }).waitFor();
    assert.ok(page.url().includes(`workflows=${first}`), page.url());
    await page.getByRole("table", { name: "By workflow" }).getByRole("link", { name: "Counted first" }).waitFor();
    assert.equal(await page.getByRole("table", { name: "By workflow" }).locator("tbody tr").count(), 1);
  };
  await assertFilters();
  await page.reload();
  await assertFilters();
  await page.getByRole("link", { name: "refuse" }).click();
  await page.getByRole("heading", { name: "Runs of Counted first" }).waitFor();
  await loaded(page);
  assert.equal(await page.getByLabel("Failed at the node").inputValue(), "refuse");
  assert.equal(await page.locator("main tbody tr").count(), 2);
  assert.deepEqual(await page.locator("main tbody .outcome code").allInnerTexts(), ["not_in_order", "not_in_order"]);
  await page.goBack();
  await assertFilters();
  await page.getByLabel("Period").selectOption("custom");
  await page.getByLabel("To", { exact: true }).fill("");
  await page.getByText("Choose a first and a last day, at most 366 days.").waitFor();
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("the list of workflows shows the last runs with one request, and keeps its place", async () => {
  const page = await open("/workflows?search=Counted");
  await loaded(page);
  const row = page.getByRole("row").filter({ hasText: "Counted first" });
  const bars = row.getByRole("img");
  await bars.waitFor();
  assert.match(await bars.getAttribute("aria-label"), /^Last 5 runs, oldest first: Completed [^,]+, Failed [^,]+, Completed [^,]+, Completed [^,]+, Failed /);
  assert.equal(await bars.locator(".cross").count(), 2);
  const { body: { data: runs } } = await call(page, "GET", `/builder/v1/workflows/${first}/runs?limit=1`);
  assert.ok((await row.getByRole("link").nth(1).getAttribute("href")).endsWith(`/runs/${runs[0].id}`));
  const asked = page.calls.filter((path) => path !== "/gateway/v1/me");
  assert.ok(asked.length <= 5 && asked.filter((path) => path.startsWith("/builder/v1/runs?")).length === 1, asked.join("\n"));

  for (let index = 0; index < ROWS; index++) await made(page, "/builder/v1/workflows", { name: `Placed ${index}` });
  await page.goto(`${BASE}/console#/workflows?search=Placed`);
  await page.reload();
  const rows = page.locator("main tbody tr");
  for (const count of [30, 60, ROWS]) {
    await page.waitForFunction((count) => document.querySelectorAll("main tbody tr").length === count, count);
    if (count < ROWS) await page.getByRole("button", { name: "Show more" }).click();
  }
  await rows.nth(61).scrollIntoViewIfNeeded();
  const top = await page.evaluate(() => window.scrollY);
  assert.ok(top > 1000, String(top));
  const link = rows.nth(61).getByRole("link");
  const name = await link.innerText();
  await link.click();
  await page.getByRole("heading", { name, level: 1 }).waitFor();
  await page.goBack();
  await page.waitForFunction((top) => window.scrollY === top, top);
  assert.equal(await rows.count(), ROWS);
  assert.equal(await page.getByLabel("Search").inputValue(), "Placed");
  await check(page, "a list of 65 workflows");
  await page.context().close();
});

test("a template has a picture of its graph, which is loaded when it is seen", async () => {
  const page = await open("/workflows?new=template");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("searchbox").fill("expense");
  const pictures = dialog.getByRole("img");
  await page.waitForFunction(() => document.querySelectorAll("dialog .templates li").length === 1);
  await pictures.waitFor();
  const { body: { data } } = await call(page, "GET", "/builder/v1/workflows/templates/expense-approval");
  assert.equal(await pictures.getAttribute("aria-label"), `Picture of the graph: ${data.graph.nodes.length} nodes`);
  assert.equal(await pictures.locator("rect").count(), data.graph.nodes.length);
  const { body: { meta } } = await call(page, "GET", "/builder/v1/workflows/templates");
  const asked = new Set(page.calls.filter((path) => /\/templates\/[^?]/.test(path) && !path.endsWith("/expense-approval")));
  assert.ok(asked.size < meta.total, `${asked.size} of ${meta.total}`);
  await picture(page, "templates");
  await check(page, "templates");
  await page.context().close();
});

test("a newcomer runs the example with one click, and finds its review on the home screen", async () => {
  await (await signIn("eve")).context().close();
  const page = await open("/");
  await loaded(page);
  await check(page, "home of a newcomer");
  await picture(page, "home-new");
  await page.getByRole("button", { name: "Run an example" }).click();
  await page.getByRole("button", { name: "Approve", exact: true }).waitFor();
  await page.goto(`${BASE}/console#/`);
  await page.getByRole("button", { name: /^Decide: / }).waitFor();
  assert.equal(await page.locator(".home-counts dd").first().innerText(), "1");
  assert.deepEqual(page.faults, []);
  await page.context().close();
});
