import type { RunError } from "../../api/types";
import { useTexts } from "../../i18n";

/** Why the run failed, and where. */
export function Failure({ error, names }: { error: RunError; names: Map<string, string> }) {
  const { t } = useTexts();
  return (
    <div className="error-state">
      <p className="sentence">{error.message}</p>
      <p className="facts">
        <span>{t.errors.code} <code>{error.code}</code></span>
        {error.nodeId !== null && (
          <span>{t.run.node} <strong>{names.get(error.nodeId) ?? error.nodeId}</strong></span>
        )}
      </p>
    </div>
  );
}
