import { useTexts } from "../../i18n";
import { Link } from "../../router/Link";
import { Loaded } from "../../ui/Loaded";
import { RelativeTime } from "../../ui/RelativeTime";
import { Section } from "../../ui/Section";
import type { useFailedRuns } from "./queries";

export function Failures({ query }: { query: ReturnType<typeof useFailedRuns> }) {
  const { t } = useTexts();
  const all = query.data !== undefined && query.data.data.length > 0 && (
    <Link to="runs" query={{ state: "failed" }}>{t.home.allFailures}</Link>
  );
  return (
    <Section title={t.home.failures} aside={all}>
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="panel calm">{t.home.failuresEmpty}</p>
          ) : (
            <ul className="panel rows">
              {data.map((run) => (
                <li key={run.id}>
                  <div className="main">
                    <Link to="run" params={{ workflowId: run.workflowId, runId: run.id }} className="name">
                      {run.workflow.name}
                    </Link>
                    {run.error && (
                      <p className="sub">
                        <code>{run.error.code}</code> {run.error.nodeId && t.runs.atNode(run.error.nodeId)} ·{" "}
                        {run.error.message}
                      </p>
                    )}
                  </div>
                  <span className="sub nowrap"><RelativeTime time={run.finishedAt ?? run.queuedAt} /></span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}
