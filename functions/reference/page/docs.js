// The API reference: reads the OpenAPI documents, and shows one operation at a time. Texts become text nodes, never HTML.
"use strict";

const APIS = [["gateway", "Model gateway"], ["builder", "Agents and workflows"], ["workbenches", "Workbenches"]];
const METHODS = ["get", "post", "put", "patch", "delete"];
const $ = (id) => document.getElementById(id);
const ORIGIN = new URL("..", document.baseURI).href.replace(/\/$/, "");
/** The base URL of the documents' samples, if the platform does not know the one of the request. */
const SAMPLE_ORIGIN = "http://127.0.0.1:9000";
const documents = {};
let operations = [];

function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) node.setAttribute(name, value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== false && child !== null));
  return node;
}

const code = (text, label) => el("pre", { tabindex: 0, role: "group", "aria-label": label }, el("code", {}, text));
const json = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

// ---------------------------------------------------------------- Markdown

function inline(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\*[^*\s][^*]*\*|\[[^\]]+\]\([^)]+\))/).map((part) => {
    if (/^`.+`$/.test(part)) return el("code", {}, part.slice(1, -1));
    if (/^\*\*.+\*\*$/.test(part)) return el("strong", {}, inline(part.slice(2, -2)));
    if (/^\*[^*]+\*$/.test(part)) return el("em", {}, part.slice(1, -1));
    const link = part.match(/^\[([^\]]+)\]\((https?:[^)]+|#[^)]+)\)$/);
    return link ? el("a", { href: link[2] }, link[1]) : part;
  });
}

function markdown(text) {
  const blocks = (text ?? "").split(/(```[\s\S]*?```)|\n{2,}/).filter((block) => block?.trim());
  return blocks.map((block) => {
    const lines = block.trim().split("\n");
    if (lines[0].startsWith("```")) return code(lines.slice(1, -1).join("\n"), "Sample");
    if (lines[0].startsWith("|")) {
      const rows = lines.filter((line) => !/^\|[-|: ]+\|$/.test(line)).map((line) => line.slice(1, -1).split("|").map((cell) => inline(cell.trim())));
      return table(rows[0], rows.slice(1), "Parameters by provider");
    }
    if (/^[-*] /.test(lines[0])) return el("ul", {}, block.trim().split(/\n(?=[-*] )/).map((item) => el("li", {}, inline(item.slice(2)))));
    return el("p", {}, inline(lines.join(" ")));
  });
}

function table(head, rows, label) {
  const header = el("thead", {}, el("tr", {}, head.map((cell) => el("th", { scope: "col" }, cell))));
  const body = el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell) => el("td", {}, cell)))));
  return el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": label }, el("table", {}, header, body));
}

// ---------------------------------------------------------------- schemas

function resolve(schema, api) {
  const name = schema?.$ref?.split("/").pop();
  return name ? { name, ...documents[api].components.schemas[name] } : schema ?? {};
}

function typeOf(schema, api) {
  const found = resolve(schema, api);
  const options = found.oneOf ?? found.anyOf;
  if (options) return [...new Set(options.map((option) => typeOf(option, api)))].join(" or ");
  if (found.enum) return found.enum.map((value) => JSON.stringify(value)).join(", ");
  if (found.const !== undefined) return JSON.stringify(found.const);
  const type = Array.isArray(found.type) ? found.type.join(" or ") : found.type ?? (found.properties || found.allOf ? "object" : "any value");
  return type === "array" ? `array of ${typeOf(found.items, api)}` : type;
}

