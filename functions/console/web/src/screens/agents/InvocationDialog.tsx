import type { Invocation } from "../../api/types";
import { useTexts } from "../../i18n";
import { StateBadge } from "../../ui/Badge";
import { CopyButton } from "../../ui/CopyButton";
import { Dialog } from "../../ui/Dialog";
import { Duration } from "../../ui/Duration";
import { Loaded } from "../../ui/Loaded";
import { Money } from "../../ui/Money";
import { ValueView } from "../../values/ValueView";
import { InvocationSteps } from "./InvocationSteps";
import { useInvocation } from "./queries";

/** A call of an agent: the steps, the conversation and the cost. */
export function InvocationDialog({ agent, id, onClose }: { agent: string; id: string; onClose: () => void }) {
  const { t } = useTexts();
  const query = useInvocation(agent, id);
  return (
    <Dialog title={t.agents.call} onClose={onClose} wide>
      <Loaded query={query}>{(invocation) => <Detail invocation={invocation} />}</Loaded>
    </Dialog>
  );
}

function Detail({ invocation }: { invocation: Invocation }) {
  const { t, format } = useTexts();
  const { usage, error, steps, messages, output } = invocation;
  return (
    <>
      <p className="span-facts">
        <StateBadge state={invocation.state} of="call" />
        <span>{format.dateTime(invocation.startedAt)}</span>
        <Duration ms={invocation.durationMs} />
        <span>{t.run.usage(format.number(usage.requests), format.number(usage.inputTokens), format.number(usage.outputTokens))}</span>
        <Money exact={usage.costExact} />
        <span><code>{invocation.id.slice(-12)}</code> <CopyButton text={invocation.id} what={t.agents.callId} /></span>
      </p>
      {error && (
        <div className="error-state">
          <p className="sentence">{error.message}</p>
          <p className="facts"><span>{t.errors.code} <code>{error.code}</code></span></p>
        </div>
      )}
      {invocation.erasedAt !== null && <p className="muted">{t.agents.erased}</p>}
      {output !== null && <ValueView name={t.agents.answer} value={output} />}
      {steps.length > 0 && <InvocationSteps invocation={invocation} />}
      {messages.length > 0 && (
        <div className="messages">
          <h3>{t.agents.conversation}</h3>
          {messages.map((message, index) => (
            <Message key={index} message={message} />
          ))}
        </div>
      )}
    </>
  );
}

/** A message as models know it: a role and a content. All else of it is shown as it is. */
function Message({ message }: { message: unknown }) {
  const { t } = useTexts();
  if (typeof message !== "object" || message === null) return <ValueView name={t.agents.message} value={message} />;
  const { role, content, ...rest } = message as { role?: unknown; content?: unknown };
  const roles: Record<string, string> = t.agents.roles;
  const name = typeof role === "string" ? (roles[role] ?? role) : t.agents.message;
  const isPlain = typeof content === "string" && Object.keys(rest).length === 0;
  return <ValueView name={name} value={isPlain ? content : { content, ...rest }} />;
}
