import type { AgentTool } from "../../api/types";
import { useTexts } from "../../i18n";
import type { CalledTool, Stored } from "./edits";
import { SelectField } from "./fields";
import { ToolCredentialState } from "./ToolCredentialState";

const auths = ["none", "bearer", "basic", "header", "query", "oauth2_client_credentials"] as const;

interface AuthFieldsProps {
  tool: CalledTool;
  path: string;
  stored: Stored;
  canEdit: boolean;
  onChange: (tool: AgentTool) => void;
}

/** How a tool proves to another system who calls, and whether its secret is stored. */
export function AuthFields({ tool, path, stored, canEdit, onChange }: AuthFieldsProps) {
  const { t } = useTexts();
  return (
    <>
      <SelectField path={`${path}.auth`} label={t.agents.auth} value={tool.auth ?? "none"} options={auths.map((auth) => [auth, t.agents.auths[auth]] as const)} onChange={(auth) => onChange({ ...tool, auth })} />
      {tool.auth !== undefined && tool.auth !== "none" && <ToolCredentialState stored={stored} tool={tool} canEdit={canEdit} />}
    </>
  );
}
