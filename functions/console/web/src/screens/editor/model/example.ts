import type { Graph } from "./types";

interface InputSchema {
  type?: string | string[];
  properties?: Record<string, InputSchema>;
  items?: InputSchema;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  example?: unknown;
  examples?: unknown[];
}

/** An input that the node `input` accepts: its example, or one made from its schema. */
export function exampleInput(graph: Graph): unknown {
  const trigger = graph.nodes.find((node) => node.type === "input");
  const config = trigger?.config ?? {};
  if (config["example"] !== undefined) return config["example"];
  return config["schema"] === undefined ? {} : fromSchema(config["schema"] as InputSchema);
}

function fromSchema(schema: InputSchema): unknown {
  const given = schema.example ?? schema.examples?.[0] ?? schema.default ?? schema.const ?? schema.enum?.[0];
  if (given !== undefined) return given;
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case "string":
      return "";
    case "integer":
    case "number":
      return 0;
    case "boolean":
      return false;
    case "array":
      return schema.items === undefined ? [] : [fromSchema(schema.items)];
    case "null":
      return null;
    default:
      return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, property]) => [name, fromSchema(property)]));
  }
}
