// Samples of a call in curl, Python and TypeScript, made from the recorded example of its request.
"use strict";

const ORIGIN = new URL("..", document.baseURI).href.replace(/\/$/, "");

/** The samples of an operation, by language. Those of the document (`x-codeSamples`) have precedence. */
function samplesOf(operation) {
  const own = operation.spec["x-codeSamples"];
  if (own) return Object.fromEntries(own.map((sample) => [sample.label || sample.lang, sample.source]));
  const body = requestExample(operation);
  const signed = Boolean(operation.spec.security);
  const url = ORIGIN + operation.path;
  return { curl: curl(operation, url, body, signed), Python: python(operation, url, body, signed), TypeScript: typescript(operation, url, body, signed) };
}

function curl({ method }, url, body, signed) {
  const lines = [`curl -s ${method === "GET" || (body && method === "POST") ? "" : `-X ${method} `}'${url}'`];
  if (signed) lines.push(`-H "Authorization: Bearer $TOKEN"`);
  if (body) lines.push(`--json '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`);
  return lines.join(" \\\n  ");
}

/** The call of OpenAI's SDKs that makes the same request, if there is one. */
const SDK_CALLS = { create_chat_completion: "chat.completions.create", create_embeddings: "embeddings.create" };

function python({ method, spec }, url, body, signed) {
  const sdk = body && SDK_CALLS[spec.operationId];
  if (sdk) {
    const fields = Object.entries(body).map(([name, value]) => `    ${name}=${literal(value, 1)},\n`).join("");
    return `import os\nfrom openai import OpenAI\n\nclient = OpenAI(base_url="${ORIGIN}/gateway/v1", api_key=os.environ["TOKEN"])\nanswer = client.${sdk}(\n${fields})\nprint(answer)`;
  }
  const head = signed ? `    headers={"Authorization": f"Bearer {os.environ['TOKEN']}"},\n` : "";
  const json = body ? `    json=${literal(body, 1)},\n` : "";
  return `import os\nimport requests\n\nanswer = requests.request(\n    "${method}",\n    "${url}",\n${head}${json})\nanswer.raise_for_status()\nprint(answer.text)`;
}

/** A JSON value as a literal of Python. */
function literal(value, depth) {
  const pad = "    ".repeat(depth + 1), end = "    ".repeat(depth);
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const list = Array.isArray(value);
  const items = list ? value.map((item) => literal(item, depth + 1)) : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${literal(item, depth + 1)}`);
  const [open, close] = list ? "[]" : "{}";
  return items.length ? `${open}\n${items.map((item) => `${pad}${item},\n`).join("")}${end}${close}` : open + close;
}

function typescript({ method, spec }, url, body, signed) {
  const sdk = body && SDK_CALLS[spec.operationId];
  if (sdk) {
    return `import OpenAI from "openai";\n\nconst client = new OpenAI({ baseURL: "${ORIGIN}/gateway/v1", apiKey: process.env.TOKEN });\nconst answer = await client.${sdk}(${JSON.stringify(body, null, 2)});\nconsole.log(answer);`;
  }
  const headers = [];
  if (signed) headers.push("    Authorization: `Bearer ${process.env.TOKEN}`,\n");
  if (body) headers.push(`    "Content-Type": "application/json",\n`);
  const head = headers.length ? `  headers: {\n${headers.join("")}  },\n` : "";
  const json = body ? `  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll("\n", "\n  ")}),\n` : "";
  return `const answer = await fetch("${url}", {\n  method: "${method}",\n${head}${json}});\nif (!answer.ok) throw new Error(await answer.text());\nconsole.log(await answer.text());`;
}

function requestExample({ spec }) {
  return exampleOf(spec.requestBody?.content?.["application/json"]);
}

/** The example of a body: its only one, or the first of several. */
function exampleOf(content) {
  return content?.example ?? Object.values(content?.examples ?? {})[0]?.value;
}
