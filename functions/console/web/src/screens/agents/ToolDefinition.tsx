import { useMemo } from "react";
import type { McpServerTool } from "../../api/types";
import { Changes } from "../../graph/Changes";
import { useTexts } from "../../i18n";
import { showHidden, showHiddenIn } from "../../values/hidden";
import { showValue } from "../../values/text";
import { ValueView } from "../../values/ValueView";
import { definitionOf, findDefinition } from "./definitions";

interface ToolDefinitionProps {
  tool: McpServerTool;
  /** The hash of what was allowed, if the server has changed it since. */
  before: string | null;
}

/** What a server says about a tool, as text, and what it has changed. */
export function ToolDefinition({ tool, before }: ToolDefinitionProps) {
  const { t } = useTexts();
  const allowed = useMemo(() => (before === null ? null : findDefinition(before)), [before]);
  return (
    <div className="tool-definition">
      {before !== null && <p className="notice">{allowed === null ? t.agents.changedUnknown : t.agents.changedText}</p>}
      {allowed !== null && <Changes field="" before={showHiddenIn(allowed)} after={showHiddenIn(definitionOf(tool))} />}
      {tool.description && <p className="words" translate="no">{showHidden(tool.description)}</p>}
      <ValueView name={t.agents.argumentsSchema} value={showHidden(showValue(tool.inputSchema))} />
      {tool.outputSchema !== null && tool.outputSchema !== undefined && (
        <ValueView name={t.agents.resultSchema} value={showHidden(showValue(tool.outputSchema))} />
      )}
    </div>
  );
}
