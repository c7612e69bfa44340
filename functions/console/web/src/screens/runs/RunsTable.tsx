import { useTexts } from "../../i18n";
import { Link } from "../../router/Link";
import { StateBadge } from "../../ui/Badge";
import { Duration } from "../../ui/Duration";
import { Money } from "../../ui/Money";
import { RelativeTime } from "../../ui/RelativeTime";
import { type Column, Table } from "../../ui/Table";
import type { ListedRun } from "./queries";

interface RunsTableProps {
  runs: ListedRun[];
  workflowName: string | undefined;
  /** All runs are of one workflow: the first column then names the time instead. */
  isOfOne: boolean;
}

export function RunsTable({ runs, workflowName, isOfOne }: RunsTableProps) {
  const { t, format } = useTexts();
  const started: Column<ListedRun> = {
    title: t.runs.started,
    cell: (run) => (
      <span className="nowrap">
        <RelativeTime time={run.startedAt ?? run.queuedAt} />
      </span>
    ),
  };
  const columns: Column<ListedRun>[] = [
    {
      title: isOfOne ? t.runs.started : t.runs.workflow,
      cell: (run) => (
        <>
          <Link to="run" params={{ workflowId: run.workflowId, runId: run.id }} className="name" translate="no">
            {isOfOne ? format.dateTime(run.startedAt ?? run.queuedAt) : (run.workflow?.name ?? workflowName ?? run.workflowId)}
          </Link>
          <div className="sub">
            {t.runs.release(run.releaseNumber)} · {t.origins[run.origin]}
          </div>
        </>
      ),
    },
    { title: t.runs.state, cell: (run) => <StateBadge state={run.state} of="run" /> },
    ...(isOfOne ? [] : [started]),
    { title: t.runs.duration, numeric: true, cell: (run) => <Duration ms={run.durationMs} /> },
    { title: t.runs.cost, numeric: true, cell: (run) => <Money exact={run.usage.costExact} /> },
    { title: t.runs.tokens, numeric: true, cell: (run) => format.number(run.usage.inputTokens + run.usage.outputTokens) },
    { title: t.runs.result, wide: true, cell: (run) => <Outcome run={run} /> },
  ];
  return <Table caption={t.runs.caption} columns={columns} rows={runs} rowKey={(run) => run.id} />;
}

/** What the run waits for, or why it failed. */
function Outcome({ run }: { run: ListedRun }) {
  const { t } = useTexts();
  if (run.error !== null) {
    return (
      <span className="outcome">
        <code>{run.error.code}</code> {run.error.nodeId && <span className="sub">{t.runs.atNode(run.error.nodeId)}</span>}
      </span>
    );
  }
  if (run.waiting !== null) {
    return (
      <span className="outcome">
        <span translate="no">{run.waiting.title}</span> <span className="sub">({t.review.expires} <RelativeTime time={run.waiting.expiresAt} />)</span>
      </span>
    );
  }
  return run.erasedAt === null ? <span className="muted">–</span> : <span className="muted">{t.runs.erased}</span>;
}
