// What others and this person changed of an agent, the problems at their fields, and the events of an answer.
import assert from "node:assert/strict";
import { test } from "node:test";
import "./browser.mjs";
import { readEvents } from "../src/api/events";
import { readNumber } from "../src/screens/agents/fields";
import { addChanges, differences, placeProblems, readProblems, toPatch } from "../src/screens/agents/edits";

const base = { name: "Desk", description: null, type: "single", model: null, instructions: "", temperature: null, maxTokens: null,
  tools: [], sources: [], members: [], strategy: null };

test("a field that is again as it was is no change, and only changes are sent", () => {
  const changes = addChanges(base, { name: "Help", instructions: "Be kind" }, { name: "Desk" });
  assert.deepEqual(changes, { instructions: "Be kind" });
  assert.deepEqual(toPatch({ ...changes, description: "New" }), { description: "New", config: { instructions: "Be kind" } });
});

test("what both changed in the same way is no contradiction", () => {
  const theirs = { ...base, name: "Help", instructions: "Theirs", temperature: 1 };
  const found = differences(base, theirs, { name: "Help", instructions: "Mine", maxTokens: 5 });
  assert.deepEqual(found, [
    { field: "name", before: "Desk", theirs: "Help" },
    { field: "instructions", before: "", theirs: "Theirs", mine: "Mine" },
    { field: "temperature", before: null, theirs: 1 },
  ]);
});

test("the sentences of a refusal are found by their field", () => {
  const problems = readProblems("name: 1 to 200 characters; config.members: only teams have it; send null to remove it; config.tools[0].url: must be a URL");
  assert.deepEqual([...problems], [
    ["name", "1 to 200 characters"],
    ["config.members", "only teams have it; send null to remove it"],
    ["config.tools[0].url", "must be a URL"],
  ]);
});

test("standing problems are placed where each is solved", () => {
  const http = (name) => ({ type: "http", name, auth: "bearer" });
  const agent = {
    config: { tools: [http("find"), http("find_order"), { type: "workflow", workflowId: "w1" }], members: ["a1"] },
    credentials: [],
    problems: [
      { code: "credential_missing", message: "the tool find_order has no credential" },
      { code: "reference_gone", message: "workflow w1 no longer exists" },
      { code: "reference_gone", message: "agent a1 no longer exists" },
    ],
  };
  assert.deepEqual([...placeProblems(agent).keys()], ["config.tools[1].auth", "config.tools[2]", "config.members[0]"]);
});

test("events are read whole, however their bytes arrive", async () => {
  const bytes = new TextEncoder().encode('event: text\ndata: {"text":"añ"}\n\n: still here\n\nevent: done\r\ndata: {"output":1}\r\n\r\n');
  const body = new ReadableStream({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  const events = [];
  for await (const event of readEvents(body)) events.push(event);
  assert.deepEqual(events, [{ name: "text", data: { text: "añ" } }, { name: "done", data: { output: 1 } }]);
});

test("a number with separators of thousands is not read as a small one", () => {
  const tokens = readNumber(1, 100_000, true), temperature = readNumber(0, 2, false);
  assert.deepEqual(["1000", " 7 ", ""].map(tokens), [{ value: 1000 }, { value: 7 }, { value: null }]);
  assert.deepEqual(["1,000", "1.000", "1e3", "0"].map(tokens), [null, null, null, null]);
  assert.deepEqual(["0,7", "0.7", "3"].map(temperature), [{ value: 0.7 }, { value: 0.7 }, null]);
});
