import type { ReactNode } from "react";
import type { Run } from "../../api/types";
import { useTexts } from "../../i18n";
import { Link } from "../../router/Link";
import { CopyButton } from "../../ui/CopyButton";
import { Duration } from "../../ui/Duration";
import { Money } from "../../ui/Money";
import { RelativeTime } from "../../ui/RelativeTime";

export function Facts({ run }: { run: Run }) {
  const { t, format } = useTexts();
  const { usage } = run;
  const facts: [string, ReactNode][] = [
    [t.runs.started, <RelativeTime time={run.startedAt ?? run.queuedAt} />],
    [t.runs.duration, <Duration ms={run.durationMs} />],
    [t.runs.cost, <Money exact={usage.costExact} />],
    [t.home.tokens, `${format.number(usage.inputTokens)} / ${format.number(usage.outputTokens)}`],
    [t.home.calls, format.number(usage.requests)],
    [t.runs.origin, t.origins[run.origin]],
    [t.workflows.release, format.number(run.releaseNumber)],
    [
      t.run.id,
      <span className="nowrap"><code title={run.id}>{run.id.slice(-12)}</code> <CopyButton text={run.id} what={t.run.id} /></span>,
    ],
  ];
  if (Number(usage.uncollectedExact) > 0) facts.splice(3, 0, [t.home.uncollected, <Money exact={usage.uncollectedExact} />]);
  if (run.retryOf !== null) {
    facts.push([
      t.run.retryOf,
      <Link to="run" params={{ workflowId: run.workflowId, runId: run.retryOf }}>{run.retryOf.slice(-12)}</Link>,
    ]);
  }
  return (
    <dl className="panel facts-grid run-facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
