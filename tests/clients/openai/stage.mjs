// What the Node tests share: clients for the keys on the stage, and a look at the provider.

import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import assert from "node:assert/strict";
import OpenAI from "openai";

export const STAGE = JSON.parse(readFileSync(process.env.SDK_STAGE, "utf8"));
export const BASE_URL = STAGE.base_url;

export function client(name = "ada", options = {}) {
  return new OpenAI({ apiKey: STAGE.keys[name], baseURL: BASE_URL, ...options });
}

/** A client, and the requests that it will have sent. */
export function countingClient(name = "ada", options = {}) {
  const sent = [];
  const counted = (url, init) => {
    sent.push({ url, headers: new Headers(init.headers), body: init.body });
    return fetch(url, init);
  };
  return [client(name, { fetch: counted, ...options }), sent];
}

export const says = (text) => [{ role: "user", content: text }];

/** A question to the fake provider. */
export const asks = (scenario, name) => ({ model: "fake-chat", messages: says(`${scenario} node ${name}`) });

/** What the fake provider remembers of a question. */
export async function seen(question) {
  const name = encodeURIComponent(question.messages.at(-1).content);
  return (await fetch(`${STAGE.provider_url}/seen?${name}`)).json();
}

export async function waitUntil(isSo, withinMs = 5_000) {
  for (const until = Date.now() + withinMs; !(await isSo()); await sleep(50)) {
    assert(Date.now() < until, "it does not come about");
  }
}

export async function all(iterable) {
  const items = [];
  for await (const item of iterable) items.push(item);
  return items;
}
