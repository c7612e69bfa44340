// The inspector of the protocol, as a program, against the platform's MCP server.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

import { SERVER, STAGE, TOOLS } from "./stage.mjs";

const home = mkdtempSync(join(tmpdir(), "inspector-"));

/** Runs the inspector, and returns the result that it prints. */
async function inspect(era, ...args) {
  const program = new URL("node_modules/.bin/mcp-inspector", import.meta.url).pathname;
  const header = `Authorization: Bearer ${STAGE.people.eve.token}`;
  const options = ["--cli", SERVER, "--transport", "http", "--header", header, "--protocol-era", era, "--format", "json", "--quiet"];
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...options, ...args], {
    env: { PATH: process.env.PATH, HOME: home, NO_PROXY: "127.0.0.1" },
    timeout: 60_000,
  });
  return JSON.parse(stdout).result;
}

for (const era of ["legacy", "modern"]) {
  test(`${era}: the inspector finds no problem in the tools, and calls one`, async () => {
    // With --strict, it fails if a schema has an error.
    const { tools } = await inspect(era, "--method", "tools/list", "--strict");
    assert.deepEqual(tools.map((tool) => tool.name).sort(), TOOLS);
    const sum = await inspect(era, "--method", "tools/call", "--tool-name", "add", "--tool-arg", "a=40", "b=2");
    assert.deepEqual(sum.structuredContent.output, { sum: 42 });
  });
}
