// What connects the usual clients to a server of the Model Context Protocol.
import { prefix } from "../api/place";
import { quote } from "../ui/SecretDialog";

/** A server of the platform: the tools that people offer, or the one that builds workflows. */
export interface Server {
  path: "/mcp/v1" | "/mcp/v1/studio";
  /** What the client calls it. */
  name: "atelier" | "atelier-studio";
}

export const toolServer: Server = { path: "/mcp/v1", name: "atelier" };
export const studioServer: Server = { path: "/mcp/v1/studio", name: "atelier-studio" };

export const urlOf = ({ path }: Server) => `${location.origin}${prefix}${path}`;

export const clients = ["claude", "codex", "vscode", "json"] as const;
export type Client = (typeof clients)[number];

/** What a person runs, or writes into the configuration of the client. */
export function writeSnippet(client: Client, name: string, url: string): string {
  const address = /^[\w:/.-]+$/.test(url) ? url : quote(url);
  const entry = { [name]: { type: "http", url } };
  switch (client) {
    case "claude":
      return `claude mcp add --transport http ${name} ${address}`;
    case "codex":
      return `codex mcp add ${name} --url ${address}\ncodex mcp login ${name}`;
    case "vscode":
      return JSON.stringify({ servers: entry }, null, 2);
    case "json":
      return JSON.stringify({ mcpServers: entry }, null, 2);
  }
}
