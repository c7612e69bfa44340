import assert from "node:assert/strict";
import { test } from "node:test";
import { createFormat } from "../src/i18n/format";
import { plural } from "../src/i18n/plural";

const en = createFormat("en"), es = createFormat("es");
const plain = (text) => text.replace(/\s/g, " ");
const now = Date.parse("2026-11-27T12:00:00Z");
const ago = (seconds) => new Date(now - seconds * 1000).toISOString();

test("durations have two units at most, and are never 60 of one", () => {
  for (const [ms, english, spanish] of [[0, "0 ms", "0 ms"], [999, "999 ms", "999 ms"], [999.6, "1 sec", "1 s"], [1500, "1.5 sec", "1,5 s"],
    [59_940, "59.9 sec", "59,9 s"], [59_960, "1 min 0 sec", "1 min 0 s"], [61_000, "1 min 1 sec", "1 min 1 s"],
    [3_599_600, "1 hr 0 min", "1 h 0 min"], [90_000_000, "1 day 1 hr", "1 d 1 h"]]) {
    assert.equal(plain(en.duration(ms)), english);
    assert.equal(plain(es.duration(ms)), spanish);
  }
});

test("times are relative for a week, and never 60 minutes", () => {
  for (const [seconds, english, spanish] of [[0, "now", "ahora"], [4, "now", "ahora"], [30, "30 sec. ago", "hace 30 s"],
    [3599, "59 min. ago", "hace 59 min"], [3600, "1 hr. ago", "hace 1 h"], [86_400, "yesterday", "ayer"],
    [-7200, "in 2 hr.", "dentro de 2 h"], [8 * 86_400, "Nov 19, 2026", "19 nov 2026"]]) {
    assert.equal(plain(en.relative(ago(seconds), now)), english);
    assert.equal(plain(es.relative(ago(seconds), now)), spanish);
  }
});

test("sizes, parts and lists are in the format of the language", () => {
  assert.deepEqual([0, 999, 1000, 999_499, 999_500, 2_500_000].map((bytes) => plain(en.size(bytes))),
    ["0 byte", "999 byte", "1 kB", "999 kB", "1 MB", "2.5 MB"]);
  assert.equal(plain(es.size(2_500_000)), "2,5 MB");
  assert.deepEqual([en.percent(0.1234), plain(es.percent(0.1234)), en.percent(1)], ["12.3%", "12,3 %", "100%"]);
  assert.deepEqual([en.number(1234567.5), es.number(1234567.5)], ["1,234,567.5", "1.234.567,5"]);
  assert.deepEqual([en.list(["a", "b", "c"]), es.list(["a", "b"])], ["a, b, and c", "a y b"]);
});

test("one is not several, also as a text", () => {
  assert.deepEqual([0, 1, "1", 2, "11", "1,000"].map((count) => plural(count, "run", "runs")), ["runs", "run", "run", "runs", "runs", "runs"]);
});
