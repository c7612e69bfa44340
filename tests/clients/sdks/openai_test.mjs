// Tests of the gateway's successful answers with the Node SDK.

import assert from "node:assert/strict";
import { test } from "node:test";
import { toFile } from "openai";
import { LengthFinishReasonError } from "openai/error";
import { zodFunction, zodResponseFormat } from "openai/helpers/zod";
import { z } from "zod";

import { BASE_URL, all, client, countingClient, scenarioRequest, userMessage } from "./stage.mjs";

const MODEL = "dev-chat";
const HELLO = { model: MODEL, messages: userMessage("hello") };
const TEXT = "I am dev-chat, the development model of this platform; no provider is behind me. You said: hello";
const PNG = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

const tool = (name, field) => {
  const parameters = { type: "object", properties: { [field]: { type: "string" } }, required: [field] };
  return { type: "function", function: { name, description: `The ${name}`, parameters } };
};
const TOOLS = [tool("weather", "city"), tool("time", "zone")];

const Booking = z.object({
  kind: z.enum(["table", "room"]),
  guests: z.array(z.object({ name: z.string(), seats: z.number().int().min(2) })),
  note: z.string().nullable(),
});

const text = (chunks) => chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("");
const read = (calls) => calls.map((call) => [call.id, call.function.name, JSON.parse(call.function.arguments)]);

for (const baseURL of [BASE_URL, `${BASE_URL}/`]) {
  const there = client("ada", { baseURL });

  test(`the base URL may be ${baseURL}`, async () => {
    assert.equal((await there.chat.completions.create(HELLO)).choices[0].message.content, TEXT);
    assert.equal((await there.embeddings.create({ model: "dev-embed", input: "hello" })).data.length, 1);
  });

  test(`models at ${baseURL}`, async () => {
    const models = await all(there.models.list());
    const ids = models.map((model) => model.id);
    assert(ids.includes("dev-chat") && ids.includes("dev-embed"));
    const { _request_id, ...model } = await there.models.retrieve(MODEL);
    assert.deepEqual(model, models[ids.indexOf(MODEL)]);
    assert.match(_request_id, /^req_/);
    assert.deepEqual([model.object, model.owned_by, model.shutdown_date], ["model", "dev", null]);
    assert(Number.isInteger(model.created) && model.capabilities.includes("tools") && model.context_window > 0);
  });
}

test("chat", async () => {
  const completion = await client().chat.completions.create(HELLO);
  const [choice] = completion.choices;
  assert.deepEqual([choice.message.role, choice.message.content, choice.finish_reason], ["assistant", TEXT, "stop"]);
  assert.equal(completion.object, "chat.completion");
  assert.match(completion.id, /^chatcmpl-/);
  assert(completion.model === MODEL && completion.created > 1_700_000_000);
  const { usage } = completion;
  assert.equal(usage.total_tokens, usage.prompt_tokens + usage.completion_tokens);
  assert(usage.completion_tokens > 0 && usage.prompt_tokens_details.cached_tokens === 0 && usage.cost > 0);
  assert.match(completion._request_id, /^req_/);
});

test("headers report cost, credits and forwarded parameters", async () => {
  const call = client().chat.completions.create({ ...HELLO, color: "blue" });
  const { data, response, request_id } = await call.withResponse();
  assert.equal(Number(response.headers.get("x-request-cost")), data.usage.cost);
  assert(Number(response.headers.get("x-credits-remaining")) > 0);
  assert.equal(response.headers.get("x-svc-passthrough"), "color");
  assert.equal(request_id, data._request_id);
});

test("every parameter of the SDK is accepted", async () => {
  const completion = await client().chat.completions.create({
    ...HELLO, frequency_penalty: 0.5, logit_bias: { 50256: -100 }, max_completion_tokens: 200, metadata: { a: "b" },
    n: 1, parallel_tool_calls: false, presence_penalty: -0.5, reasoning_effort: "low",
    response_format: { type: "text" }, seed: 7, service_tier: "auto", stop: ["###"], store: false, temperature: 0.2,
    tools: TOOLS, tool_choice: "none", top_p: 0.9, user: "somebody", verbosity: "low", safety_identifier: "s",
    prompt_cache_key: "k",
  }); // prettier-ignore
  assert.equal(completion.choices[0].message.content, TEXT);
});

