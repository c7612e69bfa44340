// The harness of the Node tests: both official clients, their sign-in, and a proxy that cuts connections.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import * as client from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

export const STAGE = JSON.parse(readFileSync(process.env.MCP_STAGE, "utf8"));
export const BASE_URL = STAGE.base_url;
export const SERVER = `${BASE_URL}/mcp/v1`;
export const STUDIO = `${SERVER}/studio`;
export const CALLBACK = "http://127.0.0.1:1/callback";
const CLIENT = { name: "mcp for Node", version: "3.1" };
/** The tools of each user. */
export const TOOLS = ["add", "ask", "get_run", "refuse", "scout", "sleep", "wait"];

/** The clients, by the name of the user who has tools for them. One has sessions; the other speaks the newer protocol. */
export const CLIENTS = {
  "node-sdk": { Client, Transport: StreamableHTTPClientTransport, version: "2025-11-25", options: {} },
  "node-client": {
    Client: client.Client,
    Transport: client.StreamableHTTPClientTransport,
    version: "2026-07-28",
    options: { versionNegotiation: { mode: "auto" } },
  },
};

/** A user with a set of tools of their own, for one of the clients. */
export class User {
  constructor(name) {
    this.kind = CLIENTS[name];
    this.person = STAGE.people[name];
    this.ids = this.person.ids;
    this.rest = new Rest(this.person.token);
  }

  /** A connected client, and its transport. It is closed at the end of the test. */
  async connect(t, { url = SERVER, token = this.person.token, ...others } = {}) {
    const { Client, Transport, options } = this.kind;
    const headers = token ? { Authorization: `Bearer ${token}` } : {};
    const transport = new Transport(new URL(url), { requestInit: { headers }, ...others });
    const connected = new Client(CLIENT, options);
    t.after(() => connected.close());
    await connected.connect(transport);
    return [connected, transport];
  }

  /** Checks that a run shows who called. */
  checkCaller(run, userId = this.person.user) {
    assert.equal(run.origin, "mcp");
    assert.deepEqual(run.startedBy, { userId, client: CLIENT });
  }
}

/** Calls a tool. The older client takes a schema of the result before the options. */
export const call = (client, name, args, options) =>
  client.callTool({ name, arguments: args }, ...(client instanceof Client ? [undefined, options] : [options]));

/** The REST API with the token of one caller. */
export class Rest {
  constructor(token) {
    this.token = token;
  }

  async call(method, path, body) {
    const headers = { Authorization: `Bearer ${this.token}`, "Content-Type": "application/json" };
    const response = await fetch(BASE_URL + path, { method, headers, body: body && JSON.stringify(body) });
    const answer = await response.text();
    assert(response.ok, `${method} ${path}: ${response.status} ${answer}`);
    return answer ? JSON.parse(answer).data : undefined;
  }

  runs(workflow) {
    return this.call("GET", `/builder/v1/workflows/${workflow}/runs`);
  }

  run(workflow, id) {
    return this.call("GET", `/builder/v1/workflows/${workflow}/runs/${id}`);
  }

  approve(workflow, id) {
    return this.call("POST", `/builder/v1/workflows/${workflow}/runs/${id}/resolve-wait`, { decision: "approve" });
  }

  /** Waits for a run that is not one of `before`. */
  newRun(workflow, before) {
    const isNew = (run) => !before.some(({ id }) => id === run.id);
    return until(async () => (await this.runs(workflow)).find(isNew), `a run of ${workflow}`);
  }

  /** Waits for the end of a run. */
  endedRun(workflow, id) {
    const ended = async () => {
      const run = await this.run(workflow, id);
      return run.finishedAt && run;
    };
    return until(ended, `the end of ${id}`);
  }
}

/** Lets the run go on that waits at this gate. */
export const openGate = (name) => fetch(`${STAGE.servers_url}/gates/${name}`, { method: "POST" });

/** Polls until the condition is true, and returns its value. */
export async function until(condition, what, withinMs = 20_000) {
  for (const end = Date.now() + withinMs; ; await sleep(50)) {
    const value = await condition();
    if (value) return value;
    assert(Date.now() < end, `not in time: ${what}`);
  }
}

