import assert from "node:assert/strict";
import { test } from "node:test";
import { isFiltered, readFilters, toParameters } from "../src/lists/filters";

const read = (query) => readFilters(new URLSearchParams(query), ["draft", "published", "paused"], ["updatedAt", "name"]);

test("a list that nobody has sorted begins with the last change, and names begin with A", () => {
  assert.deepEqual(toParameters(read(""), 2), { ownership: "all", sort: "updatedAt", order: "desc", page: 2, perPage: 30 });
  assert.equal(read("sort=name").order, "asc");
  assert.equal(read("sort=name&order=desc").order, "desc");
  assert.equal(read("sort=name&order=up").order, "asc");
});

test("several states are read from the address, without those that do not exist", () => {
  assert.deepEqual(read("state=paused,draft,lost").states, ["draft", "paused"]);
  assert.equal(isFiltered(read("state=lost")), false);
  assert.equal(isFiltered(read("state=paused")), true);
});
