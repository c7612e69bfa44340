// The path of a coding assistant through the studio, with the official clients: from nothing to the trace of a run.

import assert from "node:assert/strict";
import { test } from "node:test";

import { CLIENTS, STUDIO, User, call, until } from "./stage.mjs";

/** The values of the answer of a tool that succeeded. */
async function ask(client, name, args = {}) {
  const result = await call(client, name, args);
  assert(!result.isError, `${name}: ${result.content[0].text}`);
  return result.structuredContent;
}

const GRAPH = {
  nodes: [
    { id: "start", type: "input", config: { schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } } },
    { id: "answer", type: "model", config: { model: "dev-chat", prompt: "Greet {{ input.name }}" } },
    { id: "end", type: "send_result", config: { output: "{'greeting': nodes.anwser.output}" } },
  ],
  connections: [
    { from: "start", to: "answer" },
    { from: "answer", to: "end" },
  ],
};

for (const name of Object.keys(CLIENTS)) {
  test(`${name}: an assistant builds, publishes and runs a workflow`, async (t) => {
    const user = new User(name);
    const [client] = await user.connect(t, { url: STUDIO });
    assert.equal(client.getServerVersion().name, "atelier-studio");
    const { tools } = await client.listTools();
    const needed = ["list_node_types", "create_workflow", "validate_workflow", "edit_draft", "preview_workflow", "publish_workflow", "start_run", "get_trace"];
    assert.deepEqual(needed.filter((wanted) => !tools.some((tool) => tool.name === wanted)), []);
    assert(tools.every((tool) => tool.description && tool.inputSchema.type === "object"));

    const { nodeTypes } = await ask(client, "list_node_types");
    assert.deepEqual(GRAPH.nodes.filter((node) => !nodeTypes.some(({ type }) => type === node.type)), []);
    const { workflowId, revision } = await ask(client, "create_workflow", { name: "Greeting", graph: GRAPH });
    const found = await ask(client, "validate_workflow", { workflowId });
    const [problem] = found.problems;
    assert.deepEqual([found.valid, problem.nodeId], [false, "end"]);
    assert.match(problem.message, /anwser/);
    const unfit = await call(client, "publish_workflow", { workflowId });
    assert(unfit.isError);
    assert.match(unfit.content[0].text, /anwser/);

    const nodes = { end: { config: { output: "{'greeting': nodes.answer.output}" } } };
    const stale = await call(client, "edit_draft", { workflowId, revision: revision + 7, nodes });
    assert(stale.isError);
    assert.deepEqual((await ask(client, "edit_draft", { workflowId, revision, nodes })).problems, []);
    assert((await ask(client, "validate_workflow", { workflowId })).valid);
    const pinned = { answer: { output: "Hello, Ada" } };
    const preview = await ask(client, "preview_workflow", { workflowId, input: { name: "Ada" }, pinned });
    assert.deepEqual([preview.state, preview.output], ["completed", { greeting: "Hello, Ada" }]);
    assert.equal((await ask(client, "publish_workflow", { workflowId, notes: "first" })).state, "published");

    const { id: runId } = await ask(client, "start_run", { workflowId, input: { name: "Ada" } });
    const isDone = async () => {
      const run = await ask(client, "get_run", { workflowId, runId });
      return run.state === "completed" && run;
    };
    assert.match((await until(isDone, "the end of the run")).output.greeting, /Greet Ada/);
    const { spans } = await ask(client, "get_trace", { workflowId, runId });
    assert.deepEqual(spans.map((span) => [span.nodeId, span.state]), ["start", "answer", "end"].map((node) => [node, "completed"]));
    assert.equal((await user.rest.run(workflowId, runId)).state, "completed");
  });

  test(`${name}: the studio changes nothing of others`, async (t) => {
    const [client] = await new User(name).connect(t, { url: STUDIO });
    const { ids } = new User("ada");
    for (const [tool, others] of [["get_workflow", {}], ["publish_workflow", {}], ["start_run", { input: { a: 1, b: 2 } }]]) {
      assert((await call(client, tool, { workflowId: ids.add, ...others })).isError, tool);
    }
    await assert.rejects(call(client, "delete_everything", {}), { code: -32602 });
  });
}
