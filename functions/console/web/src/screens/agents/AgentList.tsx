import type { Agent, AgentStatus } from "../../api/types";
import { useTexts } from "../../i18n";
import { replaceQuery } from "../../router/history";
import { Link } from "../../router/Link";
import { useSetQuery } from "../../router/useSetQuery";
import { StateBadge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { ErrorState } from "../../ui/ErrorState";
import { Skeleton } from "../../ui/Loading";
import { Owner } from "../../ui/Owner";
import { PageTitle } from "../../ui/PageTitle";
import { RelativeTime } from "../../ui/RelativeTime";
import { SearchField } from "../../ui/SearchField";
import { Select } from "../../ui/Select";
import { Table } from "../../ui/Table";
import { type AgentFilters, useAgents } from "./queries";

const statuses = [
  "published", "paused", "needs_attention", "permissions_required", "archived",
] as const satisfies readonly AgentStatus[];
const ownerships = ["all", "mine", "shared"] as const;
const sorts = ["updatedAt", "createdAt", "name", "requests"] as const;

function readFilters(query: URLSearchParams): AgentFilters {
  return {
    search: query.get("search") ?? "",
    status: statuses.find((status) => status === query.get("status")) ?? "",
    ownership: ownerships.find((ownership) => ownership === query.get("ownership")) ?? "all",
    sort: sorts.find((sort) => sort === query.get("sort")) ?? "updatedAt",
  };
}

/** The agents that the person owns or that others share with them. */
export function AgentList({ query }: { query: URLSearchParams }) {
  const { t } = useTexts();
  const filters = readFilters(query);
  const search = useSetQuery("search");
  return (
    <>
      <PageTitle title={t.agents.title} />
      <div className="filters">
        <SearchField value={filters.search} onSearch={search} main />
        <Select
          label={t.agents.status}
          value={filters.status}
          options={[["", t.agents.allStatuses], ...statuses.map((status) => [status, t.states[status]] as const)]}
          onChange={(status) => replaceQuery({ status })}
        />
        <Select
          label={t.ownership.label}
          value={filters.ownership}
          options={ownerships.map((ownership) => [ownership, t.ownership[ownership]] as const)}
          onChange={(ownership) => replaceQuery({ ownership })}
        />
        <Select
          label={t.sort.label}
          value={filters.sort}
          options={sorts.map((sort) => [sort, t.sort[sort]] as const)}
          onChange={(sort) => replaceQuery({ sort })}
        />
      </div>
      <List filters={filters} />
    </>
  );
}

function List({ filters }: { filters: AgentFilters }) {
  const { t, format } = useTexts();
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useAgents(filters);
  if (data === undefined) {
    return error === null ? <Skeleton lines={8} /> : <ErrorState error={error} onRetry={() => void refetch()} />;
  }
  const agents = data.pages.flatMap((page) => page.data);
  if (agents.length === 0) {
    const isFiltered = filters.search || filters.status || filters.ownership !== "all";
    return isFiltered ? (
      <EmptyState title={t.agents.empty}>
        <p>{t.runs.emptyText}</p>
        <Button onClick={() => replaceQuery({ search: "", status: "", ownership: "" })}>{t.runs.clear}</Button>
      </EmptyState>
    ) : (
      <EmptyState title={t.agents.none}>
        <p>{t.agents.noneText}</p>
        <code>POST /builder/v1/agents</code>
      </EmptyState>
    );
  }
  return (
    <>
      <Table<Agent>
        caption={t.agents.title}
        rows={agents}
        rowKey={(agent) => agent.id}
        columns={[
          {
            title: t.workflows.name,
            cell: (agent) => (
              <>
                <Link to="agent" params={{ agentId: agent.id }} className="name">{agent.name}</Link>
                {agent.description && <div className="sub clip" title={agent.description}>{agent.description}</div>}
              </>
            ),
          },
          { title: t.agents.status, cell: (agent) => <StateBadge state={agent.status} /> },
          { title: t.agents.type, cell: (agent) => t.agents.types[agent.type] },
          { title: t.workflows.owner, cell: (agent) => <Owner id={agent.access.owner} /> },
          { title: t.agents.requests, numeric: true, cell: (agent) => format.number(agent.requests) },
          { title: t.workflows.updated, cell: (agent) => <span className="nowrap"><RelativeTime time={agent.updatedAt} /></span> },
        ]}
      />
      {error !== null && <ErrorState error={error} onRetry={() => void fetchNextPage()} />}
      <div className="more">
        <span>{t.total(format.number(data.pages.at(-1)?.meta.total ?? agents.length))}</span>
        {hasNextPage && (
          <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {isFetchingNextPage ? t.loading : t.more}
          </Button>
        )}
      </div>
    </>
  );
}
