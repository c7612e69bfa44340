import { useWorkflow } from "../../api/workflow";
import { useTexts } from "../../i18n";
import { replaceQuery } from "../../router/history";
import { Link } from "../../router/Link";
import { Button } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { ErrorState } from "../../ui/ErrorState";
import { Skeleton } from "../../ui/Loading";
import { PageTitle } from "../../ui/PageTitle";
import { readFilters } from "./filters";
import { useRuns } from "./queries";
import { RunFilterFields } from "./RunFilterFields";
import { RunsTable } from "./RunsTable";

/** The runs of all workflows, or of one. */
export function Runs({ query }: { query: URLSearchParams }) {
  const { t } = useTexts();
  const filters = readFilters(query);
  const name = useWorkflow(filters.workflow).data?.name;
  const title = name === undefined ? t.runs.title : t.runs.ofWorkflow(name);
  const above = filters.workflow && <Link to="runs" className="crumb">← {t.runs.allWorkflows}</Link>;
  return (
    <>
      <PageTitle title={title} above={above} />
      <RunFilterFields filters={filters} />
      <List filters={filters} name={name} />
    </>
  );
}

function List({ filters, name }: { filters: ReturnType<typeof readFilters>; name: string | undefined }) {
  const { t } = useTexts();
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useRuns(filters);
  if (data === undefined) {
    return error === null ? <Skeleton lines={8} /> : <ErrorState error={error} onRetry={() => void refetch()} />;
  }
  const runs = data.pages.flatMap((page) => page.data);
  const isFiltered = Boolean(filters.state || filters.origin || filters.from || filters.to);
  const clear = () => replaceQuery({ state: "", origin: "", from: "", to: "" });
  return (
    <>
      {runs.length > 0 && <RunsTable runs={runs} workflowName={name} isOfOne={filters.workflow !== ""} />}
      {runs.length === 0 && hasNextPage && <p className="muted">{t.runs.searchedMore}</p>}
      {runs.length === 0 && !hasNextPage && (
        <EmptyState title={isFiltered ? t.runs.empty : t.runs.none}>
          <p>{isFiltered ? t.runs.emptyText : t.runs.noneText}</p>
          {isFiltered ? (
            <Button onClick={clear}>{t.runs.clear}</Button>
          ) : (
            <Link to="workflows" className="button">{t.nav.workflows}</Link>
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