const LIMITS = ["format", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern", "default"];

function limitsOf(schema) {
  return LIMITS.filter((name) => schema[name] !== undefined).map((name) => `${name} ${JSON.stringify(schema[name])}`).join(", ");
}

/** The objects whose fields a schema shows: itself, its parts, its entries. */
function objectsOf(schema, api, seen = []) {
  const found = resolve(schema, api);
  if (found.name && seen.includes(found.name)) return [];
  const inner = [...seen, found.name];
  const parts = [...(found.allOf ?? []), ...(found.oneOf ?? []), ...(found.anyOf ?? []), ...(found.items ? [found.items] : [])];
  return [...(found.properties ? [found] : []), ...parts.flatMap((part) => objectsOf(part, api, inner))];
}

/** The list of fields of a schema. Nested fields are made when they are opened, because schemas can contain themselves. */
function fields(schema, api) {
  const objects = objectsOf(schema, api);
  return objects.map((object, index) => [
    objects.length > 1 && el("p", { class: "muted" }, object.title ?? object.name ?? `Form ${index + 1}`),
    el("ul", { class: "fields" }, Object.entries(object.properties).map(([name, property]) => field(name, property, object.required?.includes(name), api))),
  ]);
}

function field(name, schema, required, api) {
  const found = resolve(schema, api);
  const item = el("li", {}, el("code", {}, name), " ", el("span", { class: "type" }, typeOf(schema, api), required ? ", required" : ""),
    markdown(schema.description ?? found.description), limitsOf(found) && el("p", { class: "type" }, limitsOf(found)));
  if (objectsOf(schema, api).length) {
    const more = el("details", {}, el("summary", {}, `Fields of ${name}`));
    more.addEventListener("toggle", () => more.childElementCount === 1 && more.append(...fields(schema, api).flat(Infinity).filter(Boolean)));
    item.append(more);
  }
  return item;
}

// ---------------------------------------------------------------- an operation

function show(operation) {
  const { api, path, method, spec } = operation;
  const [first, ...more] = markdown(spec.description);
  const content = spec.requestBody?.content ?? {};
  const body = content["application/json"] ?? Object.values(content)[0];
  const left = el("div", {},
    first, spec.parameters?.length > 0 && [el("h2", {}, "Parameters"), parameters(operation)],
    body?.schema && [el("h2", {}, "Body"), fields(body.schema, api)],
    el("h2", {}, "Responses"), Object.entries(spec.responses).map(([status, response]) => responsePart(status, response, api)),
    more.length > 0 && [el("h2", {}, "More"), more]);
  const right = el("div", {}, el("h2", {}, "Sample"), tabs(spec["x-codeSamples"], "Sample"), answerSample(spec), el("h2", {}, "Try it"), tryForm(operation));
  return [el("h1", {}, spec.summary ?? path), el("p", {}, el("code", {}, el("span", { class: "method" }, method), ` ${path}`)),
    el("p", { class: "muted" }, spec.security ? inline(credentialOf(operation).description) : "No token is needed."),
    el("div", { class: "call" }, left, right)];
}

function parameters({ spec, api }) {
  return el("ul", { class: "fields" }, spec.parameters.map((parameter) => {
    const item = field(parameter.name, parameter.schema, parameter.required, api);
    item.children[1].append(`, in ${parameter.in}`);
    item.append(...markdown(parameter.description));
    return item;
  }));
}

function responsePart(status, response, api) {
  const part = el("details", { open: status < "300" }, el("summary", {}, el("strong", {}, status), ` ${response.description}`));
  if (response.headers) part.append(el("h3", {}, "Headers"), el("ul", { class: "fields" }, Object.entries(response.headers).map(([name, header]) => field(name, { ...header.schema, description: header.description }, false, api))));
  for (const [type, content] of Object.entries(response.content ?? {})) {
    part.append(el("p", { class: "type" }, type));
    if (status < "300" && content.schema) part.append(...fields(content.schema, api).flat(Infinity).filter(Boolean));
    else if (exampleOf(content)) part.append(code(json(exampleOf(content)), `Example of ${status}`));
  }
  return part;
}

function answerSample(spec) {
  const [status, response] = Object.entries(spec.responses).find(([status]) => status < "300") ?? [];
  const example = exampleOf(Object.values(response?.content ?? {})[0]);
  return example !== undefined && [el("h3", {}, `Response ${status}`), code(json(example), `Example of ${status}`)];
}

const credentialOf = ({ api, spec }) => documents[api].components.securitySchemes[Object.keys(spec.security[0])[0]];

/** The example of a body: its only one, or the first of several. */
function exampleOf(content) {
  return content?.example ?? Object.values(content?.examples ?? {})[0]?.value;
}

function tabs(list, label) {
  const samples = Object.fromEntries(list.map((sample) => [sample.label, sample.source.replaceAll(SAMPLE_ORIGIN, ORIGIN)]));
  const shown = code("", label);
  const buttons = Object.keys(samples).map((name) => el("button", { type: "button", "data-name": name, onclick: () => choose(name) }, name));
  const choose = (name) => {
    buttons.forEach((button) => button.setAttribute("aria-pressed", button.dataset.name === name));
    shown.firstChild.textContent = samples[name];
    sessionStorage.setItem("language", name);
  };
  const last = sessionStorage.getItem("language");
  choose(last in samples ? last : Object.keys(samples)[0]);
  return el("div", {}, el("div", { class: "tabs", role: "group", "aria-label": "Language" }, buttons), shown);
}

// ---------------------------------------------------------------- a call

function tryForm(operation) {
  const { api, method, path, spec } = operation;
  const labelled = (id, text, input) => [el("label", { for: id }, text), input];
  const token = el("input", { id: "token", type: "password", autocomplete: "off", value: sessionStorage.getItem(`token:${api}`) ?? "" });
  const inputs = (spec.parameters ?? []).map((parameter) => {
    const input = el("input", { id: `in-${parameter.name}`, required: parameter.required });
    return { parameter, input };
  });
  const example = exampleOf(spec.requestBody?.content["application/json"]);
  const body = spec.requestBody && el("textarea", { id: "body", rows: 10, spellcheck: "false" });
  if (body) body.value = example === undefined ? "" : json(example);
  const output = el("div", { role: "status" });
  const send = async (event) => {
    event.preventDefault();
    sessionStorage.setItem(`token:${api}`, token.value);
    const url = new URL(ORIGIN + path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(inputs.find(({ parameter }) => parameter.in === "path" && parameter.name === name)?.input.value ?? "")));
    const headers = {};
    for (const { parameter, input } of inputs.filter(({ input }) => input.value !== "")) {
      if (parameter.in === "query") url.searchParams.append(parameter.name, input.value);
      if (parameter.in === "header") headers[parameter.name] = input.value;
    }
    if (token.value) headers.Authorization = `Bearer ${token.value}`;
    if (body?.value) headers["Content-Type"] = Object.keys(spec.requestBody.content)[0];
    await call(url, { method, headers, body: body?.value || undefined }, output);
  };
  return el("form", { onsubmit: send }, spec.security && labelled("token", api === "gateway" ? "API key" : "Access token", token),
    inputs.map(({ parameter, input }) => labelled(input.id, `${parameter.name} (${parameter.in}${parameter.required ? ", required" : ""})`, input)),
    body && labelled("body", "Body", body), el("button", { type: "submit" }, `Send ${method}`), output);
}

