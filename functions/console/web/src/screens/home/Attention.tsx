import { useTexts } from "../../i18n";
import { Link } from "../../router/Link";
import { Loaded } from "../../ui/Loaded";
import { RelativeTime } from "../../ui/RelativeTime";
import { Section } from "../../ui/Section";
import type { useWorkflowsToFix } from "./queries";

export function Attention({ query }: { query: ReturnType<typeof useWorkflowsToFix> }) {
  const { t, format } = useTexts();
  const total = query.data?.meta.total ?? 0;
  const all = query.data !== undefined && total > query.data.data.length && (
    <Link to="workflows" query={{ state: "needs_attention", ownership: "all" }}>{t.total(format.number(total))}</Link>
  );
  return (
    <Section title={t.home.attention} aside={all}>
      <Loaded query={query} lines={2}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="panel calm">{t.home.attentionEmpty}</p>
          ) : (
            <>
              <p className="muted lead">{t.home.attentionText}</p>
              <ul className="panel rows">
                {data.map((workflow) => (
                  <li key={workflow.id}>
                    <div className="main">
                      <Link to="workflow" params={{ workflowId: workflow.id }} className="name" translate="no">
                        {workflow.name}
                      </Link>
                    </div>
                    <span className="sub nowrap"><RelativeTime time={workflow.updatedAt} /></span>
                  </li>
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
    </Section>
  );
}
