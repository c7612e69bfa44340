import type { ComparedAnalytics } from "../../api/types";
import { useTexts } from "../../i18n";
import { Link } from "../../router/Link";

const SHOWN = 12;

/** The nodes at which runs failed, most first. Each leads to these runs. */
export function Failures({ analytics }: { analytics: ComparedAnalytics }) {
  const { t, format } = useTexts();
  const { failures, workflows, from, to } = analytics;
  if (failures.length === 0) return <p className="panel calm">{t.analytics.noFailures}</p>;
  const names = new Map(workflows.map(({ id, name }) => [id, name]));
  const sorted = [...failures].sort((a, b) => b.runs - a.runs);
  const most = sorted[0]?.runs ?? 1;
  const more = sorted.length - SHOWN;
  return (
    <>
      <ul className="panel rows failing-nodes">
        {sorted.slice(0, SHOWN).map(({ workflowId, nodeId, runs }) => (
          <li key={`${workflowId} ${nodeId}`}>
            <div className="main">
              <Link to="runs" query={{ state: "failed", workflow: workflowId, node: nodeId, from, to }} className="name">
                <code>{nodeId}</code>
              </Link>
              <p className="sub" translate="no">{names.get(workflowId) ?? workflowId}</p>
            </div>
            <meter min={0} max={most} value={runs} aria-hidden="true" />
            <span className="nowrap numbers">{t.analytics.failedRuns(format.number(runs))}</span>
          </li>
        ))}
      </ul>
      {more > 0 && <p className="muted chart-note">{t.analytics.moreNodes(format.number(more))}</p>}
    </>
  );
}
