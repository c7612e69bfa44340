import assert from "node:assert/strict";
import { test } from "node:test";
import "./browser.mjs";
import { selectNames, shortId } from "../src/api/people";

test("the names of all pages are found by their id", () => {
  const pages = [{ data: [{ userId: "u1", name: "Ada" }], meta: { nextCursor: "x" } }, { data: [{ userId: "u2", name: "Bo" }], meta: {} }];
  assert.deepEqual([...selectNames({ pages, pageParams: ["", "x"] })], [["u1", "Ada"], ["u2", "Bo"]]);
});

test("a person without a name has the end of the id", () => {
  assert.equal(shortId("0197a4d2-0000-7000-8000-00000000c0de"), "…00000000c0de");
});
