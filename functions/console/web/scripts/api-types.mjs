// Generates the types of the requests and responses from the documents of the APIs.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

const documents = new URL("../../../reference/openapi/", import.meta.url);
const target = new URL("../src/api/generated/", import.meta.url);

mkdirSync(target, { recursive: true });
for (const name of ["builder", "gateway", "workbenches"]) {
  const document = JSON.parse(readFileSync(new URL(`${name}.json`, documents), "utf8"));
  // The console finds operations by their path. Their ids may repeat within a document.
  for (const path of Object.values(document.paths)) {
    for (const operation of Object.values(path)) delete operation.operationId;
  }
  writeFileSync(new URL(`${name}.d.ts`, target), astToString(await openapiTS(document, { defaultNonNullable: false })));
}
