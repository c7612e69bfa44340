// Tests of the gateway's errors with the Node SDK, and of what failed calls cost.

import assert from "node:assert/strict";
import { test } from "node:test";
import OpenAI from "openai";

import { all, client, countingClient, scenarioRequest, seen, userMessage, waitUntil } from "./stage.mjs";

const HELLO = { model: "dev-chat", messages: userMessage("hello") };
// 10 input tokens at 1 USD and 8 output tokens at 4 USD per million.
const OK_COSTS = 42;

async function caught(call) {
  try {
    await call();
  } catch (error) {
    return error;
  }
  assert.fail("the call succeeded");
}

/** Makes a call that fails, and checks every field of the SDK's error. */
async function failsAs(kind, status, code, call) {
  const error = await caught(call);
  assert.equal(error.constructor, kind, error.stack);
  assert.deepEqual([error.status, error.code], [status, code]);
  assert.match(error.requestID, /^req_/);
  assert.equal(error.error.request_id, error.requestID);
  assert.equal(error.message, `${status} ${error.error.message}`);
  assert.equal(error.type, error.error.type);
  assert("param" in error.error && "details" in error.error);
  return error;
}

const chat = (there, options) => () => there.chat.completions.create({ ...HELLO, ...options });

// Errors of the gateway

for (const apiKey of ["nonsense", "sk-svc-9WdCo8N7MfLqr1L3F82Bbpj4WqVNL71CvcRFPQ0305G12ezfI"]) {
  test(`401 for ${apiKey}`, async () => {
    const [there, sent] = countingClient("ada", { apiKey });
    const error = await failsAs(OpenAI.AuthenticationError, 401, "identity.unauthorized", chat(there));
    assert.deepEqual([error.type, sent.length], ["authentication_error", 1]);
  });
}

test("400", async () => {
  const [there, sent] = countingClient();
  const error = await failsAs(OpenAI.BadRequestError, 400, "invalid_body", chat(there, { temperature: 3 }));
  assert.deepEqual([error.param, error.type], ["temperature", "invalid_request_error"]);
  await failsAs(OpenAI.BadRequestError, 400, "invalid_body", chat(there, { messages: [] }));
  await failsAs(OpenAI.BadRequestError, 400, "invalid_body", chat(there, { messages: [], stream: true }));
  const embed = () => there.embeddings.create({ model: "dev-chat", input: "hello" });
  assert.equal((await failsAs(OpenAI.BadRequestError, 400, "invalid_body", embed)).param, "model");
  const audio = { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } };
  const spoken = chat(there, { messages: [{ role: "user", content: [audio] }] });
  assert.equal((await failsAs(OpenAI.BadRequestError, 400, "parameter_not_supported", spoken)).param, "messages");
  assert.equal(sent.length, 5);
});

test("403", async () => {
  const [there, sent] = countingClient("embeds_only");
  const error = await failsAs(OpenAI.PermissionDeniedError, 403, "model_access_denied", chat(there));
  assert.deepEqual([error.type, sent.length], ["permission_error", 1]);
});

test("404", async () => {
  const [there, sent] = countingClient();
  const error = await failsAs(OpenAI.NotFoundError, 404, "model_not_found", chat(there, { model: "nobody" }));
  assert.deepEqual([error.type, sent.length], ["not_found_error", 1]);
});

test("404 of a route: vector stores are not supported", async () => {
  const call = () => client().vectorStores.list();
  await failsAs(OpenAI.NotFoundError, 404, "not_found", call);
});

test("404 of a model", async () => {
  await failsAs(OpenAI.NotFoundError, 404, "model_not_found", () => client().models.retrieve("nobody"));
});

test("413", async () => {
  const call = chat(client(), { messages: userMessage("x".repeat(4_200_000)) });
  await failsAs(OpenAI.APIError, 413, "payload_too_large", call);
});

