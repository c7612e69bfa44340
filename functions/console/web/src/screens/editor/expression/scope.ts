import { hasEach, hasRounds, inputNames, leadsBack } from "../model/ports";
import type { Config, Connection, Graph, GraphNode, NodeType } from "../model/types";
import type { Path } from "./caret";

/** The part of JSON Schema that describes values. */
export interface ValueSchema {
  type?: string | string[];
  properties?: Record<string, ValueSchema>;
  items?: ValueSchema;
  enum?: unknown[];
  const?: unknown;
  description?: string;
  $ref?: string;
}

/** The values of the last try or run. */
export interface LastValues {
  outputs: ReadonlyMap<string, { value: unknown; port: string | null; source: Source }>;
}

export type Source = "pinned" | "preview" | "run";

/** What is known of a value: its schemas, and what it was last. */
export interface Place {
  schemas: readonly ValueSchema[];
  /** Undefined if it is not known. */
  value: unknown;
}

export interface Member {
  name: string;
  place: Place;
}

export type ValueType = "text" | "number" | "boolean" | "list" | "object" | "null" | "any";

/** What the expressions of a node see. */
export interface Scope {
  input: Place;
  /** The nodes that come before, nearest ones first. */
  nodes: ReadonlyMap<string, { node: GraphNode; output: Place }>;
  /** Whether `vars` has an element: in the body of a loop, and in a node with `each`. */
  isInLoop: boolean;
  item: Place;
  /** Where the values are from; null if there are none. */
  source: Source | null;
}

const ofType = (type: string): Place => ({ schemas: [{ type }], value: undefined });

const RUN: Place = {
  schemas: [{
    properties: { id: { type: "string" }, startedAt: { type: "string" }, scheduledAt: { type: ["string", "null"] }, origin: { type: "string" } },
  }],
  value: undefined,
};
/** The variable `loop` in the `{% for %}` of a template. */
const LOOP: Place = {
  schemas: [{
    properties: {
      index: { type: "integer" }, index0: { type: "integer" }, revindex: { type: "integer" }, revindex0: { type: "integer" },
      first: { type: "boolean" }, last: { type: "boolean" }, length: { type: "integer" }, previtem: {}, nextitem: {},
    },
  }],
  value: undefined,
};

const isBackEdge = ({ to }: Connection, types: ReadonlyMap<string, string>) => leadsBack(types.get(to.node), to.port);

function connectionsInto(connections: readonly Connection[]): Map<string, Connection[]> {
  const into = new Map<string, Connection[]>();
  for (const connection of connections) {
    const known = into.get(connection.to.node);
    if (known === undefined) into.set(connection.to.node, [connection]);
    else known.push(connection);
  }
  return into;
}

/** The loops around a node, the innermost first: those in whose bodies it is. */
export function loopsAround(graph: Graph, id: string): string[] {
  const bodies = graph.nodes
    .filter(({ type }) => type === "loop")
    .map((loop) => [loop.id, bodyOf(graph, loop.id)] as const)
    .filter(([, body]) => body.has(id));
  return bodies.sort(([, a], [, b]) => a.size - b.size).map(([loop]) => loop);
}

function bodyOf(graph: Graph, loop: string): Set<string> {
  const body = new Set<string>();
  const open = graph.connections.filter(({ from }) => from.node === loop && from.port === "item").map(({ to }) => to.node);
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === loop || body.has(id)) continue;
    body.add(id);
    for (const { from, to } of graph.connections) if (from.node === id) open.push(to.node);
  }
  return body;
}

/**
 * The nodes whose outputs a node can read, nearest ones first. The body of a loop is not among them after the loop,
 * nor the loop in its own body: it has no output yet.
 */
export function upstreamOf(graph: Graph, id: string): string[] {
  const types = new Map(graph.nodes.map((node) => [node.id, node.type]));
  const into = connectionsInto(graph.connections.filter((connection) => !isBackEdge(connection, types)));
  const found = new Set<string>();
  const open = [id];
  for (const next of open) {
    for (const { from } of into.get(next) ?? []) {
      if (found.has(from.node) || !types.has(from.node)) continue;
      found.add(from.node);
      open.push(from.node);
    }
  }
  const around = new Set(loopsAround(graph, id));
  return [...found].filter((before) => before !== id && !around.has(before));
}

const asSchemas = (schema: unknown): ValueSchema[] => (typeof schema === "object" && schema !== null ? [schema as ValueSchema] : []);

/** The types of the nodes that return their input as it is. */
const PASSING = new Set(["condition", "switch", "delay"]);

/** What the nodes of a graph return, as far as it is known. */
export class Outputs {
  private readonly byId: ReadonlyMap<string, GraphNode>;
  private readonly into: ReadonlyMap<string, Connection[]>;

