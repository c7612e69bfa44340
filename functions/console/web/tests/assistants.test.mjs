// The tools that assistants may call, how clients are connected, and the pinned tools of MCP servers.
import assert from "node:assert/strict";
import { test } from "node:test";
import "./browser.mjs";
import { writeSnippet } from "../src/assistants/clients";
import { NAME_PATTERN, suggestName } from "../src/assistants/name";
import { definitionOf, findDefinition, keepDefinitions } from "../src/screens/agents/definitions";
import { findStored, isAbout, placeProblems } from "../src/screens/agents/edits";
import { listTools, readPins, searchTools, stateOf, writePins } from "../src/screens/agents/pins";
import { showHidden, showHiddenIn } from "../src/values/hidden";

test("a name is suggested that the platform accepts", () => {
  assert.equal(suggestName("Approve an expense"), "Approve_an_expense");
  assert.equal(suggestName("¿Reembolso?"), "Reembolso");
  assert.equal(suggestName("客服"), "tool");
  assert.equal(suggestName("x".repeat(200)).length, 60);
  const accepted = new RegExp(`^(?:${NAME_PATTERN})$`, "v");
  for (const name of ["Straße 12", "a-b_c", "🙂 hi", ""]) assert.match(suggestName(name), accepted, name);
  for (const name of ["", "a b", "ü", "x".repeat(65)]) assert.doesNotMatch(name, accepted, name);
});

test("each client gets what it reads", () => {
  const url = "https://atelier.example/v1/mcp/v1";
  assert.equal(writeSnippet("claude", "atelier", url), `claude mcp add --transport http atelier ${url}`);
  assert.match(writeSnippet("codex", "atelier", url), /^codex mcp add atelier --url https:\S+\ncodex mcp login atelier$/);
  assert.deepEqual(JSON.parse(writeSnippet("vscode", "atelier", url)), { servers: { atelier: { type: "http", url } } });
  assert.deepEqual(JSON.parse(writeSnippet("json", "atelier", url)), { mcpServers: { atelier: { type: "http", url } } });
  // A shell reads it as one argument.
  assert.match(writeSnippet("claude", "atelier", "https://a.example/mcp?x=$(id)"), /'https:\/\/a\.example\/mcp\?x=\$\(id\)'$/);
});

const offered = (name, schemaHash, more = {}) => ({ name, title: null, description: null, inputSchema: {}, outputSchema: null, schemaHash, allowed: false, changed: false, ...more });

test("tools that need attention are first, and the others stay in the order of the server", () => {
  const tool = { type: "mcp", name: "crm", url: "https://crm.example/mcp", tools: [{ name: "gone", schemaHash: "1" }, { name: "same", schemaHash: "2" }, { name: "other", schemaHash: "3" }] };
  const pins = readPins(tool);
  assert.deepEqual(writePins(pins), tool.tools);
  const listed = listTools([offered("z", "9"), offered("a", "8"), offered("same", "2"), offered("other", "4")], pins);
  assert.deepEqual(listed.map((one) => [one.name, stateOf(one, pins)]),
    [["gone", "gone"], ["other", "changed"], ["same", "allowed"], ["z", "free"], ["a", "free"]]);
  // What is approved meanwhile has another state.
  assert.equal(stateOf(listed[1], new Map([["other", "4"]])), "allowed");
});

test("tools are searched in their names, titles and descriptions", () => {
  const listed = listTools([offered("find", "1", { title: "Búsqueda" }), offered("drop", "2", { description: "Deletes a customer" })], new Map());
  const names = (search) => searchTools(listed, search).map(({ name }) => name);
  assert.deepEqual([names("busqueda"), names("CUSTOMER drop"), names("none"), names(" ")], [["find"], ["drop"], [], ["find", "drop"]]);
});

test("hidden characters of a foreign text are visible", () => {
  assert.equal(showHidden("Adds two numbers.\n\tThen stops. ❤️ ñ 漢"), "Adds two numbers.\n\tThen stops. ❤️ ñ 漢");
  assert.equal(showHidden("a\u{E0041}b\u200Bc\u202Ed\u0007e\u{E0101}"), "a⟨U+E0041⟩b⟨U+200B⟩c⟨U+202E⟩d⟨U+0007⟩e⟨U+E0101⟩");
  assert.deepEqual(showHiddenIn({ text: "a\u200B\"\\\u0000", list: [1, null] }), { text: "a⟨U+200B⟩\"\\\u0000", list: [1, null] });
});

test("what was allowed is known later, as far as there is room", () => {
  localStorage.clear();
  const tool = offered("find", "h1", { description: "Finds." });
  assert.equal(findDefinition("h1"), null);
  keepDefinitions([tool]);
  assert.deepEqual(findDefinition("h1"), definitionOf(tool));
  keepDefinitions(Array.from({ length: 300 }, (_, index) => offered(`t${index}`, `n${index}`)));
  assert.equal(findDefinition("h1"), null);
  keepDefinitions([offered("large", "h2", { description: "x".repeat(500_000) })]);
  assert.equal(findDefinition("h2"), null);
  assert.notEqual(findDefinition("n0"), null);
  // A full or unreadable storage breaks nothing.
  localStorage.room = 10;
  keepDefinitions([tool]);
  localStorage.clear();
  localStorage.setItem("console.personal.mcp-tools", "{");
  assert.equal(findDefinition("n0"), null);
});

test("problems of MCP servers are placed at their tools", () => {
  const crm = { type: "mcp", name: "crm", url: "https://crm.example/mcp", auth: "bearer" };
  const message = "tool `crm`: the server has changed `search`. The owner of the agent must approve the change.";
  const agent = { config: { tools: [{ ...crm, name: "cr" }, crm] }, credentials: [],
    problems: [{ code: "mcp_tool_changed", message }, { code: "credential_missing", message: "these tools need a credential: crm" }] };
  const places = placeProblems(agent);
  assert.deepEqual([...places.keys()], ["config.tools[1].tools", "config.tools[1].auth"]);
  assert.deepEqual([isAbout({ message }, crm, "search"), isAbout({ message }, crm, "sea")], [true, false]);
  assert.equal(isAbout({ message: "crm: the server no longer has files.read." }, crm, "files.read"), true);
  assert.equal(findStored(agent, { ...crm, url: "https://crm.example/other" }), crm);
  for (const other of [{ url: "https://evil.example/mcp" }, { auth: "none" }, { type: "http" }, { name: "c" }]) {
    assert.equal(findStored(agent, { ...crm, ...other }), undefined, JSON.stringify(other));
  }
});
