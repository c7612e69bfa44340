import type { Analytics } from "../../api/types";
import { useTexts } from "../../i18n";
import { Duration } from "../../ui/Duration";
import { Money } from "../../ui/Money";

/** The numbers of a period: of one workflow, or of several. */
export function Numbers({ analytics }: { analytics: Pick<Analytics, "runs" | "duration" | "usage"> }) {
  const { t, format } = useTexts();
  const { runs, duration, usage } = analytics;
  const ended = runs.completed + runs.failed;
  return (
    <dl className="numbers-grid">
      <div>
        <dt>{t.runs.title}</dt>
        <dd>{format.number(runs.total)}</dd>
      </div>
      <div>
        <dt>{t.workflows.failures}</dt>
        <dd className={runs.failed > 0 ? "bad-number" : undefined}>
          {format.number(runs.failed)}
          {ended > 0 && runs.failed > 0 && <small> {format.percent(runs.failed / ended)}</small>}
        </dd>
      </div>
      <div>
        <dt>{t.workflow.median}</dt>
        <dd><Duration ms={duration?.medianMs} /></dd>
      </div>
      <div>
        <dt>{t.workflow.p95}</dt>
        <dd><Duration ms={duration?.p95Ms} /></dd>
      </div>
      <div>
        <dt>{t.runs.cost}</dt>
        <dd><Money exact={usage.costExact} /></dd>
      </div>
      <div>
        <dt>{t.runs.tokens}</dt>
        <dd>{format.number(usage.inputTokens + usage.outputTokens)}</dd>
      </div>
    </dl>
  );
}
