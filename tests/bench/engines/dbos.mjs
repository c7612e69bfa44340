// The service of DBOS behind an HTTP server: each flow as a workflow that records every step, and as one that records
// none. `/start/…` answers with the workflow's id at once.
import { createServer } from "node:http";
import pg from "pg";
import { DBOS } from "@dbos-inc/dbos-sdk";
import { flows } from "./steps.mjs";

const forms = {
  recorded: (name, execute) => DBOS.runStep(async () => execute(), { name }),
  plain: (_, execute) => execute(),
};
const workflows = {};
for (const [form, step] of Object.entries(forms)) {
  for (const [name, flow] of Object.entries(flows)) {
    workflows[`${form}/${name}`] = DBOS.registerWorkflow((input) => flow(input, step), { name: `${form}-${name}` });
  }
}

DBOS.setConfig({ name: "bench", systemDatabaseUrl: process.env.DATABASE_URL, runAdminServer: false, logLevel: "warn" });
await DBOS.launch();

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 1 });
const ENDED = "SELECT count(*) AS ended FROM dbos.workflow_status WHERE status = 'SUCCESS'";

const serve = async (request) => {
  if (request.url === "/ended") return (await pool.query(ENDED)).rows[0].ended;
  let body = "";
  for await (const part of request) body += part;
  const [, mode, form, flow] = request.url.split("/");
  const handle = await DBOS.startWorkflow(workflows[`${form}/${flow}`])(JSON.parse(body));
  return mode === "run" ? await handle.getResult() : handle.workflowID;
};
createServer((request, response) => {
  serve(request).then(
    (text) => response.end(text),
    (error) => response.writeHead(500).end(`${error}`),
  );
}).listen(Number(process.env.PORT), "127.0.0.1");