/** Signs in as a browser does: presses the button of the person, then those that agree. Returns the query of the callback. */
export async function signIn(url, person) {
  let form;
  for (let page = 0; page < 6; page++) {
    const options = form ? { method: "POST", body: new URLSearchParams(form) } : {};
    const response = await fetch(url, { redirect: "manual", ...options });
    if (response.status === 302 || response.status === 303) {
      url = new URL(response.headers.get("location"), url);
      form = undefined;
      if (url.href.startsWith(CALLBACK)) return url.searchParams;
      continue;
    }
    const html = await response.text();
    assert.equal(response.status, 200, `${url}: ${html}`);
    const { action, fields } = button(html, person);
    url = new URL(action, url);
    form = fields;
  }
  assert.fail(`the sign-in does not end: ${url}`);
}

/** The action and the fields of the button with this text, or of the first one. */
function button(html, text) {
  const attribute = (tag, name) => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1]?.replaceAll("&amp;", "&");
  const [before, form] = html.split(/<form/);
  assert(form !== undefined, before);
  const hidden = [...form.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([tag]) => [attribute(tag, "name"), attribute(tag, "value") ?? ""]);
  const buttons = [...form.matchAll(/(<button[^>]*>)([^<]*)/g)];
  const [, tag] = buttons.find(([, , label]) => label.trim() === text) ?? buttons[0];
  const name = attribute(tag, "name");
  const pressed = name ? [[name, attribute(tag, "value") ?? ""]] : [];
  return { action: attribute(form.slice(0, form.indexOf(">")), "action") ?? "", fields: [...hidden, ...pressed] };
}

/** The OAuth client of a person who signs in when it asks. */
export class Oauth {
  redirectUrl = CALLBACK;
  clientMetadata = {
    client_name: CLIENT.name,
    redirect_uris: [CALLBACK],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };

  constructor(person) {
    this.person = person;
  }

  state = () => (this.expected = crypto.randomUUID());
  clientInformation = () => this.registered;
  saveClientInformation = (registered) => (this.registered = registered);
  tokens = () => this.stored;
  saveTokens = (tokens) => (this.stored = tokens);
  saveCodeVerifier = (verifier) => (this.verifier = verifier);
  codeVerifier = () => this.verifier;

  async redirectToAuthorization(url) {
    this.answer = await signIn(url, this.person);
    assert.equal(this.answer.get("state"), this.expected);
  }
}

/** A TCP proxy in front of the platform. `cut` breaks its connections and holds new ones until `release`. */
export class Proxy {
  static async start(t) {
    const proxy = new Proxy();
    await new Promise((listens) => proxy.server.listen(0, "127.0.0.1", listens));
    t.after(() => {
      proxy.cut();
      proxy.held.forEach((socket) => socket.destroy());
      proxy.server.close();
    });
    proxy.url = `http://127.0.0.1:${proxy.server.address().port}`;
    return proxy;
  }

  sockets = new Set();
  held = [];
  isHeld = false;
  /** Whether a client has asked for the rest of a stream. */
  isResumed = false;
  server = net.createServer((socket) => {
    socket.on("error", () => {});
    this.isHeld ? this.held.push(socket) : this.forward(socket);
  });

  forward(socket) {
    const { hostname, port } = new URL(BASE_URL);
    const upstream = net.connect(Number(port), hostname);
    for (const [one, other] of [[socket, upstream], [upstream, socket]]) {
      this.sockets.add(one);
      one.on("error", () => {}).on("close", () => other.destroy());
      one.pipe(other);
    }
    socket.on("data", (piece) => (this.isResumed ||= /last-event-id:/i.test(piece.toString())));
  }

  cut() {
    this.isHeld = true;
    this.sockets.forEach((socket) => socket.resetAndDestroy());
    this.sockets.clear();
  }

  release() {
    this.isHeld = false;
    this.held.splice(0).forEach((socket) => this.forward(socket));
  }
}
