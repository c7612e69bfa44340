import type { WorkflowDetail } from "../../api/types";
import { useTexts } from "../../i18n";
import { replaceQuery } from "../../router/history";
import { Button } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { ErrorState } from "../../ui/ErrorState";
import { Skeleton } from "../../ui/Loading";
import { Select } from "../../ui/Select";
import { RunFilterFields } from "../runs/RunFilterFields";
import { RunsTable } from "../runs/RunsTable";
import { readFilters, type RunFilters } from "./filters";
import { useReleases, useRunsOfWorkflow } from "./queries";

/** The runs of the workflow, newest first. */
export function Runs({ workflow, query }: { workflow: WorkflowDetail; query: URLSearchParams }) {
  const { t } = useTexts();
  const filters = readFilters(query);
  const releases = useReleases(workflow.id).data?.pages.flatMap((page) => page.data) ?? [];
  const options = releases.map(({ id, number }) => [id, t.runs.release(number)] as const);
  // The filter of a release that is not among the latest stays visible.
  const isListed = filters.release === "" || options.some(([id]) => id === filters.release);
  return (
    <>
      <RunFilterFields filters={filters}>
        <Select
          label={t.workflows.release}
          value={filters.release}
          options={[["", t.workflow.allReleases], ...options, ...(isListed ? [] : [[filters.release, filters.release] as const])]}
          onChange={(release) => replaceQuery({ release })}
        />
      </RunFilterFields>
      <List workflow={workflow} filters={filters} />
    </>
  );
}

function List({ workflow, filters }: { workflow: WorkflowDetail; filters: RunFilters }) {
  const { t } = useTexts();
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useRunsOfWorkflow(workflow.id, filters);
  if (data === undefined) {
    return error === null ? <Skeleton lines={8} /> : <ErrorState error={error} onRetry={() => void refetch()} />;
  }
  const runs = data.pages.flatMap((page) => page.data);
  const isFiltered = Object.values(filters).some(Boolean);
  const unpublished = workflow.activeRelease === null;
  return (
    <>
      {runs.length > 0 && <RunsTable runs={runs} workflowName={workflow.name} isOfOne />}
      {runs.length === 0 && hasNextPage && <p className="muted">{t.runs.searchedMore}</p>}
      {runs.length === 0 && !hasNextPage && (
        <EmptyState title={isFiltered ? t.runs.empty : t.runs.none}>
          <p>{isFiltered ? t.runs.emptyText : unpublished ? t.workflow.publishFirst : t.runs.noneText}</p>
          {isFiltered && (
            <Button onClick={() => replaceQuery({ state: "", origin: "", release: "", from: "", to: "" })}>{t.runs.clear}</Button>
          )}
        </EmptyState>
      )}
      {error !== null && <ErrorState error={error} onRetry={() => void fetchNextPage()} />}
      {hasNextPage && error === null && (
        <div className="more">
          <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {isFetchingNextPage ? t.loading : t.more}
          </Button>
        </div>
      )}
    </>
  );
}