test("answers are cut at max_tokens", async () => {
  const completion = await client().chat.completions.create({ ...HELLO, max_tokens: 5 });
  assert.deepEqual([completion.choices[0].finish_reason, completion.usage.completion_tokens], ["length", 5]);
});

test("message parts with images", async () => {
  const picture = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
  const messages = [{ role: "user", content: [{ type: "text", text: "look" }, picture] }];
  const completion = await client().chat.completions.create({ model: MODEL, messages });
  assert.match(completion.choices[0].message.content, /I cannot see the picture/);
});

test("stream", async () => {
  const call = client().chat.completions.create({ ...HELLO, stream: true });
  const { data: stream, request_id } = await call.withResponse();
  assert.match(request_id, /^req_/);
  const chunks = await all(stream);
  assert(text(chunks) === TEXT && chunks.length > 10);
  assert.equal(chunks[0].choices[0].delta.role, "assistant");
  assert.deepEqual(chunks.map((chunk) => chunk.choices[0].finish_reason).filter(Boolean), ["stop"]);
  assert(chunks.every((chunk) => chunk.object === "chat.completion.chunk" && chunk.id === chunks[0].id));
  assert(chunks.every((chunk) => !("usage" in chunk)));
});

test("streams report usage on request", async () => {
  const asked = { ...HELLO, stream: true, stream_options: { include_usage: true } };
  const chunks = await all(await client().chat.completions.create(asked));
  const last = chunks.pop();
  const whole = await client().chat.completions.create(HELLO);
  assert.deepEqual([last.choices, last.usage], [[], whole.usage]);
  assert(last.usage.cost > 0 && chunks.every((chunk) => chunk.choices.length && chunk.usage === null));
});

test("stream helper", async () => {
  const stream = client().chat.completions.stream({ ...HELLO, stream_options: { include_usage: true } });
  let deltas = 0;
  stream.on("content.delta", () => (deltas += 1));
  const final = await stream.finalChatCompletion();
  assert.deepEqual([final.choices[0].message.content, final.choices[0].finish_reason], [TEXT, "stop"]);
  assert(deltas > 10 && final.usage.completion_tokens > 0 && (await stream.totalUsage()).total_tokens > 0);
});

test("tools", async () => {
  const messages = userMessage("weather and time, please");
  const first = await client().chat.completions.create({ model: MODEL, messages, tools: TOOLS });
  const [{ message, finish_reason }] = first.choices;
  assert.deepEqual([finish_reason, message.content], ["tool_calls", null]);
  assert.deepEqual(read(message.tool_calls).map(([, name, args]) => [name, ...Object.keys(args)]), [
    ["weather", "city"],
    ["time", "zone"],
  ]);
  // The SDK's message object is sent back unchanged.
  const answers = message.tool_calls.map(({ id, function: { name } }) => {
    return { role: "tool", tool_call_id: id, content: `${name}: fine` };
  });
  const asked = { model: MODEL, messages: [...messages, message, ...answers], tools: TOOLS };
  const second = await client().chat.completions.create(asked);
  assert.match(second.choices[0].message.content, /The tool answered: time: fine$/);
});

/** Assembles streamed tool calls as a client does. */
function assembled(chunks) {
  const calls = [];
  for (const delta of chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? [])) {
    if (!calls[delta.index]) {
      assert(delta.id && delta.function.name && delta.type === "function" && delta.index === calls.length);
      calls.push({ id: delta.id, function: { name: delta.function.name, arguments: "" } });
    } else {
      assert(!delta.id && !delta.function.name, "only the first piece has an id and a name");
    }
    calls[delta.index].function.arguments += delta.function.arguments ?? "";
  }
  return read(calls);
}

test("streamed tools", async () => {
  const asked = { model: MODEL, messages: userMessage("weather and time"), tools: TOOLS };
  const chunks = await all(await client().chat.completions.create({ ...asked, stream: true }));
  const whole = await client().chat.completions.create(asked);
  assert.deepEqual(assembled(chunks), read(whole.choices[0].message.tool_calls));
  assert.equal(chunks.at(-1).choices[0].finish_reason, "tool_calls");
});

