import assert from "node:assert/strict";
import { test } from "node:test";
import { isPeriod, readFilters } from "../src/screens/analytics/filters";
import { findTicks } from "../src/ui/chart/ticks";

test("an axis has few values that are easy to read, and reaches the highest one", () => {
  assert.deepEqual(findTicks(0, "count"), [0, 1]);
  assert.deepEqual(findTicks(1, "count"), [0, 1]);
  assert.deepEqual(findTicks(24, "count"), [0, 10, 20, 30]);
  assert.deepEqual(findTicks(30, "count"), [0, 10, 20, 30]);
  assert.deepEqual(findTicks(31, "time"), [0, 20, 40]);
  assert.deepEqual(findTicks(50_000, "time"), [0, 30_000, 60_000]);
  assert.deepEqual(findTicks(0.3, "money"), [0, 0.1, 0.2, 0.3]);
  assert.deepEqual(findTicks(0, "money"), [0, 0.01]);
  for (const most of [0.0000213, 0.7, 3, 999, 61_000, 90_000_000, 4e9]) {
    for (const unit of ["count", "time", "money"]) {
      const ticks = findTicks(most, unit);
      assert.ok(ticks.at(-1) >= most && ticks.length <= 5, `${most} ${unit}: ${ticks}`);
    }
  }
});

test("a period ends today, unless its days are in the address", () => {
  const now = new Date(2026, 2, 1, 0, 30);
  const read = (text) => readFilters(new URLSearchParams(text), now);
  assert.deepEqual(read(""), { workflows: [], period: "30", from: "2026-01-31", to: "2026-03-01" });
  assert.deepEqual(read("period=7&workflows=a,b,"), { workflows: ["a", "b"], period: "7", from: "2026-02-23", to: "2026-03-01" });
  assert.deepEqual(read("period=custom&from=2026-01-01&to=x"), { workflows: [], period: "custom", from: "2026-01-01", to: "" });
  assert.equal(read(`workflows=${"a,".repeat(30)}`).workflows.length, 20);
  assert.ok(isPeriod("2025-01-01", "2025-12-31"));
  assert.ok(isPeriod("2025-01-01", "2026-01-01"));
  assert.ok(!isPeriod("2025-01-01", "2026-01-02"));
  assert.ok(!isPeriod("2026-01-02", "2026-01-01"));
  assert.ok(!isPeriod("2026-01-02", ""));
});
