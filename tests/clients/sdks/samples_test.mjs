// The samples of the OpenAPI documents and of README.md in TypeScript: all are valid, and some are executed.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { stripTypeScriptTypes } from "node:module";
import { before, test } from "node:test";
import { promisify } from "node:util";
import { BASE_URL, STAGE, readmeSample } from "./stage.mjs";

const ORIGIN = BASE_URL.replace("/gateway/v1", "");
const samples = { "README.md TypeScript": readmeSample("typescript") };

before(async () => {
  for (const api of ["builder", "gateway", "workbenches"]) {
    const document = await (await fetch(`${ORIGIN}/${api}/v1/openapi.json`)).json();
    for (const operation of Object.values(document.paths).flatMap(Object.values)) {
      for (const { label, source } of operation["x-codeSamples"]) samples[`${api}/${operation.operationId} ${label}`] = source;
    }
  }
});

test("the samples for TypeScript are valid", () => {
  const all = Object.keys(samples).filter((name) => name.includes("TypeScript"));
  assert.ok(all.length > 150);
  for (const name of all) assert.doesNotThrow(() => stripTypeScriptTypes(samples[name]), name);
});

for (const [name, expected] of [["gateway/get_me TypeScript", '"api_key"'], ["gateway/create_chat_completion TypeScript", "dev-chat"],
  ["gateway/create_chat_completion TypeScript, streamed", "chat.completion.chunk"], ["builder/create_agent TypeScript", '"Support"'],
  ["README.md TypeScript", "dev-chat"]]) {
  test(`${name} works as it is shown`, async () => {
    const env = { ...process.env, API_KEY: STAGE.keys.ada, ACCESS_TOKEN: STAGE.tokens.TypeScript };
    const node = ["--input-type=module", "--eval", stripTypeScriptTypes(samples[name])];
    const { stdout } = await promisify(execFile)(process.execPath, node, { cwd: import.meta.dirname, env });
    assert.ok(stdout.includes(expected), stdout);
  });
}
