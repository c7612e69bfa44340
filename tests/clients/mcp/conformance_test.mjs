// The conformance tests of the protocol against the platform's MCP server. Its tools are workflows of one user.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { SERVER, STAGE } from "./stage.mjs";

/** The tests send no tokens, so this proxy adds one. It also gives the platform's address for its own one. */
async function addingToken(t) {
  const { hostname, port, pathname, host } = new URL(SERVER);
  const server = http.createServer((request, response) => {
    const headers = { ...request.headers, authorization: `Bearer ${STAGE.conformance}` };
    for (const name of ["host", "origin"]) headers[name] &&= headers[name].replace(/127\.0\.0\.1:\d+$/, host);
    const forwarded = http.request({ hostname, port, path: pathname, method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    forwarded.on("error", () => response.destroy());
    response.on("close", () => forwarded.destroy());
    request.pipe(forwarded);
  });
  await new Promise((listens) => server.listen(0, "127.0.0.1", listens));
  t.after(() => server.closeAllConnections() ?? server.close());
  return `http://127.0.0.1:${server.address().port}/mcp`;
}

test("the server conforms, except in what it does not have", async (t) => {
  const url = await addingToken(t);
  const program = new URL("node_modules/.bin/conformance", import.meta.url).pathname;
  const known = new URL("conformance.yml", import.meta.url).pathname;
  const folder = mkdtempSync(join(tmpdir(), "conformance-"));
  const args = [program, "server", "--url", url, "--expected-failures", known, "--output-dir", folder];
  const [code, output] = await new Promise((ends) =>
    execFile(process.execPath, args, { cwd: folder, timeout: 120_000 }, (error, out, err) => ends([error?.code ?? 0, out + err])),
  );
  assert.equal(code, 0, output);
});
