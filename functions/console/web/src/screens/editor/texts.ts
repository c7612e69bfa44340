import { useTexts } from "../../i18n";
import type { GraphNode } from "./model/types";

/** The names of types, fields and options. What is not in the dictionary has the API's own name. */
export function useNames() {
  const { t } = useTexts();
  const types: Record<string, string> = t.editor.types;
  const fields: Record<string, string> = t.editor.fields;
  const options: Record<string, string> = t.editor.options;
  return {
    type: (type: string) => types[type] ?? type,
    field: (name: string) => fields[name] ?? name,
    option: (value: string) => options[value] ?? value,
    node: (node: GraphNode) => node.name || types[node.type] || node.id,
  };
}
