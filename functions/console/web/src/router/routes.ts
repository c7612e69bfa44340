/** All screens. The parts after a colon are parameters. */
export const routes = {
  home: "/",
  workflows: "/workflows",
  workflow: "/workflows/:workflowId",
  workflowRuns: "/workflows/:workflowId/runs",
  workflowReleases: "/workflows/:workflowId/releases",
  workflowMembers: "/workflows/:workflowId/members",
  workflowChannels: "/workflows/:workflowId/channels",
  workflowWebhooks: "/workflows/:workflowId/webhooks",
  workflowCredentials: "/workflows/:workflowId/credentials",
  workflowSchedules: "/workflows/:workflowId/schedules",
  workflowAssistants: "/workflows/:workflowId/assistants",
  editor: "/workflows/:workflowId/edit",
  run: "/workflows/:workflowId/runs/:runId",
  agents: "/agents",
  agent: "/agents/:agentId",
  agentTry: "/agents/:agentId/try",
  agentCalls: "/agents/:agentId/calls",
  agentAssistants: "/agents/:agentId/assistants",
  agentMembers: "/agents/:agentId/members",
  runs: "/runs",
  analytics: "/analytics",
} as const;

export type RouteName = keyof typeof routes;

type ParamsIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamsIn<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

export type Params<Name extends RouteName> = Record<ParamsIn<(typeof routes)[Name]>, string>;
export type QueryValues = Record<string, string | undefined>;

/** A place in the console: a screen, its parameters, and a query. */
export type Target = {
  [Name in RouteName]: { to: Name; query?: QueryValues } & (ParamsIn<(typeof routes)[Name]> extends never
    ? { params?: undefined }
    : { params: Params<Name> });
}[RouteName];

export type Place = { [Name in RouteName]: { name: Name; params: Params<Name>; query: URLSearchParams } }[RouteName];

export function hrefOf(target: Target): string {
  const params: Record<string, string> = target.params ?? {};
  const path = routes[target.to].replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(target.query ?? {})) if (value) query.set(name, value);
  const text = query.toString();
  return `#${path}${text && `?${text}`}`;
}

/** Reads the fragment of the address. Null if there is no such screen. */
export function readPlace(hash: string): Place | null {
  const [, path = "", query = ""] = /^#?([^?]*)\??(.*)$/s.exec(hash) ?? [];
  const parts = (path || "/").split("/");
  for (const [name, pattern] of Object.entries(routes)) {
    const params = matchParts(pattern.split("/"), parts);
    if (params !== null) return { name, params, query: new URLSearchParams(query) } as Place;
  }
  return null;
}

function matchParts(pattern: string[], parts: string[]): Record<string, string> | null {
  if (pattern.length !== parts.length) return null;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const part = parts[index] ?? "";
    if (expected.startsWith(":") && part !== "") params[expected.slice(1)] = decode(part);
    else if (expected !== part) return null;
  }
  return params;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
