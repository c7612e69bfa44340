import { asApiError } from "../../api/errors";
import type { Agent, AgentStatus } from "../../api/types";
import { ToolMark } from "../../assistants/ToolMark";
import { useTexts } from "../../i18n";
import { FilterFields, NothingMatches } from "../../lists/FilterFields";
import { isFiltered, readFilters } from "../../lists/filters";
import { navigate } from "../../router/history";
import { Link } from "../../router/Link";
import { StateBadge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { Owner } from "../../ui/Owner";
import { PageTitle } from "../../ui/PageTitle";
import { Pages } from "../../ui/Pages";
import { RelativeTime } from "../../ui/RelativeTime";
import { Table } from "../../ui/Table";
import { useToast } from "../../ui/Toast";
import { AgentMenu } from "./AgentMenu";
import { useAgents, useCreate } from "./queries";

const statuses = [
  "published", "paused", "needs_attention", "permissions_required", "archived",
] as const satisfies readonly AgentStatus[];
const sorts = ["updatedAt", "createdAt", "name", "requests"] as const;

/** The agents that the person owns or that others share with them. */
export function AgentList({ query }: { query: URLSearchParams }) {
  const { t, format } = useTexts();
  const toast = useToast();
  const filters = readFilters(query, statuses, sorts);
  const agents = useAgents(filters);
  const create = useCreate();
  const { name, description, instructions, source, text } = t.agents.example;
  // The first agent works at once: it answers from what it knows.
  const start = () =>
    create.mutate(
      { name, description, config: { instructions, sources: [{ type: "text", name: source, text }] } },
      {
        onSuccess: ({ data }) => navigate({ to: "agent", params: { agentId: data.id } }),
        onError: (error) => toast(asApiError(error).message),
      },
    );
  const button = <Button kind="primary" busy={create.isPending} onClick={start}>{t.agents.new}</Button>;
  const empty = isFiltered(filters) ? (
    <NothingMatches title={t.agents.empty} />
  ) : (
    <EmptyState title={t.agents.none}>
      <p>{t.agents.noneText}</p>
      {button}
    </EmptyState>
  );
  return (
    <>
      <PageTitle title={t.agents.title}>{button}</PageTitle>
      <FilterFields filters={filters} states={statuses} sorts={sorts} />
      <Pages query={agents} lines={8} empty={empty}>
        {(rows) => (
          <Table<Agent>
            caption={t.agents.title}
            rows={rows}
            rowKey={(agent) => agent.id}
            columns={[
              {
                title: t.workflows.name,
                cell: (agent) => (
                  <>
                    <Link to="agent" params={{ agentId: agent.id }} className="name">{agent.name}</Link>
                    <ToolMark tool={agent.tool} />
                    {agent.description && <div className="sub clip" title={agent.description}>{agent.description}</div>}
                  </>
                ),
              },
              { title: t.workflows.state, cell: (agent) => <StateBadge state={agent.status} /> },
              { title: t.agents.type, cell: (agent) => t.agents.types[agent.type] },
              { title: t.workflows.owner, cell: (agent) => <Owner id={agent.access.owner} /> },
              { title: t.agents.requests, numeric: true, cell: (agent) => format.number(agent.requests) },
              { title: t.workflows.updated, cell: (agent) => <span className="nowrap"><RelativeTime time={agent.updatedAt} /></span> },
              { title: t.actions, silent: true, cell: (agent) => <AgentMenu agent={agent} /> },
            ]}
          />
        )}
      </Pages>
    </>
  );
}
