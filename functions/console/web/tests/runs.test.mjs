import assert from "node:assert/strict";
import { test } from "node:test";
import { readFilters, toParameters } from "../src/screens/runs/filters";

test("a text that is being written keeps its spaces, and the API gets none at its ends", () => {
  const filters = readFilters(new URLSearchParams("participant=Ada+&node=+&state=failed"));
  assert.equal(filters.participant, "Ada ");
  assert.deepEqual(toParameters(filters), { state: ["failed"], participant: "Ada" });
});

test("the last day is included", () => {
  const { from, to } = toParameters(readFilters(new URLSearchParams("from=2026-03-01&to=2026-03-01")));
  assert.equal(new Date(from).getTime(), new Date(2026, 2, 1).getTime());
  assert.equal(new Date(to).getTime(), new Date(2026, 2, 2).getTime());
});
