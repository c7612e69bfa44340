import type { AgentDetail } from "../../api/types";
import { useTexts } from "../../i18n";
import { Link } from "../../router/Link";
import { Badge } from "../../ui/Badge";
import { ErrorState } from "../../ui/ErrorState";
import { Money } from "../../ui/Money";
import { Button } from "../../ui/Button";
import type { AgentTurn, TriedStep } from "./conversation";

interface AgentReplyProps {
  agent: AgentDetail;
  turn: AgentTurn;
  onRetry: (() => void) | undefined;
}

/** What an agent answers while it is written, with the steps to it and their cost. */
export function AgentReply({ agent, turn, onRetry }: AgentReplyProps) {
  const { t, format } = useTexts();
  const { state, text, steps, answer, error } = turn;
  return (
    <div className="said by-agent">
      <p className="who" translate="no">{agent.name}</p>
      {steps.length > 0 && (
        <details className="tried-steps">
          <summary>{t.agents.stepCount(format.number(steps.length))}</summary>
          <ol>{steps.map((step) => <Step key={step.step} step={step} agent={agent} />)}</ol>
        </details>
      )}
      {text !== "" && <p className="words">{text}</p>}
      {state === "running" && text === "" && <p className="muted" role="status">{t.agents.thinking}</p>}
      {state === "stopped" && <p className="muted">{t.agents.stopped}</p>}
      {error !== null && <ErrorState error={error} />}
      {onRetry && <p><Button onClick={onRetry}>{t.errors.retry}</Button></p>}
      {answer?.functionCalls.map(({ id, name, arguments: given }) => (
        <p key={id} className="words">{t.agents.callsFunction} <code>{name}({JSON.stringify(given)})</code></p>
      ))}
      {answer !== null && (
        <p className="span-facts">
          <Money exact={answer.usage.costExact} />
          <span>{t.run.usage(format.number(answer.usage.requests), format.number(answer.usage.inputTokens), format.number(answer.usage.outputTokens))}</span>
          <Link to="agentCalls" params={{ agentId: agent.id }} query={{ call: answer.id }}>{t.agents.openCall}</Link>
        </p>
      )}
    </div>
  );
}

function Step({ step: { action, error, isOver }, agent }: { step: TriedStep; agent: AgentDetail }) {
  const { t } = useTexts();
  return (
    <li>
      {t.run.kinds[action.kind]} {action.kind !== "load" && <code>{action.name}</code>}
      {action.agentId !== agent.id && <Link to="agent" params={{ agentId: action.agentId }}>{t.agents.ofAnother}</Link>}
      {error !== null && <><Badge tone="bad">{t.callStates.failed}</Badge> <span>{error.message}</span></>}
      {!isOver && <Badge tone="progress">{t.callStates.running}</Badge>}
    </li>
  );
}
