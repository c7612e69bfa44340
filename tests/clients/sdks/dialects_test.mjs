// Tests of Anthropic's SDK, the AI SDK and OpenAI's Agents SDK for Node.
import assert from "node:assert/strict";
import test from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { Agent, run, setDefaultOpenAIClient, setTracingDisabled, tool as agentTool } from "@openai/agents";
import { generateText, isStepCount, Output, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";
import { z } from "zod";
import { BASE_URL, STAGE } from "./stage.mjs";

const apiKey = STAGE.keys.ada;
const root = BASE_URL.replace(/\/v1$/, "");
const anthropic = new Anthropic({ apiKey, baseURL: root });
const messages = [{ role: "user", content: "ok node anthropic" }];
const weather = {
  name: "weather", description: "The weather of a city",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

for (const model of ["dev-chat", "fake-chat", "fake-claude"]) {
  test(`Anthropic's SDK: ${model}`, async () => {
    const message = await anthropic.messages.create({ model, max_tokens: 200, messages });
    assert.equal(message.stop_reason, "end_turn");
    assert.ok(message.content[0].text && message.usage.output_tokens > 0 && message._request_id);
    const streamed = await anthropic.messages.stream({ model, max_tokens: 200, messages }).finalMessage();
    assert.equal(streamed.content[0].text.trim(), message.content[0].text.trim());
    assert.ok(streamed.usage.input_tokens > 0);
  });
}

test("Anthropic's SDK: tools with thinking", async () => {
  const asked = { model: "fake-claude", max_tokens: 2048, tools: [weather], thinking: { type: "enabled", budget_tokens: 1024 } };
  const turns = [{ role: "user", content: "What is the weather in Lima?" }];
  const first = await anthropic.messages.stream({ ...asked, messages: turns }).finalMessage();
  const [thinking, call] = first.content;
  assert.deepEqual([thinking.type, thinking.signature, call.input], ["thinking", "c2lnbmF0dXJl", { city: "Lima" }]);
  const result = { type: "tool_result", tool_use_id: call.id, content: "22 °C" };
  turns.push({ role: "assistant", content: first.content }, { role: "user", content: [result] });
  const second = await anthropic.messages.create({ ...asked, messages: turns });
  assert.equal(second.content.at(-1).text, "It is 22 °C in Lima.");
});

test("Anthropic's SDK: errors have their classes", async () => {
  await assert.rejects(anthropic.messages.create({ model: "unknown", max_tokens: 9, messages }), Anthropic.NotFoundError);
  const nobody = new Anthropic({ apiKey: "sk-svc-nobody", baseURL: root, maxRetries: 0 });
  await assert.rejects(nobody.messages.create({ model: "dev-chat", max_tokens: 9, messages }), Anthropic.AuthenticationError);
});

const vendors = {
  "@ai-sdk/openai": [createOpenAI({ apiKey, baseURL: BASE_URL }), "dev-chat"],
  "@ai-sdk/openai over Anthropic": [createOpenAI({ apiKey, baseURL: BASE_URL }), "fake-claude"],
  "@ai-sdk/anthropic": [createAnthropic({ apiKey, baseURL: BASE_URL }), "fake-claude"],
  "@ai-sdk/anthropic over OpenAI": [createAnthropic({ apiKey, baseURL: BASE_URL }), "fake-chat"],
};
for (const [name, [vendor, id]] of Object.entries(vendors)) {
  test(name, async () => {
    const model = vendor(id);
    const whole = await generateText({ model, prompt: "ok node ai" });
    assert.ok(whole.text && whole.usage.outputTokens > 0);
    const streamed = streamText({ model, prompt: "ok node ai" });
    assert.equal((await streamed.text).trim(), whole.text.trim());
    if (id === "fake-chat") return;
    const tools = {
      weather: tool({
        description: "The weather of a city", inputSchema: z.object({ city: z.string() }),
        execute: async ({ city }) => `ok, 22 °C in ${city}`,
      }),
    };
    const stopWhen = (isStepCount ?? stepCountIs)(3);
    const called = await generateText({ model, tools, stopWhen, prompt: "Use weather for Lima" });
    assert.match(called.text, /22 °C/);
    assert.equal(called.steps.length, 2);
    const schema = z.object({ city: z.string() });
    const { output } = await generateText({ model, output: Output.object({ schema }), prompt: "Where?" });
    assert.equal(typeof output.city, "string");
  });
}

test("OpenAI's Agents SDK with its default settings", async () => {
  setDefaultOpenAIClient(new OpenAI({ apiKey, baseURL: BASE_URL }));
  setTracingDisabled(true);
  const tools = [agentTool({
    name: "weather", description: "The weather of a city", parameters: z.object({ city: z.string() }),
    execute: async ({ city }) => `ok, 22 °C in ${city}`,
  })];
  for (const model of ["dev-chat", "fake-claude"]) {
    const agent = new Agent({ name: "Forecaster", instructions: "Use your tools.", model, tools });
    assert.match((await run(agent, "Use weather for Lima")).finalOutput, /22 °C/);
    const streamed = await run(agent, "Use weather for Lima", { stream: true });
    await streamed.completed;
    assert.match(streamed.finalOutput, /22 °C/);
  }
});