for (const [key, code, scope] of [
  ["capped", "spending_cap_reached", "key"],
  ["penniless", "insufficient_credits", undefined],
]) {
  for (const stream of [false, true]) {
    test(`402 is not retried: ${key}, stream: ${stream}`, async () => {
      const [there, sent] = countingClient(key);
      const error = await failsAs(OpenAI.APIError, 402, code, chat(there, { stream }));
      assert.deepEqual([error.headers.get("x-should-retry"), sent.length], ["false", 1]);
      assert.deepEqual([error.type, error.error.details?.scope], ["billing_error", scope]);
    });
  }
}

/** Repeats the call: a rate-limit window may end between two calls, but not between all of them. */
const often = (there) => async () => {
  for (let i = 0; i < 5; i += 1) await chat(there)();
};

test("429 of a minute has Retry-After", async () => {
  const there = client("once_a_minute", { maxRetries: 0 });
  const error = await failsAs(OpenAI.RateLimitError, 429, "rate_limit_exceeded", often(there));
  assert.deepEqual([error.type, error.error.details.dimension], ["rate_limit_error", "rpm"]);
  const [after, afterMs] = ["retry-after", "retry-after-ms"].map((name) => Number(error.headers.get(name)));
  assert(after >= 1 && after <= 60 && afterMs >= 1);
  assert.equal(error.headers.get("x-ratelimit-remaining-requests"), "0");
  assert.equal(error.headers.get("x-should-retry"), null);
});

test("429 of a day is not retried", async () => {
  const [there, sent] = countingClient("once_a_day");
  const error = await failsAs(OpenAI.RateLimitError, 429, "rate_limit_exceeded", often(there));
  assert.equal(error.headers.get("x-should-retry"), "false");
  assert.equal(sent.at(-1).headers.get("x-stainless-retry-count"), "0");
});

// Errors of the provider

test("429 of the provider is retried after its Retry-After", async () => {
  const [there, sent] = countingClient();
  const question = scenarioRequest("busy", "retry");
  const began = performance.now();
  const completion = await there.chat.completions.create(question);
  assert.equal(completion.choices[0].message.content, "Paris is the capital of France.");
  assert.deepEqual([sent.length, (await seen(question)).calls], [2, 2]);
  assert(performance.now() - began >= 2_990, "the SDK waits for the provider's Retry-After");
  assert.deepEqual(sent.map(({ headers }) => headers.get("x-stainless-retry-count")), ["0", "1"]);
});

test("429 of the provider keeps its Retry-After", async () => {
  const call = () => client("ada", { maxRetries: 0 }).chat.completions.create(scenarioRequest("busy", "once"));
  const { headers } = await failsAs(OpenAI.RateLimitError, 429, "rate_limit_exceeded", call);
  assert.deepEqual([headers.get("retry-after"), headers.get("retry-after-ms")], ["3", "3000"]);
});

test("400 of the provider is passed on", async () => {
  const [there, sent] = countingClient();
  const call = () => there.chat.completions.create(scenarioRequest("bad", "400"));
  const error = await failsAs(OpenAI.BadRequestError, 400, "invalid_value", call);
  assert.deepEqual([error.param, error.error.message, sent.length], ["temperature", "the provider's words", 1]);
});

for (const [scenario, code] of [
  ["down", "overloaded"],
  ["garbled", "provider_answer_garbled"],
]) {
  for (const stream of [false, true]) {
    test(`502: ${scenario}, stream: ${stream}`, async () => {
      const there = client("ada", { maxRetries: 0 });
      const call = () => there.chat.completions.create({ ...scenarioRequest(scenario, stream), stream });
      const error = await failsAs(OpenAI.InternalServerError, 502, code, call);
      assert.equal(error.type, "provider_error");
    });
  }
}

test("502 that a retry cannot fix is not retried", async () => {
  const [there, sent] = countingClient();
  const call = () => there.chat.completions.create(scenarioRequest("locked", "502"));
  const error = await failsAs(OpenAI.InternalServerError, 502, "provider_setup", call);
  assert(sent.length === 1 && !error.message.includes("sk-"));
});

// Errors in the middle of a stream

