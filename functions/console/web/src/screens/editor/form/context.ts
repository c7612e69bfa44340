import { createContext, useContext } from "react";
import type { CredentialType } from "../../../api/types";
import type { GraphNode, Problem } from "../model/types";

interface FormContext {
  workflowId: string;
  node: GraphNode;
  problems: readonly Problem[];
  canEdit: boolean;
  /** The types of credentials that can be chosen. All by default. */
  credentialTypes?: readonly CredentialType[];
}

export const FormContext = createContext<FormContext | null>(null);

export function useForm(): FormContext {
  const form = useContext(FormContext);
  if (form === null) throw new Error("useForm needs a form");
  return form;
}

/** The sentence without the node and the field, which the form shows anyway. */
export function shortMessage({ message, nodeId }: Problem): string {
  return nodeId === null ? message : message.replace(/^.*?: /s, "");
}