  constructor(
    graph: Graph,
    private readonly types: ReadonlyMap<string, NodeType>,
    private readonly last: LastValues,
  ) {
    this.byId = new Map(graph.nodes.map((node) => [node.id, node]));
    this.into = connectionsInto(graph.connections);
  }

  output(node: GraphNode): Place {
    return { schemas: this.outputSchemas(node, new Set()), value: this.last.outputs.get(node.id)?.value };
  }

  /** One taken connection gives its value; several give a list. */
  input(node: GraphNode, item: Place): Place {
    const edges = this.edgesInto(node);
    if (edges.some(({ from }) => this.isItem(from))) return item;
    const taken = edges.filter(({ from }) => {
      const last = this.last.outputs.get(from.node);
      return last !== undefined && (last.port === null || last.port === from.port);
    });
    const values = taken.map(({ from }) => this.last.outputs.get(from.node)?.value);
    return { schemas: this.inputSchemas(node, new Set()), value: values.length > 1 ? values : values[0] };
  }

  private edgesInto(node: GraphNode): Connection[] {
    const port = inputNames(node, this.types.get(node.type))[0];
    return (this.into.get(node.id) ?? []).filter(({ to }) => node.type !== "loop" || to.port === port);
  }

  private isItem = ({ node, port }: Connection["from"]) => port === "item" && this.byId.get(node)?.type === "loop";

  private inputSchemas(node: GraphNode, seen: Set<string>): ValueSchema[] {
    const [edge, ...more] = this.edgesInto(node);
    const before = edge === undefined ? undefined : this.byId.get(edge.from.node);
    if (edge === undefined || before === undefined || this.isItem(edge.from)) return [];
    if (more.length > 0) return [{}];
    return this.outputSchemas(before, seen, edge.from.port);
  }

  private outputSchemas(node: GraphNode, seen: Set<string>, port?: string): ValueSchema[] {
    if (!hasEach(node) || port === this.types.get(node.type)?.errorOutput?.name) return this.schemasOfOne(node, seen, port);
    const results = PASSING.has(node.type) ? [{}] : this.schemasOfOne({ ...node, config: { ...node.config, onError: undefined } }, seen);
    return results.map((items) => ({ type: "array", items }));
  }

  /** The schemas of what a node returns in one execution. */
  private schemasOfOne(node: GraphNode, seen: Set<string>, port?: string): ValueSchema[] {
    const type = this.types.get(node.type);
    if (type === undefined || seen.has(node.id)) return [];
    seen.add(node.id);
    const error = type.errorOutput;
    const errors = error !== null && node.config?.["onError"] === "branch" && (port ?? error.name) === error.name ? asSchemas(error.schema) : [];
    if (error !== null && port === error.name) return errors;
    if (PASSING.has(node.type)) return [...this.inputSchemas(node, seen), ...errors];
    const ports = type.outputs.filter(({ name }) => port === undefined || name === port);
    return [...(configuredSchemas(node) ?? ports.flatMap(({ schema }) => asSchemas(schema))), ...errors];
  }
}

/** What the configuration says about the output. The catalogue has the output of the example instead. */
function configuredSchemas(node: GraphNode): ValueSchema[] | null {
  const { type, config = {} } = node;
  const fields = config?.["fields"];
  switch (type) {
    case "input":
      return [...asSchemas(config?.["schema"]), ...(config?.["example"] === undefined ? [] : [schemaOf(config["example"])])];
    case "loop":
      return hasRounds(node) ? [] : null;
    case "transform":
      if (typeof fields !== "object" || fields === null) return [];
      return [{ type: "object", properties: Object.fromEntries(Object.keys(fields).map((name) => [name, {}])) }];
    case "review": {
      const properties = Object.fromEntries((Array.isArray(fields) ? fields : []).flatMap((field: Config) => {
        const name = field["name"];
        return typeof name === "string" ? [[name, reviewField(field["type"])]] : [];
      }));
      const text: ValueSchema = { type: ["string", "null"] };
      return [{
        type: "object",
        properties: { decision: { type: "string" }, fields: { type: "object", properties }, comment: text, reviewer: text },
      }];
    }
    case "retrieval":
      return [{ type: "array", items: { type: "object", properties: { source: { type: "string" }, text: { type: "string" }, score: { type: "number" } } } }];
    default:
      return null;
  }
}

const reviewField = (type: unknown): ValueSchema => ({ type: type === "number" || type === "boolean" ? type : "string" });

