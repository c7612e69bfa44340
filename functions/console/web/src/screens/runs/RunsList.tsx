import type { ReactNode } from "react";
import { useTexts } from "../../i18n";
import { replaceQuery } from "../../router/history";
import { Button } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { ErrorState } from "../../ui/ErrorState";
import { Skeleton } from "../../ui/Loading";
import { retryPages, ShowMore } from "../../ui/Pages";
import { isFiltered, noFilters, type RunFilters } from "./filters";
import { useRuns } from "./queries";
import { RunsTable } from "./RunsTable";

interface RunsListProps {
  filters: RunFilters;
  /** The name of the workflow, if the runs are of one. */
  name: string | undefined;
  /** What to do first, if there is no run at all. */
  children: ReactNode;
}

/** The runs that match the filters, page by page. */
export function RunsList({ filters, name, children }: RunsListProps) {
  const { t } = useTexts();
  const query = useRuns(filters);
  const { data, error, hasNextPage } = query;
  if (data === undefined) {
    return error === null ? <Skeleton lines={8} /> : <ErrorState error={error} onRetry={retryPages(query)} />;
  }
  const runs = data.pages.flatMap((page) => page.data);
  return (
    <>
      {runs.length > 0 && <RunsTable runs={runs} workflowName={name} isOfOne={filters.workflow !== ""} />}
      {runs.length === 0 && hasNextPage && <p className="muted">{t.runs.searchedMore}</p>}
      {runs.length === 0 && !hasNextPage && (
        isFiltered(filters) ? (
          <EmptyState title={t.runs.empty}>
            <p>{t.runs.emptyText}</p>
            <Button onClick={() => replaceQuery(noFilters)}>{t.runs.clear}</Button>
          </EmptyState>
        ) : (
          <EmptyState title={t.runs.none}>{children}</EmptyState>
        )
      )}
      {error !== null && <ErrorState error={error} onRetry={retryPages(query)} />}
      {hasNextPage && error === null && (
        <div className="more">
          <ShowMore query={query} />
        </div>
      )}
    </>
  );
}
