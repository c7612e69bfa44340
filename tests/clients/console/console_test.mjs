// The ways through the console: signing in, a template from its start to its approval, a live run, lists, signing out.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BASE, call, loaded, open, signIn, until } from "./harness.mjs";

let workflow, run;

test("the address of the platform leads through one click of the sign-in to the place that was asked for", async () => {
  const page = await signIn("ada", "/runs");
  await page.getByRole("heading", { name: "Runs", level: 1 }).waitFor();
  assert.ok(page.url().endsWith("/console#/runs"), page.url());
  await page.goto(BASE);
  await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
  // Only the first page, without a session, was refused.
  assert.ok(page.faults.every((fault) => fault.includes("401")), page.faults.join("\n"));
  await page.context().close();
});

test("a newcomer starts from a template with the keyboard, and approves its run", async () => {
  const page = await open("/");
  await page.getByRole("link", { name: "Choose a template" }).or(page.getByRole("button", { name: "Choose a template" })).focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Use: Expense approval" }).focus();
  await page.keyboard.press("Enter");
  [{ id: workflow }] = await until(page, "/builder/v1/workflows", (all) => all.length > 0);
  const published = await call(page, "POST", `/builder/v1/workflows/${workflow}/publish`, {});
  assert.equal(published.status, 201, JSON.stringify(published));
  const template = await call(page, "GET", "/builder/v1/workflows/templates/expense-approval");
  const started = await call(page, "POST", `/builder/v1/workflows/${workflow}/runs`, { input: template.body.data.exampleInput });
  run = started.body.data.id;
  await until(page, `/builder/v1/workflows/${workflow}/runs/${run}`, ({ state }) => state === "paused");

  await page.goto(`${BASE}/console#/workflows/${workflow}/runs/${run}`);
  await page.getByRole("button", { name: "Approve", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("Completed").first().waitFor();
  const ended = await until(page, `/builder/v1/workflows/${workflow}/runs/${run}`, ({ state }) => state === "completed");
  assert.ok(ended.output, JSON.stringify(ended));
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("a run that goes on is shown as it goes, without another request for the page", async () => {
  const page = await open(`/workflows/${workflow}/runs/${run}`);
  const template = await call(page, "GET", "/builder/v1/workflows/templates/expense-approval");
  const started = await call(page, "POST", `/builder/v1/workflows/${workflow}/runs`, { input: template.body.data.exampleInput });
  const path = `/builder/v1/workflows/${workflow}/runs/${started.body.data.id}`;
  await page.goto(`${BASE}/console#${path.slice("/builder/v1".length)}`);
  await page.getByRole("button", { name: "Approve", exact: true }).waitFor();
  // Somebody else decides.
  const resolved = await call(page, "POST", `${path}/resolve-wait`, { decision: "reject" });
  assert.equal(resolved.status, 200, JSON.stringify(resolved));
  await page.getByText("Completed").first().waitFor();
  await page.getByRole("button", { name: "Approve", exact: true }).waitFor({ state: "detached" });
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("the calls of an agent are shown with their steps", async () => {
  const page = await open("/agents");
  await loaded(page);
  const created = await call(page, "POST", "/builder/v1/agents", { name: "Scout", config: { model: "dev-chat" } });
  const agent = created.body.data.id;
  const answer = await call(page, "POST", `/builder/v1/agents/${agent}/invoke`, { input: "Where is my order?" });
  assert.equal(answer.status, 200, JSON.stringify(answer));
  await page.reload();
  await page.getByRole("link", { name: "Scout" }).click();
  await page.getByRole("link", { name: "Calls", exact: true }).click();
  await page.locator("main a[href*='call=']").click();
  await page.getByText("Where is my order?").first().waitFor();
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("a list keeps its place and its filters on the way back", async () => {
  const page = await open("/runs");
  await loaded(page);
  await page.getByLabel("State").selectOption("completed");
  await page.waitForFunction(() => location.hash.includes("state=completed"));
  await page.getByRole("link", { name: /Expense/ }).first().click();
  await page.waitForFunction(() => location.hash.includes("/runs/"));
  await loaded(page);
  await page.goBack();
  await loaded(page);
  assert.equal(await page.getByLabel("State").inputValue(), "completed");
  await page.context().close();
});

test("who signs out is signed out, and can sign in again", async () => {
  const page = await open("/", { signedIn: false });
  await page.getByRole("button", { name: /^ada/ }).first().click();
  await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
  await page.getByRole("banner").getByLabel("Account of ada").click();
  await page.getByRole("button", { name: "Sign out" }).or(page.getByRole("menuitem", { name: "Sign out" })).click();
  await page.getByRole("heading", { name: "You are signed out" }).waitFor();
  assert.equal((await call(page, "GET", "/gateway/v1/me")).status, 401);
  await page.context().close();
});