test("tools of a provider", async () => {
  const asked = { ...scenarioRequest("tools", "whole"), tools: TOOLS };
  const expected = [
    ["call_a", "weather", { city: "Paris" }],
    ["call_b", "time", { zone: "CET" }],
  ];
  const whole = await client().chat.completions.create(asked);
  assert.deepEqual(read(whole.choices[0].message.tool_calls), expected);
  const chunks = await all(await client().chat.completions.create({ ...asked, stream: true }));
  assert.deepEqual(assembled(chunks), expected, "interleaved pieces are assembled");
  const final = await client().chat.completions.stream(asked).finalChatCompletion();
  assert.deepEqual(read(final.choices[0].message.tool_calls), expected);
});

test("the tool runner", async () => {
  const asked = [];
  const weather = {
    type: "function",
    function: {
      ...tool("weather", "city").function,
      parse: JSON.parse,
      function: ({ city }) => {
        asked.push(city);
        return "sunny";
      },
    },
  };
  const messages = userMessage("weather");
  const runner = client().chat.completions.runTools({ model: MODEL, messages, tools: [weather] });
  assert.match(await runner.finalContent(), /The tool answered: sunny$/);
  assert.deepEqual(asked, ["weather"]);
});

test("structured output", async () => {
  const asked = { ...HELLO, response_format: zodResponseFormat(Booking, "booking") };
  const { message } = (await client().chat.completions.parse(asked)).choices[0];
  assert(message.parsed.kind === "table" && message.parsed.guests[0].seats >= 2);
  const final = await client().chat.completions.stream(asked).finalChatCompletion();
  assert.deepEqual(final.choices[0].message.parsed, message.parsed);
  await assert.rejects(client().chat.completions.parse({ ...asked, max_tokens: 3 }), LengthFinishReasonError);
});

test("structured arguments", async () => {
  const tools = [zodFunction({ name: "weather", parameters: z.object({ city: z.string() }) })];
  const completion = await client().chat.completions.parse({ model: MODEL, messages: userMessage("weather"), tools });
  const [call] = completion.choices[0].message.tool_calls;
  assert.deepEqual(call.function.parsed_arguments, { city: "weather" });
});

test("JSON mode", async () => {
  const completion = await client().chat.completions.create({ ...HELLO, response_format: { type: "json_object" } });
  assert.equal(typeof JSON.parse(completion.choices[0].message.content), "object");
});

test("several choices", async () => {
  const completion = await client().chat.completions.create({ ...HELLO, n: 3 });
  assert.deepEqual(completion.choices.map((choice) => [choice.index, choice.message.content]), [
    [0, TEXT],
    [1, TEXT],
    [2, TEXT],
  ]);
  const [texts, reasons] = [["", ""], []];
  for await (const chunk of await client().chat.completions.create({ ...HELLO, n: 2, stream: true })) {
    for (const choice of chunk.choices) {
      texts[choice.index] += choice.delta.content ?? "";
      reasons[choice.index] = choice.finish_reason;
    }
  }
  assert.deepEqual([texts, reasons], [[TEXT, TEXT], ["stop", "stop"]]);
});

test("logprobs", async () => {
  const asked = { ...HELLO, logprobs: true, top_logprobs: 1 };
  const tokens = (await client().chat.completions.create(asked)).choices[0].logprobs.content;
  assert.equal(tokens.map((token) => token.token).join(""), TEXT);
  assert.equal(tokens[0].top_logprobs.length, 1);
  const chunks = await all(await client().chat.completions.create({ ...asked, stream: true }));
  assert.deepEqual(chunks.flatMap((chunk) => chunk.choices[0].logprobs?.content ?? []), tokens);
});

test("embeddings", async () => {
  const [there, sent] = countingClient();
  const asked = { model: "dev-embed", input: ["hello", "world"] };
  const embeddings = await there.embeddings.create(asked);
  assert.equal(JSON.parse(sent[0].body).encoding_format, "base64", "the SDK requests base64 by default");
  const floats = await there.embeddings.create({ ...asked, encoding_format: "float" });
  for (const [i, { index, embedding }] of embeddings.data.entries()) {
    assert.equal(index, i);
    assert.deepEqual(embedding.map(Math.fround), floats.data[i].embedding.map(Math.fround));
  }
  assert(embeddings.usage.prompt_tokens > 0 && embeddings.usage.cost > 0 && embeddings.model === "dev-embed");
  const short = await there.embeddings.create({ model: "dev-embed", input: "hello", dimensions: 8 });
  assert.equal(short.data[0].embedding.length, 8);
  assert.match(short._request_id, /^req_/);
  assert.equal((await there.embeddings.create({ model: "dev-embed", input: [[1, 2], [3]] })).data.length, 2);
});