/** Sends a request, and shows its response while it arrives. */
async function call(url, request, output) {
  output.replaceChildren("Sending …");
  try {
    const answer = await fetch(url, request);
    const shown = code("", "Response");
    const head = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
    output.replaceChildren(el("p", {}, `${answer.status} ${answer.statusText}`), el("details", {}, el("summary", {}, "Headers"), code(head, "Headers")), shown);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) shown.firstChild.textContent = text += part.value;
    if (answer.headers.get("content-type")?.startsWith("application/json") && text) shown.firstChild.textContent = json(JSON.parse(text));
  } catch (failure) {
    output.replaceChildren(`The call failed: ${failure.message}`);
  }
}

// ---------------------------------------------------------------- error codes

/** All error codes of the examples and descriptions, with the operations that answer with them. */
function errorCodes() {
  const codes = new Map();
  for (const operation of operations) {
    for (const [status, response] of Object.entries(operation.spec.responses).filter(([status]) => status >= "400")) {
      const error = exampleOf(response.content?.["application/json"])?.error;
      const named = [...response.description.matchAll(/`([a-z][a-z0-9]*(?:[_.][a-z0-9_]+)+|LAB_[A-Z_]+)`(?=[:,;.]| or |$)/g)].map((found) => found[1]);
      for (const name of new Set([error?.code, ...named].filter(Boolean))) {
        const key = `${name} ${status}`;
        const entry = codes.get(key) ?? { name, status, operations: [] };
        entry.message ??= name === error?.code ? error.message : undefined;
        entry.description ??= response.description;
        entry.operations.push(operation);
        codes.set(key, entry);
      }
    }
  }
  return [...codes.values()].sort((a, b) => a.name.localeCompare(b.name) || a.status - b.status);
}

function showErrors() {
  const rows = errorCodes().map(({ name, status, message, description, operations }) => {
    const links = operations.slice(0, 40).map((operation) => el("li", {}, el("a", { href: `#${operation.id}` }, operation.spec.summary)));
    return [el("code", {}, name), status, message ?? inline(description), el("details", {}, el("summary", {}, `${operations.length} calls`), el("ul", {}, links))];
  });
  return [el("h1", {}, "All error codes"), el("p", {}, "Programs should check the code; the message names the problem and the fix. Quote the header ", el("code", {}, "X-Request-Id"), " when you report a problem."),
    table(["Code", "Status", "Message or reason", "Where"], rows, "Error codes")];
}

// ---------------------------------------------------------------- contents and search

