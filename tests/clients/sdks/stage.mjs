// The harness of the Node tests: clients for the prepared keys, and the records of the fake provider.

import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import assert from "node:assert/strict";
import OpenAI from "openai";

export const STAGE = JSON.parse(readFileSync(process.env.SDK_STAGE, "utf8"));
export const BASE_URL = STAGE.base_url;

export function client(name = "ada", options = {}) {
  return new OpenAI({ apiKey: STAGE.keys[name], baseURL: BASE_URL, ...options });
}

/** A client, and the list to which its requests are added. */
export function countingClient(name = "ada", options = {}) {
  const sent = [];
  const counted = (url, init) => {
    sent.push({ url, headers: new Headers(init.headers), body: init.body });
    return fetch(url, init);
  };
  return [client(name, { fetch: counted, ...options }), sent];
}

export const userMessage = (text) => [{ role: "user", content: text }];

/** A chat request for a scenario of the fake provider. */
export const scenarioRequest = (scenario, name) => ({
  model: "fake-chat",
  messages: userMessage(`${scenario} node ${name}`),
});

/** The fake provider's record of a request. */
export async function seen(question) {
  const name = encodeURIComponent(question.messages.at(-1).content);
  return (await fetch(`${STAGE.provider_url}/seen?${name}`)).json();
}

export async function waitUntil(isSo, withinMs = 5_000) {
  for (const until = Date.now() + withinMs; !(await isSo()); await sleep(50)) {
    assert(Date.now() < until, "the condition was not met in time");
  }
}

export async function all(iterable) {
  const items = [];
  for await (const item of iterable) items.push(item);
  return items;
}

/** The sample of README.md, with the address and the key of this test. */
export function readmeSample(language) {
  const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
  const [sample] = readme.split(`\`\`\`${language}\n`)[1].split("```");
  return sample.replace("http://127.0.0.1:9000/gateway/v1", BASE_URL).replace("sk-svc-…", STAGE.keys.ada);
}
