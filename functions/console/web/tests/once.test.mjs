import assert from "node:assert/strict";
import { test } from "node:test";
import "./browser.mjs";
import { ApiError } from "../src/api/errors";
import { keepKeys } from "../src/api/once";

const failing = (status, keys) => (key) => {
  keys.push(key);
  return Promise.reject(new ApiError(status, "code", "text", null));
};

test("a creation whose answer is lost is tried again with the same key", async () => {
  const once = keepKeys(), keys = [];
  await assert.rejects(once("a", failing(0, keys)));
  await assert.rejects(once("a", failing(503, keys)));
  await once("a", async (key) => keys.push(key));
  await once("a", async (key) => keys.push(key));
  assert.equal(new Set(keys.slice(0, 3)).size, 1);
  assert.notEqual(keys[3], keys[0]);
});

test("another creation, and one that was refused, have keys of their own", async () => {
  const once = keepKeys(), keys = [];
  await assert.rejects(once("a", failing(0, keys)));
  await assert.rejects(once("b", failing(422, keys)));
  await assert.rejects(once("b", failing(422, keys)));
  assert.equal(new Set(keys).size, 3);
});
