import { useState } from "react";
import type { Invocation, InvocationStep } from "../../api/types";
import { useTexts } from "../../i18n";
import { Badge } from "../../ui/Badge";
import { Duration } from "../../ui/Duration";
import { Money } from "../../ui/Money";
import { ValueView } from "../../values/ValueView";

/** The calls of models, tools and sources, each with a bar on the time of the whole call. */
export function InvocationSteps({ invocation }: { invocation: Invocation }) {
  const { t } = useTexts();
  const start = Date.parse(invocation.startedAt);
  const ends = invocation.steps.map((step) => Date.parse(step.endedAt ?? step.startedAt));
  const end = Math.max(start + 1, invocation.endedAt === null ? 0 : Date.parse(invocation.endedAt), ...ends);
  return (
    <div>
      <h3>{t.agents.steps}</h3>
      <ol className="panel rows call-steps">
        {invocation.steps.map((step) => (
          <Step key={step.step} step={step} start={start} length={end - start} />
        ))}
      </ol>
    </div>
  );
}

function Step({ step, start, length }: { step: InvocationStep; start: number; length: number }) {
  const { t, format } = useTexts();
  const [isOpen, setIsOpen] = useState(false);
  const percent = (ms: number) => `${Math.min(100, Math.max(0, (ms / length) * 100))}%`;
  const { action, usage, error } = step;
  return (
    <li>
      <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary>
          <span className="name">{t.run.kinds[action.kind]}{action.kind !== "load" && ` ${action.name}`}</span>
          {error !== null && <Badge tone="bad">{t.callStates.failed}</Badge>}
          <span className="end">{usage !== null && <Money exact={usage.costExact} />}</span>
          <span className="end"><Duration ms={step.durationMs} /></span>
          <span className="lane" aria-hidden="true">
            <span
              className={error === null ? "bar" : "bar failed"}
              style={{ left: percent(Date.parse(step.startedAt) - start), width: percent(step.durationMs ?? 0) }}
            />
          </span>
        </summary>
        {isOpen && (
          <div className="step-detail">
            {usage !== null && (
              <p className="muted">
                {t.run.usage(format.number(usage.requests), format.number(usage.inputTokens), format.number(usage.outputTokens))}
              </p>
            )}
            {error !== null && <p>{error.message} <code>{error.code}</code></p>}
            {error === null && step.omittedBytes === null && <ValueView name={t.run.output} value={step.output} />}
            {step.omittedBytes !== null && <p className="muted">{t.agents.omitted(format.size(step.omittedBytes))}</p>}
          </div>
        )}
      </details>
    </li>
  );
}
