// The tools of an MCP server that an agent may call. Each is pinned by the hash of what the server says about it.
import type { AgentTool, McpServerTool } from "../../api/types";
import { matcher } from "../../lists/search";

export type McpTool = Extract<AgentTool, { type: "mcp" }>;
/** The platform accepts this many for a server. */
export const MOST_PINS = 64;
/** The hashes of the allowed tools, by their name. */
export type Pins = ReadonlyMap<string, string>;
export type PinState = "free" | "allowed" | "changed" | "gone";

/** A tool that the server offers, or that is pinned and no longer offered. */
export interface ListedTool {
  name: string;
  offered: McpServerTool | null;
}

export const readPins = ({ tools = [] }: McpTool): Pins => new Map(tools.map(({ name, schemaHash }) => [name, schemaHash]));

export const writePins = (pins: Pins): NonNullable<McpTool["tools"]> => [...pins].map(([name, schemaHash]) => ({ name, schemaHash }));

export function stateOf({ name, offered }: ListedTool, pins: Pins): PinState {
  const pinned = pins.get(name);
  if (offered === null) return "gone";
  if (pinned === undefined) return "free";
  return pinned === offered.schemaHash ? "allowed" : "changed";
}

const ranks: Record<PinState, number> = { gone: 0, changed: 1, allowed: 2, free: 3 };

/** All tools: first those that need attention, then those that are allowed, then the others in the order of the server. */
export function listTools(offered: readonly McpServerTool[], pins: Pins): ListedTool[] {
  const names = new Set(offered.map(({ name }) => name));
  const gone = [...pins.keys()].filter((name) => !names.has(name)).map((name) => ({ name, offered: null }));
  const all = [...gone, ...offered.map((tool) => ({ name: tool.name, offered: tool }))];
  return all.map((tool) => [ranks[stateOf(tool, pins)], tool] as const).sort(([a], [b]) => a - b).map(([, tool]) => tool);
}

/** The names of the tools that match a search in their names, titles and descriptions. */
export function searchTools(tools: readonly ListedTool[], search: string): ListedTool[] {
  const matches = matcher(search);
  return tools.filter(({ name, offered }) => matches(`${name} ${offered?.title ?? ""} ${offered?.description ?? ""}`));
}
