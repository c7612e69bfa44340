import assert from "node:assert/strict";
import { test } from "node:test";
import "./browser.mjs";
import { ApiError, asApiError, OwnError, readError, sentenceOf } from "../src/api/errors";
import { dictionaries } from "../src/i18n/dictionaries";
import { storeLanguage } from "../src/i18n/language";

const { en, es } = dictionaries;
const facts = ({ status, code, message, requestId }) => [status, code, message, requestId];

test("the envelopes of the builder and of the gateway are read", () => {
  const builder = { error: { code: "not_found", message: "No such run.", request_id: "body" } };
  assert.deepEqual(facts(readError(404, "header", builder)), [404, "not_found", "No such run.", "header"]);
  assert.deepEqual(facts(readError(404, null, builder)), [404, "not_found", "No such run.", "body"]);
  const gateway = { error: { code: null, type: "invalid_request_error", message: "Wrong." } };
  assert.deepEqual(facts(readError(400, null, gateway)), [400, "invalid_request_error", "Wrong.", null]);
});

test("a missing session has a sentence for people", () => {
  storeLanguage("en");
  const body = { error: { code: "unauthorized", message: "send a token in the header Authorization: Bearer <token>" } };
  assert.deepEqual(facts(readError(401, "1", body)), [401, "unauthorized", en.session.refused, "1"]);
});

test("an answer without a reason has a sentence in the language of the person", () => {
  for (const body of [undefined, null, "", "<html>", {}, { error: {} }]) {
    storeLanguage("es");
    assert.deepEqual(facts(readError(502, null, body)), [502, "http_502", es.errors.withoutReason(502), null]);
    storeLanguage("en");
    assert.deepEqual(facts(readError(502, null, body)), [502, "http_502", en.errors.withoutReason(502), null]);
  }
});

test("the words of a browser are details", () => {
  for (const words of ["Failed to fetch", "NetworkError when attempting to fetch resource.", "Load failed", "network error"]) {
    const error = asApiError(new TypeError(words));
    assert.deepEqual([error.isConnection, error.message, error.technical], [true, en.errors.connection, words]);
  }
  const broken = asApiError(new TypeError("x is undefined"));
  assert.deepEqual([broken.code, broken.message, broken.technical], ["unexpected", en.errors.unexpected, "x is undefined"]);
  assert.equal(asApiError(new SyntaxError("Unexpected token <")).code, "unreadable_answer");
  assert.equal(asApiError("a text").technical, "a text");
});

test("an error of the API stays as it is, and one of the console follows the language", () => {
  const error = new ApiError(409, "conflict", "It was changed.", "1");
  assert.equal(asApiError(error), error);
  assert.equal(sentenceOf(error, es), "It was changed.");
  assert.equal(sentenceOf(new OwnError("connection_lost", new Error("x")), es), es.errors.connection);
  // The API may use the same code.
  assert.equal(sentenceOf(new ApiError(500, "unexpected", "A sentence.", null), es), "A sentence.");
});