/** A schema of a value: its fields, and those of the first element. */
function schemaOf(value: unknown): ValueSchema {
  if (Array.isArray(value)) return value.length === 0 ? { type: "array" } : { type: "array", items: schemaOf(value[0]) };
  if (typeof value !== "object" || value === null) return { type: value === null ? "null" : typeof value };
  return { type: "object", properties: Object.fromEntries(Object.entries(value).map(([name, field]) => [name, schemaOf(field)])) };
}

/** What the expressions of a node with `each` see for one element: all but the list itself. `item` is the element, if that is known. */
export function elementScopeOf(graph: Graph, types: ReadonlyMap<string, NodeType>, last: LastValues, node: GraphNode, item: unknown): Scope {
  const element: Place = { schemas: [], value: item };
  return { ...scopeOf(graph, types, last, node, item), input: element, item: element, isInLoop: true };
}

/** What the expressions of a node see. `item` is the element of the loop around it, if that is known. */
export function scopeOf(graph: Graph, types: ReadonlyMap<string, NodeType>, last: LastValues, node: GraphNode, item: unknown): Scope {
  const outputs = new Outputs(graph, types, last);
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  const nodes = new Map(upstreamOf(graph, node.id).flatMap((id) => {
    const before = byId.get(id);
    return before === undefined ? [] : [[id, { node: before, output: outputs.output(before) }] as const];
  }));
  const sources = [...last.outputs.values()].map(({ source }) => source);
  const itemPlace: Place = { schemas: [], value: item };
  return {
    input: outputs.input(node, itemPlace),
    nodes,
    isInLoop: loopsAround(graph, node.id).length > 0,
    item: itemPlace,
    source: sources.find((source) => source !== "pinned") ?? sources[0] ?? null,
  };
}

/** What is at a path; null if nothing is known about it. */
export function placeAt(scope: Scope, path: Path): Place | null {
  const [root, ...rest] = path;
  const steps = [...rest];
  let place: Place;
  switch (root) {
    case "input":
      place = scope.input;
      break;
    case "run":
      place = RUN;
      break;
    case "loop":
      place = LOOP;
      break;
    case "vars": {
      const name = steps.shift();
      if (name === "item") place = scope.item;
      else if (name === "index") place = ofType("integer");
      else return null;
      break;
    }
    case "nodes": {
      const [id, member] = [steps.shift(), steps.shift()];
      const node = scope.nodes.get(String(id));
      if (node === undefined || member !== "output") return null;
      place = node.output;
      break;
    }
    default:
      return null;
  }
  return steps.reduce<Place>((place, step) => descend(place, step), place);
}

function descend({ schemas, value }: Place, step: string | 0): Place {
  if (step === 0) {
    return { schemas: schemas.flatMap(({ items }) => items ?? []), value: Array.isArray(value) ? value[0] : undefined };
  }
  return { schemas: schemas.flatMap(({ properties }) => properties?.[step] ?? []), value: fieldsOf(value)[step] };
}

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

/** The fields of an object: those that it had last, and those of its schemas. */
export function membersOf(place: Place): Member[] {
  const names = new Set([...Object.keys(fieldsOf(place.value)), ...place.schemas.flatMap(({ properties = {} }) => Object.keys(properties))]);
  return [...names].map((name) => ({ name, place: descend(place, name) }));
}

const TYPES: Record<string, ValueType> = {
  string: "text", integer: "number", number: "number", boolean: "boolean", array: "list", object: "object", null: "null",
};

/** The type of a value, as it was last or by its schema. */
export function typeOf({ schemas, value }: Place): ValueType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  if (value !== undefined) return TYPES[typeof value] ?? "any";
  const found = new Set(schemas.flatMap((schema) => {
    if (schema.const !== undefined) return TYPES[typeof schema.const] ?? "any";
    if (schema.type === undefined) return schema.enum === undefined ? (schema.properties === undefined ? "any" : "object") : "text";
    return [schema.type].flat().filter((type) => type !== "null" || schema.type === "null").map((type) => TYPES[type] ?? "any");
  }));
  const [only] = found;
  return found.size === 1 && only !== undefined ? only : "any";
}

/** A value in a few characters. */
export function brief(value: unknown, most: number): string {
  if (typeof value === "string") return JSON.stringify(value.length > most ? `${value.slice(0, most)}…` : value);
  if (typeof value !== "object" || value === null) return String(value);
  const isList = Array.isArray(value);
  let text = "";
  for (const [key, item] of Object.entries(value)) {
    if (text.length >= most) return `${isList ? "[" : "{"}${text}, …${isList ? "]" : "}"}`;
    text += `${text === "" ? "" : ", "}${isList ? "" : `${key}: `}${brief(item, most - text.length)}`;
  }
  return isList ? `[${text}]` : `{${text}}`;
}
