import type { ExpressionLanguage } from "../expression/tokens";
import type { Category, Config, GraphNode } from "../model/types";
import type { Reference } from "../queries";

/** The part of JSON Schema that the catalogue of node types uses. */
export interface Schema {
  /** A list only for an expression, which is a string or `{"js": "…"}`. */
  type?: string | string[];
  title?: string;
  enum?: string[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  oneOf?: Schema[];
  description?: string;
  default?: unknown;
  example?: unknown;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  "x-language"?: ExpressionLanguage;
  /** In the form of an operation of a service: the language in which the parameter can be an expression. */
  "x-expression"?: ExpressionLanguage;
  /** Whether a text can have several lines. The console adds it to the forms of operations. */
  "x-lines"?: boolean;
}

export type FieldKind =
  | "expression" | "choice" | "text" | "long-text" | "number" | "boolean" | "map" | "object" | "list" | "variant" | "json";

const LONG = 1000;
const TEXTS: readonly FieldKind[] = ["expression", "text", "long-text"];

export function kindOf(schema: Schema): FieldKind {
  if (schema.oneOf !== undefined) return "variant";
  if (schema["x-language"] !== undefined) return "expression";
  switch (schema.type) {
    case "string":
      if (schema.enum !== undefined) return "choice";
      return (schema.maxLength ?? 0) > LONG ? "long-text" : "text";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "array":
      return schema.items === undefined ? "json" : "list";
    case "object":
      if (schema.properties !== undefined) return "object";
      return typeof schema.additionalProperties === "object" && TEXTS.includes(kindOf(schema.additionalProperties)) ? "map" : "json";
    default:
      return "json";
  }
}

/** The fields that few nodes need. They are folded. */
const rare = new Set(["onError", "retry", "timeoutMs", "onUncertain", "redact", "schemaHash"]);
export const isRare = (name: string) => rare.has(name);

/** What a field of a node type names, so that it can be chosen from a list. */
export function referenceOf(node: GraphNode, field: string): Reference | null {
  switch (field) {
    case "config.agentId":
      return "agent";
    case "config.workflowId":
      return "workflow";
    case "config.credentialId":
      return "credential";
    case "config.preset":
      return "images";
    case "config.model":
      if (node.type === "guard") return "guard";
      return node.type === "embeddings" || node.type === "retrieval" ? "embeddings" : "chat";
    default:
      return null;
  }
}

/** The value of a new item of a list, or of a chosen variant. */
export function initialValue(schema: Schema): unknown {
  switch (kindOf(schema)) {
    case "object": {
      const value: Config = {};
      for (const name of schema.required ?? []) {
        const property = schema.properties?.[name];
        if (property !== undefined) value[name] = initialValue(property);
      }
      return value;
    }
    case "variant":
      return initialValue(schema.oneOf?.[0] ?? {});
    case "choice":
      return schema.enum?.[0] ?? "";
    case "map":
      return {};
    case "list":
      return [];
    case "boolean":
      return false;
    case "number":
      return schema.minimum ?? 0;
    case "json":
      return schema.type === "array" ? [] : schema.type === "object" ? {} : null;
    default:
      return "";
  }
}

/** The name of a variant: the only value of its `type`. */
export const variantName = (schema: Schema): string => schema.properties?.["type"]?.enum?.[0] ?? "";

export const categories: readonly Category[] = ["trigger", "ai", "logic", "data", "integration", "people", "output"];
