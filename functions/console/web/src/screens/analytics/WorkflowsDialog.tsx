import { useState } from "react";
import type { RunSummary } from "../../api/types";
import { useTexts } from "../../i18n";
import { replaceQuery } from "../../router/history";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { RelativeTime } from "../../ui/RelativeTime";
import { SearchField } from "../../ui/SearchField";
import { MOST_WORKFLOWS } from "./filters";

interface WorkflowsDialogProps {
  workflows: readonly RunSummary[];
  chosen: readonly string[];
  onClose: () => void;
}

/** Chooses the workflows of the analytics. */
export function WorkflowsDialog({ workflows, chosen: before, onClose }: WorkflowsDialogProps) {
  const { t, language } = useTexts();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(before));
  const [search, setSearch] = useState("");
  const wanted = search.toLocaleLowerCase(language);
  const shown = workflows.filter(({ name }) => name.toLocaleLowerCase(language).includes(wanted));
  const isFull = chosen.size >= MOST_WORKFLOWS;
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  return (
    <Dialog title={t.analytics.choose} onClose={onClose}>
      <SearchField value={search} onSearch={setSearch} />
      <div className="people" role="group" aria-label={t.analytics.workflows}>
        {shown.length === 0 && <p className="muted">{t.workflows.empty}</p>}
        {shown.map(({ workflowId, name, lastFinishedAt }) => (
          <label key={workflowId} className="check">
            <input
              type="checkbox"
              checked={chosen.has(workflowId)}
              disabled={isFull && !chosen.has(workflowId)}
              onChange={() => toggle(workflowId)}
            />
            <span translate="no">{name}</span> <span className="sub muted"><RelativeTime time={lastFinishedAt} /></span>
          </label>
        ))}
      </div>
      <p className="muted" role="status">{chosen.size > 0 ? t.analytics.chosen(chosen.size) : t.analytics.allOnes}. {t.analytics.limit(MOST_WORKFLOWS)}</p>
      <footer>
        <Button onClick={onClose}>{t.cancel}</Button>
        <Button
          kind="primary"
          onClick={() => {
            replaceQuery({ workflows: [...chosen].join(",") });
            onClose();
          }}
        >
          {t.analytics.apply}
        </Button>
      </footer>
    </Dialog>
  );
}
