// What a server said about the tools that are allowed, in this browser alone and for this person alone. The platform
// keeps only the hash, so this shows later what a server has changed.
import { personalKey } from "../../api/personal";
import type { McpServerTool } from "../../api/types";

const NAME = "mcp-tools";
const MOST = 200;
const MAX_CHARACTERS = 400_000;

/** What the hash of a tool covers. */
export type Definition = Pick<McpServerTool, "name" | "description" | "inputSchema" | "outputSchema">;
type Entry = [hash: string, definition: Definition];

export const definitionOf = ({ name, description, inputSchema, outputSchema }: McpServerTool): Definition => ({ name, description, inputSchema, outputSchema });

function load(): Entry[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(personalKey(NAME)) ?? "[]");
    return Array.isArray(stored) ? stored.filter((entry): entry is Entry => Array.isArray(entry) && typeof entry[0] === "string") : [];
  } catch {
    return [];
  }
}

/** Keeps what the server says now. The oldest definitions make room. */
export function keepDefinitions(tools: readonly McpServerTool[]) {
  const added = tools.map((tool): Entry => [tool.schemaHash, definitionOf(tool)]);
  const hashes = new Set(added.map(([hash]) => hash));
  const all = [...added, ...load().filter(([hash]) => !hashes.has(hash))].slice(0, MOST);
  let room = MAX_CHARACTERS;
  const kept = all.filter((entry) => {
    const { length } = JSON.stringify(entry);
    if (length > room) return false;
    room -= length;
    return true;
  });
  try {
    localStorage.setItem(personalKey(NAME), JSON.stringify(kept));
  } catch {
    // Without room, a change is shown without what was before.
  }
}

/** What the server said when a tool was allowed, as far as this browser knows. */
export function findDefinition(hash: string): Definition | null {
  return load().find(([known]) => known === hash)?.[1] ?? null;
}
