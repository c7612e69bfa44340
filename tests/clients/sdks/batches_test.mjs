// Tests of files and batches with the Node SDK.

import assert from "node:assert/strict";
import { test } from "node:test";
import { toFile } from "openai";

import { all, client, userMessage, waitUntil } from "./stage.mjs";

const CHATS = "/v1/chat/completions";

const line = (name) => {
  const body = { model: "dev-chat", messages: userMessage(`hello ${name}`) };
  return JSON.stringify({ custom_id: name, method: "POST", url: CHATS, body });
};

const upload = async (ada, content) =>
  ada.files.create({ file: await toFile(Buffer.from(content), "requests.jsonl"), purpose: "batch" });

test("files are uploaded, listed, read and deleted", async () => {
  const ada = client();
  const content = line("one");
  const file = await upload(ada, content);
  assert.deepEqual([file.object, file.bytes, file.filename], ["file", content.length, "requests.jsonl"]);
  assert.equal((await ada.files.retrieve(file.id)).id, file.id);
  assert.equal(await (await ada.files.content(file.id)).text(), content);
  const more = await upload(ada, content);
  const ids = (await all(ada.files.list({ limit: 1, purpose: "batch" }))).map((found) => found.id);
  assert(ids.indexOf(more.id) < ids.indexOf(file.id));
  assert((await ada.files.delete(file.id)).deleted);
  await assert.rejects(ada.files.retrieve(file.id), { status: 404 });
});

test("a batch is created, awaited and read", async () => {
  const ada = client();
  const file = await upload(ada, ["one", "two"].map(line).join("\n"));
  let batch = await ada.batches.create({ input_file_id: file.id, endpoint: CHATS, completion_window: "24h" });
  const isCompleted = async () => (batch = await ada.batches.retrieve(batch.id)).status === "completed";
  await waitUntil(isCompleted, 30_000);
  assert.deepEqual([batch.status, batch.request_counts], ["completed", { total: 2, completed: 2, failed: 0 }]);
  const output = await (await ada.files.content(batch.output_file_id)).text();
  const answers = output.trim().split("\n").map(JSON.parse);
  assert.deepEqual(answers.map((answer) => answer.custom_id).sort(), ["one", "two"]);
  assert(answers.every((answer) => answer.response.body.object === "chat.completion"));
  const listed = await all(ada.batches.list({ limit: 1 }));
  assert(listed.some((found) => found.id === batch.id));
  await assert.rejects(client("ada", { maxRetries: 0 }).batches.cancel(batch.id), { status: 409 });
});
