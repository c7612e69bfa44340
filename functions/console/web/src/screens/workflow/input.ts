import type { WorkflowDetail } from "../../api/types";

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);

/** The input to begin with: the example of the trigger, or one made from its schema. */
export function suggestInput({ graph }: WorkflowDetail): string {
  const trigger = graph.nodes?.find((node) => node.type === "input");
  const config = isObject(trigger?.config) ? trigger.config : {};
  const suggested = config["example"] ?? (isObject(config["schema"]) ? exampleOf(config["schema"], 0) : {});
  return JSON.stringify(suggested, null, 2);
}

/** A value of the schema. Optional properties are included, so that the person sees them. */
function exampleOf(schema: unknown, depth: number): unknown {
  if (!isObject(schema) || depth > 6) return null;
  if ("const" in schema) return schema["const"];
  if ("default" in schema) return schema["default"];
  if (Array.isArray(schema["examples"]) && schema["examples"].length > 0) return schema["examples"][0];
  if (Array.isArray(schema["enum"]) && schema["enum"].length > 0) return schema["enum"][0];
  const type = Array.isArray(schema["type"]) ? schema["type"][0] : schema["type"];
  switch (type) {
    case "string":
      return "";
    case "number":
    case "integer":
      return typeof schema["minimum"] === "number" ? schema["minimum"] : 0;
    case "boolean":
      return false;
    case "array":
      return "items" in schema ? [exampleOf(schema["items"], depth + 1)] : [];
    case "null":
      return null;
    default: {
      const properties = isObject(schema["properties"]) ? schema["properties"] : {};
      return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, exampleOf(value, depth + 1)]));
    }
  }
}

/** The body of an example call of a webhook. */
export function suggestBody(workflow: WorkflowDetail): string {
  return JSON.stringify(JSON.parse(suggestInput(workflow)));
}
