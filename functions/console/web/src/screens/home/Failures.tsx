import { useTexts } from "../../i18n";
import { Link } from "../../router/Link";
import { Loaded } from "../../ui/Loaded";
import { RelativeTime } from "../../ui/RelativeTime";
import { Section } from "../../ui/Section";
import { SHOWN, type useInbox } from "./queries";

export function Failures({ query }: { query: ReturnType<typeof useInbox> }) {
  const { t } = useTexts();
  const all = query.data !== undefined && query.data.failures.length > 0 && (
    <Link to="runs" query={{ state: "failed" }}>{t.home.allFailures}</Link>
  );
  return (
    <Section title={t.home.failures} aside={all}>
      <Loaded query={query}>
        {({ failures }) =>
          failures.length === 0 ? (
            <p className="panel calm">{t.home.failuresEmpty}</p>
          ) : (
            <ul className="panel rows">
              {failures.slice(0, SHOWN).map(({ runId, workflow, at, error }) => (
                <li key={runId}>
                  <div className="main">
                    <Link to="run" params={{ workflowId: workflow.id, runId }} className="name" translate="no">{workflow.name}</Link>
                    <p className="sub">
                      <code>{error.code}</code> {error.nodeId && t.runs.atNode(error.nodeId)} · <span translate="no">{error.message}</span>
                    </p>
                  </div>
                  <span className="sub nowrap"><RelativeTime time={at} /></span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}
