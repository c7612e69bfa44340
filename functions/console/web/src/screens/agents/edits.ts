// What a person has changed of an agent and not saved, and what others have changed meanwhile.
import type { AgentDetail, AgentPatch } from "../../api/types";
import { isSame } from "../editor/model/equal";

export type Fields = Pick<AgentDetail, "name" | "description" | "type"> & Required<AgentDetail["config"]>;
export type FieldName = keyof Fields;
export type Changes = Partial<Fields>;

/** An agent as it is stored, with its version. */
export interface Stored {
  agent: AgentDetail;
  etag: string;
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

/** The standing problems of an agent by the field where each is solved. */
export function placeProblems({ problems, config, credentials }: AgentDetail): Map<string, string> {
  const places = new Map<string, string>();
  const { tools = [], members = [] } = config;
  for (const { code, message } of problems) {
    members.forEach((id, index) => message.includes(id) && places.set(`config.members[${index}]`, message));
    tools.forEach((tool, index) => {
      const id = tool.type === "agent" ? tool.agentId : tool.type === "workflow" ? tool.workflowId : null;
      if (id !== null && message.includes(id)) places.set(`config.tools[${index}]`, message);
      const lacks = code === "credential_missing" && tool.type === "http" && !credentials.some((stored) => stored.tool === tool.name);
      if (lacks && message.split(/[\s,;]+/).includes(tool.name)) places.set(`config.tools[${index}].auth`, message);
    });
  }
  return places;
}
