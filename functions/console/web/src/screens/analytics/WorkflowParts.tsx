import type { WorkflowFigures } from "../../api/types";
import { useTexts } from "../../i18n";
import { Link } from "../../router/Link";
import { type Sparkbar, Sparkbars } from "../../ui/chart/Sparkbars";
import { Duration } from "../../ui/Duration";
import { Money } from "../../ui/Money";
import { Table } from "../../ui/Table";

/** More days than this are put together. */
const BARS = 15;

/** What each workflow has done, most runs first. */
export function WorkflowParts({ parts }: { parts: readonly WorkflowFigures[] }) {
  const { t, format } = useTexts();
  return (
    <Table
      caption={t.analytics.byWorkflow}
      rows={[...parts].sort((a, b) => b.runs.total - a.runs.total)}
      rowKey={({ id }) => id}
      columns={[
        {
          title: t.runs.workflow,
          cell: ({ id, name }) => (
            <Link to="workflow" params={{ workflowId: id }} className="name" translate="no">{name}</Link>
          ),
        },
        { title: t.analytics.days, cell: (part) => <Days part={part} /> },
        { title: t.analytics.total, numeric: true, cell: ({ runs }) => format.number(runs.total) },
        { title: t.runCounts.failed, numeric: true, cell: ({ runs }) => <Failed {...runs} /> },
        { title: t.analytics.median, numeric: true, cell: ({ duration }) => <Duration ms={duration?.medianMs} /> },
        { title: t.analytics.p95, numeric: true, cell: ({ duration }) => <Duration ms={duration?.p95Ms} /> },
        { title: t.analytics.cost, numeric: true, cell: ({ usage }) => <Money exact={usage.costExact} /> },
      ]}
    />
  );
}

function Failed({ completed, failed }: { completed: number; failed: number }) {
  const { format } = useTexts();
  if (failed === 0) return "0";
  return (
    <>
      <span className="bad-number">{format.number(failed)}</span>{" "}
      <span className="sub">{format.percent(failed / (completed + failed))}</span>
    </>
  );
}

function Days({ part: { days, runs } }: { part: WorkflowFigures }) {
  const { t, format } = useTexts();
  if (runs.total === 0) return <span className="muted">–</span>;
  const highest = Math.max(...days.map(({ total }) => total));
  const label = t.analytics.daysText(format.number(runs.total), format.number(runs.failed), format.number(highest));
  return <Sparkbars label={label} bars={toBars(days)} />;
}

function toBars(days: WorkflowFigures["days"]): Sparkbar[] {
  const size = Math.ceil(days.length / BARS);
  // The last group ends with the last day.
  const first = days.length % size;
  const starts = first === 0 ? [] : [0];
  for (let start = first; start < days.length; start += size) starts.push(start);
  return starts.map((start, index) => {
    const group = days.slice(start, starts[index + 1] ?? days.length);
    const parts = (["completed", "cancelled", "failed"] as const).map((kind) => ({
      kind,
      size: group.reduce((sum, day) => sum + day[kind], 0),
    }));
    return { parts: parts.filter(({ size }) => size > 0) };
  });
}