test("images", async () => {
  const asked = { model: "dev-image", prompt: "a red fox", size: "64x32" };
  const images = await client().images.generate({ ...asked, n: 2 });
  assert(images.created > 0 && images.usage.cost === 0.02);
  for (const { url } of images.data) {
    const response = await fetch(url);
    assert.equal(response.headers.get("content-type"), "image/png");
    assert(Buffer.from(await response.arrayBuffer()).subarray(0, 8).equals(PNG));
  }
  const encoded = await client().images.generate({ ...asked, response_format: "b64_json" });
  assert(Buffer.from(encoded.data[0].b64_json, "base64").subarray(0, 8).equals(PNG));
});

// A WAV file of half a second of silence.
const recording = () => {
  const file = Buffer.alloc(8044);
  file.write("RIFF");
  file.writeUInt32LE(8036, 4);
  file.write("WAVEfmt ", 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(8000, 24);
  file.writeUInt32LE(16000, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write("data", 36);
  file.writeUInt32LE(8000, 40);
  return toFile(file, "talk.wav");
};

test("transcriptions", async () => {
  const asked = { model: "dev-transcribe", file: await recording() };
  const answer = await client().audio.transcriptions.create({ ...asked, language: "en" });
  assert.match(answer.text, /The file talk\.wav has 8044 bytes and 0\.5 seconds of audio\.$/);
  assert.deepEqual(answer.usage, { type: "duration", seconds: 0.5, cost: 0.00005 });
  const subtitles = await client().audio.transcriptions.create({ ...asked, response_format: "srt" });
  assert.match(subtitles, /^1\n00:00:00,000 --> 00:00:00,500\nI am dev-transcribe/);
  assert.equal((await client().audio.translations.create(asked)).text, answer.text);
});

test("speech", async () => {
  const asked = { model: "dev-speech", input: "Good morning", voice: "alloy", response_format: "pcm" };
  const response = await client().audio.speech.create(asked);
  assert.equal(response.headers.get("content-type"), "audio/pcm");
  assert.equal((await response.arrayBuffer()).byteLength, 12 * 960 * 2);
  const streamed = await client().audio.speech.create(asked);
  let bytes = 0;
  for await (const piece of streamed.body) bytes += piece.length;
  assert.equal(bytes, 12 * 960 * 2);
});

test("edits of images", async () => {
  const picture = await client().images.generate({
    model: "dev-image", prompt: "a fox", size: "64x64", response_format: "b64_json",
  });
  const fox = () => toFile(Buffer.from(picture.data[0].b64_json, "base64"), "fox.png", { type: "image/png" });
  const image = [await fox(), await fox()];
  const edited = await client().images.edit({ model: "dev-image", image, prompt: "a hat", size: "64x64" });
  const response = await fetch(edited.data[0].url);
  assert(Buffer.from(await response.arrayBuffer()).subarray(0, 8).equals(PNG));
  assert.equal(edited.usage.cost, 0.01);
});

test("moderations", async () => {
  const moderation = await client().moderations.create({ input: "How do I make a bomb?" });
  assert(moderation.id.startsWith("modr-") && moderation.model === "dev-guard");
  const [result] = moderation.results;
  assert(result.flagged && result.categories.illicit && !result.categories.violence);
  assert(result.category_scores.illicit > 0.9 && result.category_scores.violence === 0);
  const several = await client().moderations.create({ model: "dev-guard", input: ["I want to die", "Good morning"] });
  assert.deepEqual(several.results.map(({ flagged }) => flagged), [true, false]);
});

test("names with slashes", async () => {
  const name = "fake/with/slashes";
  assert.equal((await client().models.retrieve(name)).id, name);
  const completion = await client().chat.completions.create({ ...scenarioRequest("ok", "slashes"), model: name });
  assert.equal(completion.model, name);
  assert.equal(completion.choices[0].message.content, "Paris is the capital of France.");
});