function isStreamError(error, code) {
  assert.equal(error.constructor, OpenAI.APIError, error.stack);
  assert.deepEqual([error.status, error.code, error.type], [undefined, code, "provider_error"]);
  assert.match(error.requestID, /^req_/);
  assert.deepEqual([error.error.message, error.error.request_id], [error.message, error.requestID]);
}

for (const [scenario, code] of [
  ["fails", "model_crashed"],
  ["cut", "provider_stream_cut"],
  ["short", "provider_stream_cut"],
]) {
  test(`a stream that fails midway raises: ${scenario}`, async () => {
    const [there, sent] = countingClient();
    const chunks = [];
    const stream = await there.chat.completions.create({ ...scenarioRequest(scenario, "stream"), stream: true });
    const read = async () => {
      for await (const chunk of stream) chunks.push(chunk);
    };
    isStreamError(await caught(read), code);
    assert.equal(chunks.map((chunk) => chunk.choices[0].delta.content ?? "").join(""), "one two");
    assert(chunks.every((chunk) => !chunk.choices[0].finish_reason) && sent.length === 1);
  });

  test(`a stream that fails midway fails the stream helper: ${scenario}`, async () => {
    const stream = client().chat.completions.stream(scenarioRequest(scenario, "help"));
    isStreamError(await caught(() => stream.finalChatCompletion()), code);
  });
}

// Costs in millionths of a dollar, measured in eve's organization, which no other test uses

async function credits() {
  const { credits_remaining } = await client("eve").get("/billing/balance");
  return Math.round(credits_remaining * 1e6);
}

/** Waits until the amount charged since is in the range, and checks that the platform still answers. */
async function isCharged(before, least, most) {
  let charged;
  await waitUntil(async () => (charged = before - (await credits())) >= least);
  assert(charged <= most, `${charged} <= ${most}`);
  await chat(client())();
}

test("failed calls are free", async () => {
  const before = await credits();
  const call = () => client("eve", { maxRetries: 0 }).chat.completions.create(scenarioRequest("garbled", "free"));
  await failsAs(OpenAI.InternalServerError, 502, "provider_answer_garbled", call);
  await isCharged(before, 0, 0);
});

test("a stream that the client leaves costs what was sent", async () => {
  const before = await credits();
  const question = scenarioRequest("endless", "leaves");
  let pieces = 0;
  for await (const _ of await client("eve").chat.completions.create({ ...question, stream: true })) {
    if ((pieces += 1) === 10) break;
  }
  await waitUntil(async () => (await seen(question)).hung_up === 1);
  const { sent } = await seen(question);
  assert(sent < 60, "the provider's stream is cancelled soon");
  // At most two tokens per piece, and the input tokens.
  await isCharged(before, 4, 8 * sent + 50);
});

test("an aborted stream costs what was sent", async () => {
  const before = await credits();
  const question = scenarioRequest("silent", "abort");
  const stream = await client("eve").chat.completions.create({ ...question, stream: true });
  const timer = setTimeout(() => stream.controller.abort(), 500);
  // The SDK treats its own abort as the end of the stream.
  assert.equal((await all(stream)).length, 3);
  clearTimeout(timer);
  await waitUntil(async () => (await seen(question)).hung_up === 1);
  await isCharged(before, 4, 100);
});

test("an abort of the stream helper raises an abort error", async () => {
  const question = scenarioRequest("silent", "helper");
  const stream = client().chat.completions.stream(question);
  setTimeout(() => stream.abort(), 500);
  assert.equal((await caught(() => stream.finalChatCompletion())).constructor, OpenAI.APIUserAbortError);
  await waitUntil(async () => (await seen(question)).hung_up === 1);
});

test("a client timeout costs the whole answer", async () => {
  const before = await credits();
  const there = client("eve", { timeout: 500, maxRetries: 0 });
  const error = await caught(() => there.chat.completions.create(scenarioRequest("slow", "timeout")));
  assert.equal(error.constructor, OpenAI.APIConnectionTimeoutError);
  await isCharged(before, OK_COSTS, OK_COSTS);
});
