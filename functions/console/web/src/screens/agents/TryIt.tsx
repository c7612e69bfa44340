import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { AgentDetail, AgentStatus } from "../../api/types";
import { useTexts } from "../../i18n";
import { useApply } from "../../lists/useApply";
import { Link } from "../../router/Link";
import { includes } from "../../sharing/roles";
import { Button } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { Field } from "../../ui/Field";
import { GrowingText } from "../../ui/GrowingText";
import { AgentReply } from "./AgentReply";
import { type AgentTurn, conversationWith } from "./conversation";
import { FunctionResults } from "./FunctionResults";
import { useChange } from "./queries";

/** A conversation with the agent as it is saved. */
export function TryIt({ agent, isDirty }: { agent: AgentDetail; isDirty: boolean }) {
  const { t } = useTexts();
  const queries = useQueryClient();
  const conversation = conversationWith(agent.id);
  const turns = useSyncExternalStore(conversation.subscribe, conversation.read);
  const log = useRef<HTMLDivElement>(null);
  const last = turns.at(-1);
  const answer = last?.kind === "agent" ? last : null;
  const isRunning = answer?.state === "running";
  useEffect(() => {
    if (log.current) log.current.scrollTop = log.current.scrollHeight;
  }, [turns]);
  useEffect(() => {
    if (answer === null || isRunning) return;
    // The call is in the list of calls, and is counted.
    void queries.invalidateQueries({ queryKey: ["agent", agent.id] });
    void queries.invalidateQueries({ queryKey: ["agents"] });
  }, [isRunning]);
  if (!includes(agent.access.role, "operator")) return <EmptyState title={t.agents.cannotTry}><p>{t.agents.cannotTryText}</p></EmptyState>;
  if (agent.status !== "published") return <NotReady agent={agent} status={agent.status} />;
  const calls = answer?.state === "answered" ? (answer.answer?.functionCalls ?? []) : [];
  return (
    <section className="chat" aria-label={t.agents.tabs.agentTry}>
      {isDirty && (
        <p className="problem-note">{t.agents.tryUnsaved} <Link to="agent" params={{ agentId: agent.id }}>{t.agents.tabs.agent}</Link></p>
      )}
      <div ref={log} className="chat-log panel" role="log" aria-label={t.agents.conversation} tabIndex={0}>
        {turns.length === 0 && <p className="muted">{t.agents.tryText}</p>}
        {turns.map((turn, index) =>
          turn.kind === "person" ? (
            <div key={index} className="said by-person"><p className="who">{t.you}</p><p className="words">{turn.text}</p></div>
          ) : turn.kind === "results" ? (
            <div key={index} className="said by-person">
              <p className="who">{t.agents.results}</p>
              {turn.results.map(({ name, text }, index) => <p key={index} className="words"><code>{name}</code>: {text}</p>)}
            </div>
          ) : (
            <AgentReply key={index} agent={agent} turn={turn} onRetry={turn === last && isOver(turn) ? () => void conversation.retry() : undefined} />
          ),
        )}
      </div>
      {calls.length > 0 ? (
        <FunctionResults calls={calls} onGive={(results) => void conversation.giveResults(results)} />
      ) : (
        <Composer isRunning={isRunning} onSend={(text) => void conversation.say(text)} onStop={() => conversation.stop()} />
      )}
      {turns.length > 0 && <p className="row-actions"><Button kind="quiet" onClick={() => conversation.clear()}>{t.agents.newConversation}</Button></p>}
    </section>
  );
}

/** Why the agent cannot be called, and the first thing to do. */
function NotReady({ agent, status }: { agent: AgentDetail; status: Exclude<AgentStatus, "published"> }) {
  const { t } = useTexts();
  const change = useChange();
  const apply = useApply(agent, { change, done: t.agents.done });
  const kind = status === "paused" ? "publish" : status === "archived" ? "restore" : null;
  return (
    <EmptyState title={t.agents.notReady}>
      <p>{t.agents.notReadyText[status]}</p>
      {kind === null ? (
        <Link to="agent" params={{ agentId: agent.id }} className="button">{t.agents.configuration}</Link>
      ) : (
        includes(agent.access.role, "editor") && <Button busy={change.isPending} onClick={() => apply(kind)}>{t.agents.changes[kind]}</Button>
      )}
    </EmptyState>
  );
}

const isOver = ({ state }: AgentTurn) => state === "failed" || state === "stopped";

interface ComposerProps {
  isRunning: boolean;
  onSend: (text: string) => void;
  onStop: () => void;
}

function Composer({ isRunning, onSend, onStop }: ComposerProps) {
  const { t } = useTexts();
  const [text, setText] = useState("");
  const send = (event?: FormEvent) => {
    event?.preventDefault();
    if (text.trim() === "" || isRunning) return;
    onSend(text.trim());
    setText("");
  };
  return (
    <form className="composer" onSubmit={send}>
      <Field label={t.agents.yourMessage} hint={t.agents.composerHint}>
        {(ids) => (
          <GrowingText
            {...ids}
            rows={2}
            maxLength={100_000}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              // Enter ends a word in some writing systems.
              if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              send();
            }}
          />
        )}
      </Field>
      {isRunning ? (
        <Button onClick={onStop}>{t.agents.stop}</Button>
      ) : (
        <Button type="submit" kind="primary" disabled={text.trim() === ""}>{t.agents.send}</Button>
      )}
    </form>
  );
}
