import { useContext, useState } from "react";
import type { AgentTool } from "../../api/types";
import { useTexts } from "../../i18n";
import { Link } from "../../router/Link";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Menu } from "../../ui/Menu";
import { readJson, writeJson } from "../../values/json";
import { AuthFields } from "./AuthFields";
import { McpToolFields } from "./McpToolFields";
import { ReferenceDialog } from "./ReferenceDialog";
import { findStored, type Stored } from "./edits";
import { FormContext, ParsedField, SelectField, TextField } from "./fields";
import { ServerDialog } from "./ServerDialog";

const kinds = ["http", "mcp", "workflow", "agent", "function"] as const satisfies readonly AgentTool["type"][];
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

interface ToolListProps {
  stored: Stored;
  tools: AgentTool[];
  canEdit: boolean;
  /** The name of the MCP server whose tools are listed, which is in the address. */
  listed: string | null;
  onList: (name: string | null) => void;
  onChange: (tools: AgentTool[]) => void;
}

/** The tools of an agent, each with the fields of its type. */
export function ToolList({ stored, tools, canEdit, listed, onList, onChange }: ToolListProps) {
  const { t } = useTexts();
  const { problems } = useContext(FormContext);
  const [picks, setPicks] = useState<{ kind: "workflow" | "agent"; index: number } | null>(null);
  const [added, setAdded] = useState<number | null>(null);
  const add = (tool: AgentTool) => {
    setAdded(tools.length);
    onChange([...tools, tool]);
  };
  const choose = (id: string) => {
    if (picks === null) return;
    const before = tools[picks.index];
    const description = (before !== undefined && "description" in before && before.description) || "";
    const tool: AgentTool = picks.kind === "workflow" ? { type: "workflow", workflowId: id, description } : { type: "agent", agentId: id, description };
    if (picks.index < tools.length) onChange(tools.with(picks.index, tool));
    else add(tool);
  };
  const start = (kind: AgentTool["type"]) => {
    if (kind === "http") return add({ type: "http", name: "", description: "", method: "GET", url: "", headers: {}, parameters: {}, auth: "none" });
    if (kind === "mcp") return add({ type: "mcp", name: "", url: "", auth: "none", tools: [], onUncertain: "fail" });
    if (kind === "function") return add({ type: "function", name: "", description: "", parameters: {} });
    setPicks({ kind, index: tools.length });
  };
  const server = listed === null ? undefined : tools.find((tool) => tool.type === "mcp" && tool.name === listed);
  return (
    <>
      {tools.length === 0 && <p className="muted">{t.agents.noTools}</p>}
      {tools.map((tool, index) => {
        const path = `config.tools[${index}]`;
        const isWrong = [...problems.keys()].some((field) => field.startsWith(path));
        return (
          <details key={index} className="list-item" open={isWrong || index === added}>
            <summary><ToolTitle tool={tool} />{isWrong && <Badge tone="warn">{t.states.needs_attention}</Badge>}</summary>
            {problems.has(path) && <p className="field-problem">{problems.get(path)}</p>}
            <ToolFields tool={tool} path={path} stored={stored} canEdit={canEdit} onChange={(tool) => onChange(tools.with(index, tool))} onPick={(kind) => setPicks({ kind, index })} onList={() => onList("name" in tool ? tool.name : null)} />
            {canEdit && <Button kind="danger" className="add" onClick={() => onChange(tools.toSpliced(index, 1))}>{t.agents.removeTool}</Button>}
          </details>
        );
      })}
      {canEdit && tools.length < 32 && (
        <Menu label={t.agents.addTool} button={<span>+ {t.agents.addTool}</span>} className="add-menu">
          {(close) =>
            kinds.map((kind) => (
              <button key={kind} type="button" onClick={() => { close(); start(kind); }}>
                {t.agents.toolKinds[kind]}
                <span className="sub">{t.agents.toolTexts[kind]}</span>
              </button>
            ))
          }
        </Menu>
      )}
      {canEdit && server?.type === "mcp" && findStored(stored.agent, server) !== undefined && (
        <ServerDialog
          agent={stored.agent}
          tool={server}
          onApply={(allowed) => onChange(tools.map((tool) => (tool === server ? { ...server, tools: allowed } : tool)))}
          onClose={() => onList(null)}
        />
      )}
      {picks !== null && (
        <ReferenceDialog kind={picks.kind} excluded={[stored.agent.id]} onChoose={choose} onClose={() => setPicks(null)} />
      )}
    </>
  );
}

