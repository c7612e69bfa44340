import { memo, useCallback, useDeferredValue, useEffect, useMemo, useState } from "react";
import type { AgentDetail, McpServer } from "../../api/types";
import { useTexts } from "../../i18n";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Loaded } from "../../ui/Loaded";
import { SearchField } from "../../ui/SearchField";
import { showHidden } from "../../values/hidden";
import { keepDefinitions } from "./definitions";
import { listTools, type ListedTool, type McpTool, MOST_PINS, type Pins, type PinState, readPins, searchTools, stateOf, writePins } from "./pins";
import { useServer } from "./queries";
import { ToolDefinition } from "./ToolDefinition";

interface ServerDialogProps {
  agent: AgentDetail;
  tool: McpTool;
  onApply: (tools: NonNullable<McpTool["tools"]>) => void;
  onClose: () => void;
}

/** The tools that an MCP server has now, of which the owner of the agent allows some. */
export function ServerDialog({ agent, tool, onApply, onClose }: ServerDialogProps) {
  const { t } = useTexts();
  const server = useServer(agent.id, tool.name);
  return (
    <Dialog title={t.agents.serverTitle(tool.name)} onClose={onClose} wide>
      <Loaded query={server} lines={6}>
        {(server) => <ServerTools server={server} tool={tool} isOwner={agent.access.role === "owner"} onApply={onApply} onClose={onClose} />}
      </Loaded>
      {/* While it loads, the focus is on the cross, which stays. */}
      {server.data === undefined && server.error !== null && <footer><Button onClick={onClose}>{t.close}</Button></footer>}
    </Dialog>
  );
}

interface ServerToolsProps extends Omit<ServerDialogProps, "agent"> {
  server: McpServer;
  isOwner: boolean;
}

function ServerTools({ server, tool, isOwner, onApply, onClose }: ServerToolsProps) {
  const { t, format } = useTexts();
  const [before] = useState(() => readPins(tool));
  const [pins, setPins] = useState(before);
  const [search, setSearch] = useState("");
  // Typing goes on while a long list is filtered.
  const shownSearch = useDeferredValue(search);
  // What is allowed meanwhile keeps its place.
  const all = useMemo(() => listTools(server.tools, before), [server.tools, before]);
  const shown = useMemo(() => searchTools(all, shownSearch), [all, shownSearch]);
  const pin = useCallback((name: string, hash: string | null) => {
    setPins((pins) => {
      const next = new Map(pins);
      if (hash === null) next.delete(name);
      else next.set(name, hash);
      return next;
    });
  }, []);
  // This browser can show later what the server changes.
  useEffect(() => keepDefinitions(allowedOf(server, before)), [server, before]);
  const isFull = pins.size >= MOST_PINS;
  const apply = () => {
    keepDefinitions(allowedOf(server, pins));
    onApply(writePins(pins));
    onClose();
  };
  return (
    <>
      <p className="muted">
        <strong translate="no">{showHidden(server.serverName)}</strong> {showHidden(server.serverVersion)} · MCP {server.protocolVersion}
      </p>
      <p>{t.agents.serverText}</p>
      {!isOwner && <p className="notice">{t.agents.ownerAllows}</p>}
      {all.length === 0 ? (
        <p className="muted">{t.agents.serverEmpty}</p>
      ) : (
        <>
          {all.length > 8 && <SearchField value={search} onSearch={setSearch} />}
          {isFull && isOwner && <p className="notice" role="status">{t.agents.fullPins(format.number(MOST_PINS))}</p>}
          <p className="muted" role="status">{t.agents.toolCount(format.number(shown.length), format.number(all.length), format.number(pins.size))}</p>
          <ul className="server-tools">
            {shown.map((listed) => (
              <ToolRow
                key={listed.name}
                listed={listed}
                state={stateOf(listed, pins)}
                pinned={pins.get(listed.name) ?? null}
                first={before.get(listed.name) ?? null}
                problem={listed.offered === null ? (server.problems.find(({ name }) => name === listed.name)?.message ?? null) : null}
                canPin={isOwner && (pins.has(listed.name) || (!isFull && listed.offered !== null))}
                onPin={pin}
              />
            ))}
          </ul>
        </>
      )}
      <Refused problems={server.problems.filter(({ name }) => !before.has(name))} />
      <footer>
        <Button onClick={onClose}>{isOwner ? t.cancel : t.close}</Button>
        {isOwner && <Button kind="primary" onClick={apply}>{t.agents.applyTools(format.number(pins.size))}</Button>}
      </footer>
    </>
  );
}

/** The tools that are allowed as the server describes them now. */
const allowedOf = ({ tools }: McpServer, pins: Pins) => tools.filter(({ name, schemaHash }) => pins.get(name) === schemaHash);

interface ToolRowProps {
  listed: ListedTool;
  state: PinState;
  /** The hash that is allowed now, and the one that was when the dialog opened. */
  pinned: string | null;
  first: string | null;
  /** Why the platform does not offer it. */
  problem: string | null;
  canPin: boolean;
  onPin: (name: string, hash: string | null) => void;
}

/** One tool. What the server says is only text here, and long texts and schemas are drawn when the row is opened. */
const ToolRow = memo(function ToolRow({ listed, state, pinned, first, problem, canPin, onPin }: ToolRowProps) {
  const { t } = useTexts();
  const { name, offered } = listed;
  const isOutdated = offered !== null && first !== null && first !== offered.schemaHash;
  const [isOpen, setIsOpen] = useState(isOutdated);
  const shownName = showHidden(name);
  return (
    <li className="server-tool">
      <input
        type="checkbox"
        aria-label={t.agents.allowTool(shownName)}
        checked={pinned !== null}
        // What is gone can only be removed.
        disabled={!canPin}
        onChange={(event) => onPin(name, event.target.checked ? (offered?.schemaHash ?? null) : null)}
      />
      <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary>
          <code translate="no">{shownName}</code>
          {(state === "changed" || (state === "gone" && pinned !== null)) && <Badge tone="warn">{t.agents.pinStates[state]}</Badge>}
          {isOutdated && state === "allowed" && <Badge tone="good">{t.agents.approved}</Badge>}
          <span className="sub clip" translate="no">{offered === null ? "" : showHidden(offered.title || offered.description || "")}</span>
        </summary>
        {isOpen && (
          <>
            {offered === null ? <p className="muted">{problem} {t.agents.goneTool}</p> : <ToolDefinition tool={offered} before={isOutdated ? first : null} />}
            {canPin && offered !== null && state === "changed" && (
              <Button
                kind="primary"
                onClick={(event) => {
                  // The button is gone once the change is approved.
                  event.currentTarget.closest("details")?.querySelector("summary")?.focus();
                  onPin(name, offered.schemaHash);
                }}
              >
                {t.agents.approve}
              </Button>
            )}
          </>
        )}
      </details>
    </li>
  );
});

/** The tools of the server that no agent can use. */
function Refused({ problems }: { problems: McpServer["problems"] }) {
  const { t, format } = useTexts();
  if (problems.length === 0) return null;
  return (
    <details className="refused-tools">
      <summary>{t.agents.refusedTools(format.number(problems.length))}</summary>
      <ul>
        {problems.map(({ name, message }, index) => (
          <li key={index}><code translate="no">{showHidden(name)}</code> <span className="muted">{showHidden(message)}</span></li>
        ))}
      </ul>
    </details>
  );
}
