import { useState } from "react";
import type { Agent } from "../api/types";
import { useTexts } from "../i18n";
import { includes } from "../sharing/roles";
import type { Kind } from "../sharing/queries";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { Confirm } from "../ui/Dialog";
import { Section } from "../ui/Section";
import { useToast } from "../ui/Toast";
import { useWhenDone } from "../ui/useWhenDone";
import { ConnectClient } from "./ConnectClient";
import { toolServer } from "./clients";
import { MarkDialog } from "./MarkDialog";
import { useMark } from "./queries";

export type Subject = Pick<Agent, "id" | "name" | "description" | "access" | "tool">;

/** What must be true before assistants find the tool. */
export interface Need {
  text: string;
  isMet: boolean;
}

interface AssistantsProps {
  kind: Kind;
  subject: Subject;
  needs: readonly Need[];
}

/** Whether assistants can call a workflow or an agent as a tool, and how they are connected. Only the owner changes it. */
export function Assistants({ kind, subject, needs }: AssistantsProps) {
  const { t } = useTexts();
  const toast = useToast();
  const whenDone = useWhenDone();
  const unmark = useMark(kind, subject.id);
  const [open, setOpen] = useState<"mark" | "unmark" | null>(null);
  const { name, tool, access } = subject;
  const texts = t.assistants.texts[kind];
  const isOwner = access.role === "owner";
  const isReady = needs.every(({ isMet }) => isMet);
  return (
    <>
      <Section title={t.assistants.tool}>
        <div className="panel form-panel assistants">
          <p>
            {!tool ? <Badge tone="neutral">{t.assistants.notOffered}</Badge>
              : isReady ? <Badge tone="good">{t.assistants.offered}</Badge>
              : <Badge tone="warn">{t.assistants.notYet}</Badge>}
          </p>
          <p>{tool ? texts.offered : texts.notOffered}</p>
          {tool && (
            <dl>
              <div>
                <dt>{t.assistants.name}</dt>
                <dd><code>{tool.name}</code></dd>
              </div>
              <div>
                <dt>{t.assistants.description}</dt>
                <dd className="words" translate="no">{tool.description || subject.description || <span className="muted">{t.assistants.noDescription}</span>}</dd>
              </div>
            </dl>
          )}
          <div>
            <p className="label">{t.assistants.needs}</p>
            <ul className="needs">
              {needs.map(({ text, isMet }) => (
                <li key={text}>
                  <Badge tone={isMet ? "good" : "warn"}>{isMet ? t.assistants.met : t.assistants.missing}</Badge> <span>{text}</span>
                </li>
              ))}
            </ul>
          </div>
          {isOwner ? (
            <div className="actions">
              <Button kind={tool ? "plain" : "primary"} onClick={() => setOpen("mark")}>{tool ? t.assistants.change : t.assistants.offer}…</Button>
              {tool && <Button kind="danger" onClick={() => setOpen("unmark")}>{t.assistants.stop}…</Button>}
            </div>
          ) : (
            <p className="muted">{t.assistants.onlyOwner}</p>
          )}
        </div>
      </Section>
      {tool && includes(access.role, "operator") && (
        <Section title={t.assistants.connect}>
          <div className="panel form-panel"><ConnectClient server={toolServer} /></div>
        </Section>
      )}
      {open === "mark" && <MarkDialog kind={kind} subject={subject} onClose={() => setOpen(null)} />}
      {open === "unmark" && (
        <Confirm
          title={t.assistants.stopTitle(name)}
          action={t.assistants.stop}
          danger
          busy={unmark.isPending}
          error={unmark.error}
          onClose={() => {
            unmark.reset();
            setOpen(null);
          }}
          onConfirm={() =>
            whenDone(unmark.mutateAsync(null), () => {
              toast(t.assistants.done.stopped(name));
              setOpen(null);
            })
          }
        >
          <p>{t.assistants.stopText}</p>
        </Confirm>
      )}
    </>
  );
}
