import type { Wait } from "../../api/types";
import { useTexts } from "../../i18n";
import { RelativeTime } from "../../ui/RelativeTime";
import { Section } from "../../ui/Section";
import { ReviewForm } from "../reviews/ReviewForm";
import type { RunId } from "./queries";

export const waitId = (wait: Wait) => `wait ${wait.step}`;

/** The open reviews of the run. They are resolved here. */
export function Waits({ id, waits }: { id: RunId; waits: Wait[] }) {
  const { t } = useTexts();
  if (waits.length === 0) return null;
  return (
    <Section title={t.run.waits}>
      <ul className="waits">
        {waits.map((wait) => (
          <li key={wait.step} id={waitId(wait)} tabIndex={-1} className="panel">
            <h3 translate="no">{wait.title}</h3>
            <p className="muted"><code>{wait.step}</code> · {t.review.expires} <RelativeTime time={wait.expiresAt} /></p>
            <ReviewForm workflowId={id.workflowId} runId={id.runId} wait={wait} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
