// How fast the console is: first paint and canvas beside a static page, a graph of 500 nodes, a run of 20,000 events. It needs
// an idle machine, so it is no part of the tests:
//
//   LOCAL_BIN=target/release/local TESTS=tests/clients/console/bench.mjs tests/clients/console.sh
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { before, test } from "node:test";
import { BASE, call, loaded, open, signIn, until } from "./harness.mjs";

const ROUNDS = 5, FRAME_MS = 17;
let page, workflow;

before(async () => {
  page = await signIn();
  const template = "/builder/v1/workflows/templates/expense-approval";
  workflow = (await call(page, "POST", `${template}/instantiate`, {})).body.data.id;
});

const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
const round = (value) => Math.round(value * 10) / 10;

/** Opens an address in a new page with an empty cache. Returns the milliseconds until its first paint, and until `shown`. */
async function times(address, shown) {
  const opened = await open("/");
  const fresh = await opened.context().newPage();
  await fresh.goto("about:blank");
  const begin = Date.now();
  await fresh.goto(address, { waitUntil: "commit" });
  await fresh.locator(shown).first().waitFor();
  const visible = Date.now() - begin;
  const paint = await fresh.evaluate(() => new Promise((resolve) => {
    const of = (entries) => entries.find(({ name }) => name === "first-contentful-paint")?.startTime;
    new PerformanceObserver((list) => of(list.getEntries()) && resolve(of(list.getEntries()))).observe({ type: "paint", buffered: true });
  }));
  await opened.context().close();
  return { paint, visible };
}

test("the first paint and the canvas, beside a static page", async () => {
  const server = createServer((_, response) => response.setHeader("content-type", "text/html").end("<!doctype html><title>Static</title><h1>Static</h1>"));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const places = {
    static: [`http://127.0.0.1:${server.address().port}/`, "h1"],
    home: [`${BASE}/console#/`, "main h1"],
    canvas: [`${BASE}/console#/workflows/${workflow}/edit`, ".react-flow__node"],
  };
  const found = Object.fromEntries(Object.keys(places).map((name) => [name, { paint: [], visible: [] }]));
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    for (const [name, [address, shown]] of Object.entries(places)) {
      const { paint, visible } = await times(address, shown);
      found[name].paint.push(paint);
      found[name].visible.push(visible);
    }
  }
  server.close();
  for (const [name, { paint, visible }] of Object.entries(found)) {
    const ratio = (kind, values) => round(median(values) / median(found.static[kind]));
    console.log(`${name}: first paint ${round(median(paint))} ms (${ratio("paint", paint)} times the static page), shown after ${median(visible)} ms (${ratio("visible", visible)})`);
  }
  assert.ok(median(found.home.paint) <= 500);
  assert.ok(median(found.canvas.visible) <= 1500);
});

/** The milliseconds between the frames of a page while something is done in it. */
async function frames(page, act) {
  await page.evaluate(() => {
    const found = window.frameTimes = [];
    const note = (time) => { found.push(time); if (window.frameTimes === found) requestAnimationFrame(note); };
    requestAnimationFrame(note);
  });
  await act();
  const at = await page.evaluate(() => { const found = window.frameTimes; window.frameTimes = null; return found; });
  return at.slice(1).map((time, index) => time - at[index]).sort((one, other) => one - other);
}

function print(name, gaps) {
  const of = (share) => round(gaps[Math.floor(gaps.length * share)]);
  console.log(`${name}: ${gaps.length} frames, median ${of(0.5)} ms, p95 ${of(0.95)} ms, longest ${round(gaps.at(-1))} ms`);
  return of(0.95);
}

/** Moves the mouse with a pressed button for about two seconds. */
async function drag(page, x, y, reach) {
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let step = 0; step < 120; step += 1) {
    await page.mouse.move(x + reach * Math.sin(step / 12), y + (reach / 2) * Math.sin(step / 9));
  }
  await page.mouse.up();
}

