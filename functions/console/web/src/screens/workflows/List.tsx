import { useTexts } from "../../i18n";
import { replaceQuery } from "../../router/history";
import { Button } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { ErrorState } from "../../ui/ErrorState";
import { Skeleton } from "../../ui/Loading";
import { useWorkflows, type WorkflowFilters } from "./queries";
import { WorkflowsTable } from "./WorkflowsTable";

interface ListProps {
  filters: WorkflowFilters;
  onChooseTemplate: () => void;
  onImport: () => void;
}

export function List({ filters, onChooseTemplate, onImport }: ListProps) {
  const { t, format } = useTexts();
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useWorkflows(filters);
  if (data === undefined) {
    return error === null ? <Skeleton lines={8} /> : <ErrorState error={error} onRetry={() => void refetch()} />;
  }
  const workflows = data.pages.flatMap((page) => page.data);
  if (workflows.length === 0 && (filters.search || filters.state || filters.ownership !== "all")) {
    return (
      <EmptyState title={t.workflows.empty}>
        <p>{t.runs.emptyText}</p>
        <Button onClick={() => replaceQuery({ search: "", state: "", ownership: "" })}>{t.runs.clear}</Button>
      </EmptyState>
    );
  }
  if (workflows.length === 0) {
    return (
      <EmptyState title={t.workflows.none}>
        <p>{t.workflows.noneText}</p>
        <div className="actions">
          <Button onClick={onImport}>{t.workflows.import}</Button>
          <Button kind="primary" onClick={onChooseTemplate}>{t.workflows.fromTemplate}</Button>
        </div>
      </EmptyState>
    );
  }
  const total = data.pages.at(-1)?.meta.total ?? workflows.length;
  return (
    <>
      <WorkflowsTable workflows={workflows} />
      {error !== null && <ErrorState error={error} onRetry={() => void fetchNextPage()} />}
      <div className="more">
        <span>{t.total(format.number(total))}</span>
        {hasNextPage && (
          <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {isFetchingNextPage ? t.loading : t.more}
          </Button>
        )}
      </div>
    </>
  );
}
