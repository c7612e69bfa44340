import type { WorkflowState } from "../../api/types";
import { useTexts } from "../../i18n";
import { NothingMatches } from "../../lists/FilterFields";
import { isFiltered, type ListFilters } from "../../lists/filters";
import { Button } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { Pages } from "../../ui/Pages";
import { useWorkflows } from "./queries";
import { WorkflowsTable } from "./WorkflowsTable";

interface ListProps {
  filters: ListFilters<WorkflowState, "updatedAt" | "createdAt" | "name">;
  onOpen: (what: "template" | "assistant") => void;
  onImport: () => void;
}

export function List({ filters, onOpen, onImport }: ListProps) {
  const { t } = useTexts();
  const workflows = useWorkflows(filters);
  const empty = isFiltered(filters) ? (
    <NothingMatches title={t.workflows.empty} />
  ) : (
    <EmptyState title={t.workflows.none}>
      <p>{t.workflows.noneText}</p>
      <div className="actions">
        <Button onClick={() => onOpen("assistant")}>{t.assistants.studio}</Button>
        <Button onClick={onImport}>{t.workflows.import}</Button>
        <Button kind="primary" onClick={() => onOpen("template")}>{t.workflows.fromTemplate}</Button>
      </div>
    </EmptyState>
  );
  return (
    <Pages query={workflows} lines={8} empty={empty}>
      {(rows) => <WorkflowsTable workflows={rows} />}
    </Pages>
  );
}
