import assert from "node:assert/strict";
import { test } from "node:test";
import "./browser.mjs";
import { readInbox } from "../src/screens/home/queries";

const event = (type, more) => ({ id: "e", type, at: "2026-01-01T00:00:00Z", workflow: { id: "w", name: "W" }, threadId: null, operator: null,
  waitingForOperator: false, runId: "r", review: null, error: null, ...more });

test("an inbox is read with the oldest review first", () => {
  const inbox = readInbox({
    data: [
      event("review", { review: { title: "New" } }),
      event("failure", { error: { code: "timeout", message: "Too late", nodeId: null } }),
      event("message", { runId: null, waitingForOperator: true }),
      event("review", { review: { title: "Old" } }),
    ],
    meta: { nextCursor: "more" },
  });
  assert.deepEqual(inbox.reviews.map(({ title }) => title), ["Old", "New"]);
  assert.deepEqual([inbox.failures.length, inbox.waiting, inbox.hasMore], [1, 1, true]);
});