function link(operation) {
  const current = location.hash === `#${operation.id}` ? "page" : undefined;
  return el("li", {}, el("a", { href: `#${operation.id}`, "aria-current": current, title: `${operation.method} ${operation.path}` }, operation.spec.summary ?? operation.path));
}

function listContents() {
  const list = [el("ul", {}, el("li", {}, el("a", { href: "#guides" }, "Guides")), el("li", {}, el("a", { href: "#errors" }, "All error codes")))];
  for (const [api, title] of APIS) {
    const tags = groupByTag(api);
    list.push(el("h2", {}, el("a", { href: `#${api}` }, title)), ...[...tags].map(([tag, group]) =>
      el("details", { open: group.some((operation) => `#${operation.id}` === location.hash) }, el("summary", {}, tag), el("ul", {}, group.map(link)))));
  }
  $("found").textContent = "";
  $("list").replaceChildren(...list);
}

const tagOf = (operation) => operation.spec.tags?.[0] ?? "other";

function groupByTag(api) {
  const tags = new Map();
  for (const operation of operations.filter((operation) => operation.api === api)) tags.set(tagOf(operation), [...(tags.get(tagOf(operation)) ?? []), operation]);
  return tags;
}

/** Finds the operations that have all words, those with a word in the title or the path first. */
function search(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return listContents();
  const score = (operation) => words.filter((word) => operation.title.includes(word)).length;
  const found = operations.filter((operation) => words.every((word) => operation.text.includes(word))).sort((a, b) => score(b) - score(a));
  $("found").textContent = `${found.length} found`;
  $("list").replaceChildren(el("ul", {}, found.map(link)));
}

/** The texts of an operation that the search reads, with the names and descriptions of its body's fields. */
function textOf({ api, method, path, spec }) {
  const names = new Set();
  const collect = (schema, depth) => {
    for (const object of depth > 3 ? [] : objectsOf(schema, api)) {
      for (const [name, property] of Object.entries(object.properties)) {
        if (names.has(name)) continue;
        names.add(name).add(property.description ?? "");
        collect(property, depth + 1);
      }
    }
  };
  collect(Object.values(spec.requestBody?.content ?? {})[0]?.schema, 0);
  const errors = Object.values(spec.responses).flatMap((response) => [response.description, exampleOf(response.content?.["application/json"])?.error?.code ?? ""]);
  const inputs = (spec.parameters ?? []).flatMap((parameter) => [parameter.name, parameter.description ?? ""]);
  return [method, path, spec.summary, spec.description, ...inputs, ...errors, ...names].join("\n").toLowerCase();
}

// ---------------------------------------------------------------- start

function route() {
  const hash = decodeURIComponent(location.hash.slice(1));
  const operation = operations.find((operation) => operation.id === hash);
  const api = APIS.find(([name]) => name === hash);
  const view = operation ? show(operation) : hash === "errors" ? showErrors() : api && [el("h1", {}, api[1]), markdown(documents[hash].info.description)].flat();
  $("guides").hidden = Boolean(view);
  $("view").hidden = !view;
  $("view").replaceChildren(...(view ?? []));
  document.title = operation ? `${operation.spec.summary}: Atelier` : "Atelier: API reference";
  $("side").classList.remove("open");
  $("menu").setAttribute("aria-expanded", "false");
  search($("search").value);
  if (view) { scrollTo(0, 0); $("main").focus({ preventScroll: true }); } else if (hash) $(hash)?.scrollIntoView();
}

async function start() {
  document.querySelectorAll(".origin").forEach((origin) => (origin.textContent = ORIGIN));
  await Promise.all(APIS.map(async ([api]) => (documents[api] = await (await fetch(`../${api}/v1/openapi.json`)).json())));
  operations = APIS.flatMap(([api]) => Object.entries(documents[api].paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({ api, path, method: method.toUpperCase(), spec: item[method], id: `${api}/${item[method].operationId}` }))));
  for (const operation of operations) {
    operation.title = `${operation.spec.summary} ${operation.path}`.toLowerCase();
    operation.text = textOf(operation);
  }
  const openMenu = (isOpen) => { $("side").classList.toggle("open", isOpen); $("menu").setAttribute("aria-expanded", isOpen); };
  $("search").addEventListener("input", () => { search($("search").value); openMenu(true); });
  $("menu").addEventListener("click", () => openMenu(!$("side").classList.contains("open")));
  addEventListener("hashchange", route);
  route();
}

start().catch((failure) => $("found").append(`The documents cannot be read: ${failure.message}. Reload the page.`));
