import assert from "node:assert/strict";
import { test } from "node:test";
import { parseExact, plainDecimal } from "../src/api/money";
import { createFormat } from "../src/i18n/format";

const en = createFormat("en"), es = createFormat("es");
/** Languages separate numbers and units with spaces that do not break. */
const plain = (text) => text.replace(/\s/g, " ");
// Without the source of a number, which Node 20 does not hand out, amounts are as exact as a number is.
const isExact = JSON.parse("1", (key, value, context) => context?.source) === "1";

test("amounts are texts, and other numbers stay numbers", () => {
  assert.deepEqual(parseExact('{"cost":0.0000123,"tokens":12,"used":[{"amount":-3}],"name":"1e3","limit":null}'), {
    cost: "0.0000123", tokens: 12, used: [{ amount: "-3" }], name: "1e3", limit: null,
  });
});

test("no digit beyond 2^53 is lost", { skip: !isExact }, () => {
  assert.deepEqual(parseExact('{"cost":9007199254740993.00000000000000000001}'), { cost: "9007199254740993.00000000000000000001" });
});

test("decimals are written without an exponent", () => {
  for (const [text, expected] of [["0", "0"], ["12.50", "12.50"], ["-0.1", "-0.1"], ["1e-7", "0.0000001"], ["1.25e-7", "0.000000125"],
    ["-1.25E+3", "-1250"], ["12.5e1", "125"], ["12.345e1", "123.45"], ["1e21", "1000000000000000000000"], ["12e-1", "1.2"]]) {
    assert.equal(plainDecimal(text), expected, text);
  }
});

test("money has all of its digits, at least two after the point, and the format of the language", () => {
  for (const [exact, english, spanish] of [
    ["0", "$0.00", "0,00 $"],
    ["0.1", "$0.10", "0,10 $"],
    ["-2.5", "-$2.50", "-2,50 $"],
    ["0.000012345", "$0.000012345", "0,000012345 $"],
    ["1e-9", "$0.000000001", "0,000000001 $"],
    ["1234.5", "$1,234.50", "1234,50 $"],
    ["12345678901234567890.123456789", "$12,345,678,901,234,567,890.123456789", "12.345.678.901.234.567.890,123456789 $"],
    ["-9007199254740993", "-$9,007,199,254,740,993.00", "-9.007.199.254.740.993,00 $"],
  ]) {
    assert.equal(plain(en.money(exact)), english);
    assert.equal(plain(es.money(exact)), spanish);
  }
});
