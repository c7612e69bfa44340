// What a person has changed of an agent and not saved, and what others have changed meanwhile.
import type { AgentDetail, AgentPatch, AgentTool } from "../../api/types";
import { isSame } from "../editor/model/equal";

export type Fields = Pick<AgentDetail, "name" | "description" | "type"> & Required<AgentDetail["config"]>;
export type FieldName = keyof Fields;
export type Changes = Partial<Fields>;

/** An agent as it is stored, with its version. */
export interface Stored {
  agent: AgentDetail;
  etag: string;
}

/** A tool that calls another system: it can have a credential. */
export type CalledTool = Extract<AgentTool, { type: "http" | "mcp" }>;

const isCalled = (tool: AgentTool): tool is CalledTool => tool.type === "http" || tool.type === "mcp";
const originOf = (url: string) => /^https?:\/\/[^/]+/i.exec(url)?.[0];

/** The stored tool of which a form is: it has the same name, and its credential is that of the same system. */
export function findStored({ config }: AgentDetail, { type, name, auth = "none", url }: CalledTool): CalledTool | undefined {
  const isSame = (saved: CalledTool) => saved.type === type && saved.name === name && (saved.auth ?? "none") === auth && originOf(saved.url) === originOf(url);
  return (config.tools ?? []).filter(isCalled).find(isSame);
}

/** Whether a standing problem is about a tool: its message names it. For one of an MCP server, it names both. */
export function isAbout({ message }: { message: string }, { name }: CalledTool, ofServer?: string): boolean {
  const words = message.split(/[\s,;:`"']+/).map((word) => word.replace(/\.+$/, ""));
  return words.includes(name) && (ofServer === undefined || words.includes(ofServer));
}

const ofAgent: ReadonlySet<string> = new Set(["name", "description", "type"]);

export function fieldsOf({ name, description, type, config }: AgentDetail): Fields {
  const { model = null, instructions = "", temperature = null, maxTokens = null } = config;
  const { tools = [], sources = [], members = [], strategy = null } = config;
  return { name, description, type, model, instructions, temperature, maxTokens, tools, sources, members, strategy };
}

/** Adds changes to others. What is again as it was is no change. */
export function addChanges(base: Fields, changes: Changes, more: Changes): Changes {
  const entries = Object.entries({ ...changes, ...more });
  return Object.fromEntries(entries.filter(([name, value]) => !isSame(value, base[name as FieldName])));
}

/** The body that saves changes. All other fields stay as they are stored. */
export function toPatch(changes: Changes): AgentPatch {
  const patch: Record<string, unknown> = {};
  const config: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(changes)) (ofAgent.has(name) ? patch : config)[name] = value;
  return Object.keys(config).length === 0 ? patch : { ...patch, config };
}

export interface Difference {
  field: FieldName;
  before: unknown;
  theirs: unknown;
  /** What this person wrote, if both changed the field in different ways. */
  mine?: unknown;
}

/** What others changed between two versions, beside the changes of this person. */
export function differences(base: Fields, theirs: Fields, changes: Changes): Difference[] {
  return (Object.keys(theirs) as FieldName[])
    .filter((field) => !isSame(base[field], theirs[field]))
    .map((field) => ({
      field,
      before: base[field],
      theirs: theirs[field],
      ...(field in changes && !isSame(changes[field], theirs[field]) && { mine: changes[field] }),
    }));
}

/** The sentences of a refusal by the field that each names, such as `config.tools[0].url`. */
export function readProblems(message: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const part of message.split(/; (?=[a-z]\w*(?:\.\w+|\[\d+\])*: )/i)) {
    const [, field, sentence] = /^([a-z]\w*(?:\.\w+|\[\d+\])*): (.*)$/is.exec(part) ?? [];
    if (field !== undefined && sentence !== undefined) found.set(field, sentence);
  }
  return found;
}

/** Whether a standing problem is that an MCP server has changed or removed a tool. Its owner approves it, or removes the tool. */
export const isOfServer = (code: string) => code === "mcp_tool_changed" || code === "mcp_tool_gone";

/** The standing problems of an agent by the field where each is solved. */
export function placeProblems({ problems, config, credentials }: AgentDetail): Map<string, string> {
  const places = new Map<string, string>();
  const { tools = [], members = [] } = config;
  for (const { code, message } of problems) {
    members.forEach((id, index) => message.includes(id) && places.set(`config.members[${index}]`, message));
    tools.forEach((tool, index) => {
      const id = tool.type === "agent" ? tool.agentId : tool.type === "workflow" ? tool.workflowId : null;
      if (id !== null && message.includes(id)) places.set(`config.tools[${index}]`, message);
      if (!isCalled(tool) || !isAbout({ message }, tool)) return;
      const lacks = code === "credential_missing" && !credentials.some((stored) => stored.tool === tool.name);
      if (lacks) places.set(`config.tools[${index}].auth`, message);
      const allowed = `config.tools[${index}].tools`;
      if (isOfServer(code)) places.set(allowed, [places.get(allowed), message].filter(Boolean).join(" "));
    });
  }
  return places;
}
