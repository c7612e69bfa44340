import type { ToolMark as Mark } from "../api/types";
import { useTexts } from "../i18n";

/** A small mark beside the name of what assistants can call. */
export function ToolMark({ tool }: { tool: Mark | undefined }) {
  const { t } = useTexts();
  if (!tool) return null;
  const meaning = t.assistants.offeredAs(tool.name);
  return (
    <span className="tool-mark" role="img" aria-label={meaning} title={meaning}>
      <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M5.5 2v3M10.5 2v3M3.5 5h9v2.5a4.5 4.5 0 0 1-9 0zM8 12v2.5" /></svg>
    </span>
  );
}
