import { useContext } from "react";
import { useTexts } from "../../i18n";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { WithCode } from "../../ui/WithCode";
import { AuthFields } from "./AuthFields";
import { findStored, isAbout, type Stored } from "./edits";
import { FormContext, SelectField, TextField } from "./fields";
import type { McpTool } from "./pins";

const policies = ["fail", "retry", "ask"] as const satisfies readonly McpTool["onUncertain"][];

interface McpToolFieldsProps {
  tool: McpTool;
  path: string;
  stored: Stored;
  canEdit: boolean;
  onChange: (tool: McpTool) => void;
  /** Opens the list of the tools that the server has. */
  onList: () => void;
}

/** The fields of an MCP server as a tool: where it is, who calls, and which of its tools the agent may call. */
export function McpToolFields({ tool, path, stored, canEdit, onChange, onList }: McpToolFieldsProps) {
  const { t } = useTexts();
  const { problems } = useContext(FormContext);
  const saved = findStored(stored.agent, tool);
  // The platform asks the server as the agent is saved.
  const canList = saved?.url === tool.url;
  const problem = problems.get(`${path}.tools`);
  return (
    <>
      <TextField path={`${path}.name`} label={t.agents.name} hint={t.agents.serverName(tool.name || "crm")} mono value={tool.name} example="crm" onChange={(name) => onChange({ ...tool, name })} />
      <TextField path={`${path}.url`} label={t.agents.serverUrl} hint={t.agents.serverUrlHint} mono value={tool.url} example="https://example.com/mcp" onChange={(url) => onChange({ ...tool, url })} />
      <AuthFields tool={tool} path={path} stored={stored} canEdit={canEdit} onChange={(changed) => onChange(changed as McpTool)} />
      <SelectField
        path={`${path}.onUncertain`}
        label={t.editor.fields.onUncertain}
        hint={t.agents.uncertainHint}
        value={tool.onUncertain ?? "fail"}
        options={policies.map((policy) => [policy, t.editor.options[policy]] as const)}
        onChange={(onUncertain) => onChange({ ...tool, onUncertain })}
      />
      <div className="field" role="group" aria-label={t.agents.allowedTools}>
        <p className="label">{t.agents.allowedTools}</p>
        {(tool.tools ?? []).length === 0 ? <p className="muted">{t.agents.noneAllowed}</p> : <AllowedTools tool={tool} stored={stored} />}
        {problem && <p className="field-problem"><WithCode text={problem} /></p>}
        {canEdit && (canList ? <Button className="add" onClick={onList}>{t.agents.listTools}…</Button> : <p className="hint">{t.agents.listLater}</p>)}
      </div>
    </>
  );
}

/** The pinned tools. The platform reports those that the server has changed or removed. */
function AllowedTools({ tool, stored }: { tool: McpTool; stored: Stored }) {
  const { t } = useTexts();
  const stateOf = (name: string) => {
    const problem = stored.agent.problems.find((problem) => isAbout(problem, tool, name));
    return problem?.code === "mcp_tool_gone" ? "gone" : problem?.code === "mcp_tool_changed" ? "changed" : null;
  };
  return (
    <ul className="chips">
      {(tool.tools ?? []).map(({ name }) => {
        const state = stateOf(name);
        return (
          <li key={name}>
            <code>{name}</code>
            {state !== null && <Badge tone="warn">{t.agents.pinStates[state]}</Badge>}
          </li>
        );
      })}
    </ul>
  );
}