test("a graph of 500 nodes is moved, in overview and zoomed in, and so is a node of it", async () => {
  const nodes = Array.from({ length: 500 }, (_, n) => ({ id: `n${n}`, type: n === 0 ? "input" : "template",
    ...(n > 0 && { config: { template: `Text ${n}` } }), position: { x: (n % 25) * 320, y: Math.floor(n / 25) * 176 } }));
  const connections = nodes.slice(1).map(({ id }, n) => ({ from: n % 3 === 0 ? `n${Math.floor(n / 3)}` : `n${n}`, to: id }));
  const created = await call(page, "POST", "/builder/v1/workflows", { name: "500 nodes", graph: { nodes, connections } });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const begin = Date.now();
  await page.goto(`${BASE}/console#/workflows/${created.body.data.id}/edit`);
  await page.locator(".react-flow__node").first().waitFor();
  console.log(`500 nodes: shown after ${Date.now() - begin} ms`);
  const limits = [];
  await page.locator(".react-flow__pane").focus().catch(() => {});
  await page.keyboard.press("f");
  await page.waitForFunction(() => document.querySelectorAll(".react-flow__node").length === 500);
  const box = await page.locator(".react-flow").boundingBox();
  const middle = [box.x + box.width / 2, box.y + box.height / 2];
  limits.push(print("overview, pan", await frames(page, () => drag(page, middle[0], box.y + box.height - 20, 200))));
  const node = async () => {
    const boxes = await page.locator(".react-flow__node").evaluateAll((all) => all.map((each) => each.getBoundingClientRect().toJSON()));
    const near = ({ x, y, width, height }) => Math.hypot(x + width / 2 - middle[0], y + height / 2 - middle[1]);
    const { x, y, width, height } = boxes.sort((one, other) => near(one) - near(other))[0];
    return [x + width / 2, y + height / 4];
  };
  limits.push(print("overview, drag of a node", await frames(page, async () => drag(page, ...await node(), 60))));
  await page.mouse.move(...middle);
  for (let step = 0; step < 40; step += 1) await page.mouse.wheel(0, -100);
  await page.waitForFunction(() => /scale\((1|2|1\.\d+)\)/.test(document.querySelector(".react-flow__viewport").style.transform));
  const [x, y] = await node();
  limits.push(print("zoomed in, pan", await frames(page, () => drag(page, x - 160, y + 130, 200))));
  limits.push(print("zoomed in, drag of a node", await frames(page, async () => drag(page, ...await node(), 100))));
  for (const p95 of limits) assert.ok(p95 <= FRAME_MS, `${limits}`);
});

test("a run of 20,000 events opens and scrolls", async () => {
  const graph = { nodes: [{ id: "input", type: "input" }, { id: "each", type: "loop", config: { items: "input", concurrency: 20 } },
    { id: "embed", type: "embeddings", config: { model: "dev-embed", input: "[string(vars.item)]" } }, { id: "end", type: "send_result", config: { output: "size(input)" } }],
    connections: [{ from: "input", to: { node: "each", port: "in" } }, { from: { node: "each", port: "item" }, to: "embed" }, { from: "embed", to: { node: "each", port: "next" } }, { from: { node: "each", port: "done" }, to: "end" }] };
  const created = await call(page, "POST", "/builder/v1/workflows", { name: "20,000 events", graph });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const path = `/builder/v1/workflows/${created.body.data.id}`;
  assert.equal((await call(page, "POST", `${path}/publish`, {})).status, 201, JSON.stringify(created.body.data.problems));
  const input = Array.from({ length: 9_900 }, (_, n) => n);
  const run = `${path}/runs/${(await call(page, "POST", `${path}/runs`, { input })).body.data.id}`;
  await until(page, run, ({ state }) => state === "completed" || state === "failed", 600_000);
  const { body: { data: spans } } = await call(page, "GET", `${run}/trace`);
  console.log(JSON.stringify(spans).length, "bytes of the first part of the trace");
  const { visible, paint } = await times(`${BASE}/console#${run.slice("/builder/v1".length)}`, "main [role=treegrid] [role=row], main .span-row");
  console.log(`a run of ${2 * input.length} events and more: first paint ${round(paint)} ms, shown after ${visible} ms`);
  await page.goto(`${BASE}/console#${run.slice("/builder/v1".length)}`);
  await loaded(page);
  await page.mouse.move(700, 600);
  print("scroll", await frames(page, async () => { for (let step = 0; step < 100; step += 1) await page.mouse.wheel(0, 120); }));
  assert.ok(visible <= 2_000, `${visible}`);
});
