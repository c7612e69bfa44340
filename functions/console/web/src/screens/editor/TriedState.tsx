import { useTexts } from "../../i18n";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { type Draft, useDraft } from "./draft";

const tones = { completed: "good", failed: "bad", waiting: "warn", timeout: "bad" } as const;

/** How the last try ended. */
export function TriedState({ draft, onShow }: { draft: Draft; onShow: (nodeId: string) => void }) {
  const { t } = useTexts();
  const tried = useDraft(draft, (state) => state.tried);
  const result = tried?.result;
  const error = result?.error ?? null;
  const failedAt = error?.nodeId ?? null;
  return (
    <div role="status" className="tried-place">
      {result !== undefined && (
        <div className="tried-state">
          <Badge tone={tones[result.state]}>{t.editor.tried[result.state]}</Badge>
          <span className="tried-text">{error === null ? t.editor.triedText : error.message}</span>
          {failedAt !== null && <Button kind="quiet" onClick={() => onShow(failedAt)}>{t.editor.showNode}</Button>}
          <button type="button" className="icon-button" aria-label={t.editor.hideResults} onClick={() => draft.hideTried()}>
            <svg viewBox="0 0 16 16" aria-hidden="true"><path d="m4 4 8 8M12 4l-8 8" /></svg>
          </button>
        </div>
      )}
    </div>
  );
}
