import { useQuery } from "@tanstack/react-query";
import { answer, builder } from "../../api/client";
import { readError } from "../../api/errors";
import type { components } from "../../api/generated/builder";
import type { CredentialType } from "../../api/types";
import type { Language } from "../../i18n";
import { allPages } from "../../lists/pages";
import { placeNodes } from "./model/layout";
import type { Plan } from "./model/partial";
import type { Graph, NodeType, Problem } from "./model/types";

type Workflow = components["schemas"]["WorkflowOut"];
export type Head = Omit<Workflow, "graph" | "problems">;

export interface Stored {
  head: Head;
  graph: Graph;
  etag: string;
  problems: Problem[];
}

export type Saved = { kind: "saved"; stored: Stored } | { kind: "stale"; stored: Stored };

/** The node types by their name, with texts in the person's language. */
export function useNodeTypes(language: Language) {
  return useQuery({
    queryKey: ["node-types", language],
    staleTime: Infinity,
    placeholderData: (before) => before,
    queryFn: () => answer(builder.GET("/builder/v1/workflows/node-types")),
    select: selectTypes,
  });
}

function selectTypes({ data }: { data: NodeType[] }): Map<string, NodeType> {
  return new Map(data.map((type) => [type.type, type]));
}

function readWorkflow({ graph, problems, ...head }: Workflow, etag: string): Stored {
  return {
    head,
    etag,
    graph: { nodes: graph.nodes ?? [], connections: graph.connections ?? [], notes: graph.notes ?? [] },
    problems: problems.map((problem) =>
      "severity" in problem ? problem : { ...problem, severity: "warning", nodeId: null, field: null },
    ),
  };
}

export async function loadWorkflow(id: string, types: ReadonlyMap<string, NodeType>): Promise<Stored> {
  const { data, error, response } = await builder.GET("/builder/v1/workflows/{id}", { params: { path: { id } } });
  if (data === undefined) throw readError(response.status, response.headers.get("x-request-id"), error);
  const stored = readWorkflow(data.data, response.headers.get("etag") ?? "");
  return { ...stored, graph: await placeNodes(stored.graph, types) };
}

/** Saves the draft if it is still the version of the ETag. Otherwise the answer has what is stored. */
export async function saveWorkflow(id: string, etag: string, body: { name?: string; graph?: Graph }): Promise<Saved> {
  const { data, error, response } = await builder.PATCH("/builder/v1/workflows/{id}", {
    params: { path: { id }, header: { "If-Match": etag } },
    body,
  });
  if (data !== undefined) {
    return { kind: "saved", stored: readWorkflow(data.data, response.headers.get("etag") ?? "") };
  }
  const details = error?.error?.details as { current?: Workflow; etag?: string } | undefined;
  if (response.status === 412 && details?.current !== undefined) {
    return { kind: "stale", stored: readWorkflow(details.current, response.headers.get("etag") ?? details.etag ?? "") };
  }
  throw readError(response.status, response.headers.get("x-request-id"), error);
}

export async function validateWorkflow(id: string): Promise<Problem[]> {
  const { data } = await answer(builder.POST("/builder/v1/workflows/{id}/validate", { params: { path: { id } } }));
  return data.problems;
}

export function publishWorkflow(id: string, notes: string) {
  return answer(
    builder.POST("/builder/v1/workflows/{id}/publish", {
      params: { path: { id } },
      body: { notes: notes || null },
    }),
  );
}

/** The key makes a repetition after a lost answer harmless. */
export function startRun(id: string, input: unknown, idempotencyKey: string) {
  return answer(
    builder.POST("/builder/v1/workflows/{id}/runs", {
      params: { path: { id } },
      body: { input, idempotencyKey },
    }),
  );
}

export function tryDraft(id: string, input: unknown, { trigger, until, pinned }: Plan) {
  const outputs = [...pinned].map(([nodeId, { port, value }]) => [nodeId, { port, output: value }] as const);
  return answer(
    builder.POST("/builder/v1/workflows/{id}/preview", {
      params: { path: { id } },
      body: { input, trigger, until, pinned: Object.fromEntries(outputs) },
    }),
  );
}

/** What a field of a configuration can refer to, as values and names. */
export type Reference = "chat" | "embeddings" | "guard" | "images" | "agent" | "workflow" | "credential";

export function useReferences(kind: Reference, workflowId: string) {
  return useQuery({
    queryKey: ["editor-references", kind, kind === "credential" ? workflowId : ""],
    queryFn: () => loadReferences(kind, workflowId),
  });
}

const inPages = (page: number) => ({ page, perPage: 100 });

async function loadReferences(kind: Reference, workflowId: string): Promise<(readonly [id: string, name: string, type?: CredentialType])[]> {
  switch (kind) {
    case "agent": {
      const agents = await allPages((page) => answer(builder.GET("/builder/v1/agents", { params: { query: { ...inPages(page), ownership: "all" } } })));
      return agents.map((agent) => [agent.id, agent.name] as const);
    }
    case "workflow": {
      const workflows = await allPages((page) => answer(builder.GET("/builder/v1/workflows", { params: { query: { ...inPages(page), ownership: "all" } } })));
      return workflows.filter(({ id }) => id !== workflowId).map((workflow) => [workflow.id, workflow.name] as const);
    }
    case "credential": {
      const { data } = await answer(
        builder.GET("/builder/v1/workflows/{id}/webhook-credentials/outbound", { params: { path: { id: workflowId } } }),
      );
      return data.map((credential) => [credential.id, credential.name, credential.type] as const);
    }
    default: {
      const models = await allPages((page) => answer(builder.GET("/builder/v1/models", { params: { query: inPages(page) } })));
      return models.filter((model) => model.capabilities.includes(kind)).map((model) => [model.name, model.displayName] as const);
    }
  }
}
