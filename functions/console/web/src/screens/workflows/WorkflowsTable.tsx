import type { Workflow } from "../../api/types";
import { ToolMark } from "../../assistants/ToolMark";
import { useTexts } from "../../i18n";
import { Link } from "../../router/Link";
import { StateBadge } from "../../ui/Badge";
import { Owner } from "../../ui/Owner";
import { RelativeTime } from "../../ui/RelativeTime";
import { type Column, Table } from "../../ui/Table";
import { LastRuns } from "./LastRuns";
import { useLatestRuns, useRunSummaries } from "./queries";
import { WorkflowMenu } from "./WorkflowMenu";

export function WorkflowsTable({ workflows }: { workflows: Workflow[] }) {
  const { t, format } = useTexts();
  const summaries = useRunSummaries().data;
  const latest = useLatestRuns().data;
  const count = (workflow: Workflow, pick: "runs" | "failed") => {
    const summary = summaries?.get(workflow.id);
    if (summary === undefined) return <span className="muted">–</span>;
    if (pick === "failed") {
      return summary.failed === 0 ? "0" : <span className="bad-number">{format.number(summary.failed)}</span>;
    }
    return format.number(summary.inProgress + summary.completed + summary.failed + summary.cancelled);
  };
  const columns: Column<Workflow>[] = [
    {
      title: t.workflows.name,
      cell: (workflow) => (
        <>
          <Link to="workflow" params={{ workflowId: workflow.id }} className="name" translate="no">{workflow.name}</Link>
          <ToolMark tool={workflow.tool} />
          {workflow.description && <div className="sub clip" title={workflow.description} translate="no">{workflow.description}</div>}
        </>
      ),
    },
    { title: t.workflows.state, cell: (workflow) => <StateBadge state={workflow.state} /> },
    { title: t.workflows.owner, cell: (workflow) => <Owner id={workflow.access.owner} /> },
    {
      title: t.workflows.release,
      cell: ({ activeRelease, hasUnpublishedChanges }) =>
        activeRelease === null ? (
          <span className="muted">–</span>
        ) : (
          <span>
            <span className="numbers">{activeRelease.number}</span>
            {hasUnpublishedChanges && <span className="sub"> · {t.workflows.changed}</span>}
          </span>
        ),
    },
    { title: t.workflows.updated, cell: (workflow) => <span className="nowrap"><RelativeTime time={workflow.updatedAt} /></span> },
    { title: t.workflows.runs, numeric: true, cell: (workflow) => count(workflow, "runs") },
    { title: t.workflows.failures, numeric: true, cell: (workflow) => count(workflow, "failed") },
    {
      title: t.workflows.lastRun,
      wide: true,
      cell: ({ id }) => <LastRuns runs={latest?.get(id) ?? []} lastFinishedAt={summaries?.get(id)?.lastFinishedAt} />,
    },
    { title: t.actions, silent: true, cell: (workflow) => <WorkflowMenu workflow={workflow} /> },
  ];
  return <Table caption={t.workflows.title} columns={columns} rows={workflows} rowKey={(workflow) => workflow.id} />;
}