function ToolTitle({ tool }: { tool: AgentTool }) {
  const { t } = useTexts();
  const { nameOf } = useContext(FormContext);
  const name =
    tool.type === "workflow" ? nameOf(tool.workflowId)
    : tool.type === "agent" ? nameOf(tool.agentId)
    : tool.name || t.agents.unnamed;
  return <><strong translate="no">{name}</strong> <span className="sub">{t.agents.toolKinds[tool.type]}</span></>;
}

interface ToolFieldsProps {
  tool: AgentTool;
  path: string;
  stored: Stored;
  canEdit: boolean;
  onChange: (tool: AgentTool) => void;
  onPick: (kind: "workflow" | "agent") => void;
  onList: () => void;
}

function ToolFields({ tool, path, stored, canEdit, onChange, onPick, onList }: ToolFieldsProps) {
  const { t } = useTexts();
  if (tool.type === "mcp") return <McpToolFields tool={tool} path={path} stored={stored} canEdit={canEdit} onChange={onChange} onList={onList} />;
  const description = (
    <TextField path={`${path}.description`} label={t.agents.description} hint={t.agents.toolDescription} lines={2} value={tool.description ?? ""} onChange={(description) => onChange({ ...tool, description })} />
  );
  const parameters = "name" in tool && (
    <ParsedField
      path={`${path}.parameters`}
      label={t.agents.parameters}
      hint={tool.type === "http" ? t.agents.parametersHttp : t.agents.parametersFunction}
      lines={2}
      value={tool.parameters}
      write={(value) => (Object.keys((value as object | undefined) ?? {}).length === 0 ? "" : writeJson(value))}
      read={readObject}
      unreadable={t.agents.notJson}
      example={'{"type": "object", "properties": {}}'}
      onChange={(parameters) => onChange({ ...tool, parameters: parameters as Record<string, unknown> })}
    />
  );
  const name = "name" in tool && (
    <TextField path={`${path}.name`} label={t.agents.name} hint={t.agents.toolName} mono value={tool.name} example="find_order" onChange={(name) => onChange({ ...tool, name })} />
  );
  switch (tool.type) {
    case "function":
      return <>{name}{description}{parameters}</>;
    case "workflow":
    case "agent":
      return (
        <>
          <div className="reference">
            {tool.type === "workflow" ? (
              <Link to="workflow" params={{ workflowId: tool.workflowId }}>{t.agents.openWorkflow}</Link>
            ) : (
              <Link to="agent" params={{ agentId: tool.agentId }}>{t.agents.openAgent}</Link>
            )}
            {canEdit && <Button onClick={() => onPick(tool.type)}>{t.agents.chooseOther}…</Button>}
          </div>
          {description}
        </>
      );
    case "http":
      return (
        <>
          {name}
          {description}
          <div className="field-row">
            <SelectField path={`${path}.method`} label={t.agents.method} value={tool.method} options={methods.map((method) => [method, method] as const)} onChange={(method) => onChange({ ...tool, method })} />
            <TextField path={`${path}.url`} label={t.agents.url} mono value={tool.url} example="https://api.example.com/orders/{order}" onChange={(url) => onChange({ ...tool, url })} />
          </div>
          <p className="hint">{t.agents.urlHint}</p>
          {parameters}
          <ParsedField
            path={`${path}.headers`}
            label={t.agents.headers}
            hint={t.agents.headersHint}
            lines={2}
            value={tool.headers}
            write={writeHeaders}
            read={readHeaders}
            unreadable={t.agents.notHeaders}
            example="Accept: application/json"
            onChange={(headers) => onChange({ ...tool, headers: headers as Record<string, string> })}
          />
          <AuthFields tool={tool} path={path} stored={stored} canEdit={canEdit} onChange={onChange} />
        </>
      );
  }
}

function readObject(text: string) {
  const read = readJson(text);
  if (read === null || read.value === undefined) return read && { value: {} };
  return typeof read.value === "object" && read.value !== null && !Array.isArray(read.value) ? read : null;
}

const writeHeaders = (value: unknown) =>
  Object.entries((value as Record<string, string> | undefined) ?? {}).map(([name, text]) => `${name}: ${text}`).join("\n");

/** One header a line, as requests have them. */
function readHeaders(text: string) {
  const headers: Record<string, string> = {};
  for (const line of text.split("\n").filter((line) => line.trim() !== "")) {
    const [, name, value] = /^\s*([^\s:]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return null;
    headers[name] = value;
  }
  return { value: headers };
}
