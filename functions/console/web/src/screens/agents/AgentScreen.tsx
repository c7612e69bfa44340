import { type ReactNode, useEffect } from "react";
import { asApiError } from "../../api/errors";
import type { AgentDetail } from "../../api/types";
import { Assistants } from "../../assistants/Assistants";
import { useTexts } from "../../i18n";
import { navigate } from "../../router/history";
import { Link } from "../../router/Link";
import type { RouteName } from "../../router/routes";
import { includes } from "../../sharing/roles";
import { Members } from "../../sharing/Members";
import { StateBadge } from "../../ui/Badge";
import { CopyButton } from "../../ui/CopyButton";
import { EmptyState } from "../../ui/EmptyState";
import { Skeleton } from "../../ui/Loading";
import { Owner } from "../../ui/Owner";
import { PageTitle } from "../../ui/PageTitle";
import { RelativeTime } from "../../ui/RelativeTime";
import { ScreenError } from "../../ui/ScreenError";
import { Tabs } from "../../ui/Tabs";
import { Unsaved } from "../../ui/Unsaved";
import { WithCode } from "../../ui/WithCode";
import { AgentMenu } from "./AgentMenu";
import { Configuration } from "./Configuration";
import { Invocations } from "./Invocations";
import { isAbout, isOfServer } from "./edits";
import { useAgent } from "./queries";
import { TryIt } from "./TryIt";
import { useEdits } from "./useEdits";

export const tabs = ["agent", "agentTry", "agentCalls", "agentAssistants", "agentMembers"] as const satisfies readonly RouteName[];

interface AgentScreenProps {
  id: string;
  tab: (typeof tabs)[number];
  query: URLSearchParams;
}

/** An agent: its configuration, a conversation with it, its calls, and who may use it. */
export function AgentScreen({ id, tab, query }: AgentScreenProps) {
  const { t } = useTexts();
  const { data, error, refetch } = useAgent(id);
  const edits = useEdits(id, data);
  const { discard, isDirty } = edits;
  const isGone = error !== null && asApiError(error).status === 404;
  useEffect(() => {
    if (isGone) discard();
  }, [isGone]);
  if (isGone) {
    return (
      <>
        <PageTitle title={t.agents.gone} />
        <EmptyState title={asApiError(error).message}>
          <p>{t.agents.goneText}</p>
          <Link to="agents" className="button">{t.agents.all}</Link>
        </EmptyState>
      </>
    );
  }
  if (data === undefined) {
    return error === null ? <Skeleton lines={6} /> : <ScreenError error={error} onRetry={() => void refetch()} />;
  }
  const { agent } = data;
  const canEdit = includes(agent.access.role, "editor");
  return (
    <>
      <Header agent={agent} tab={t.agents.tabs[tab]} onDelete={discard} />
      <Tabs label={t.agents.tabsLabel} tabs={tabs.map((to) => ({ to, params: { agentId: id }, name: t.agents.tabs[to] }))} current={tab} />
      {tab === "agent" && <Configuration stored={data} edits={edits} canEdit={canEdit} listed={query.get("server")} />}
      {tab === "agentTry" && <TryIt agent={agent} isDirty={isDirty} />}
      {tab === "agentCalls" && <Invocations agent={id} call={query.get("call")} />}
      {tab === "agentAssistants" &&
        (agent.workflowId === null ? (
          <Assistants kind="agent" subject={agent} needs={[{ text: t.assistants.needTexts.agentPublished, isMet: agent.status === "published" }]} />
        ) : (
          <PrivateAgent text={t.agents.privateTool}>
            <Link to="workflowAssistants" params={{ workflowId: agent.workflowId }} className="button">{t.assistants.tool}</Link>
          </PrivateAgent>
        ))}
      {tab === "agentMembers" &&
        (agent.workflowId === null ? (
          <Members kind="agent" subject={agent} />
        ) : (
          <PrivateAgent text={t.agents.privateText}>
            <Link to="workflowMembers" params={{ workflowId: agent.workflowId }} className="button">{t.sharing.members}</Link>
          </PrivateAgent>
        ))}
      {isDirty && <Unsaved screen={{ to: "agent", params: { agentId: id } }} />}
    </>
  );
}

/** What the workflow of a private agent decides. */
function PrivateAgent({ text, children }: { text: string; children: ReactNode }) {
  const { t } = useTexts();
  return (
    <EmptyState title={t.agents.privateAgent}>
      <p>{text}</p>
      {children}
    </EmptyState>
  );
}

function Header({ agent, tab, onDelete }: { agent: AgentDetail; tab: string; onDelete: () => void }) {
  const { t, format } = useTexts();
  const { id, name, description, access, problems } = agent;
  return (
    <>
      <PageTitle title={name} documentTitle={`${tab} · ${name}`} above={<Link to="agents" className="crumb">← {t.agents.all}</Link>}>
        <AgentMenu
          agent={agent}
          framed
          onDelete={() => {
            onDelete();
            setTimeout(() => navigate({ to: "agents" }));
          }}
        />
      </PageTitle>
      <div className="workflow-facts">
        {description && <p className="muted">{description}</p>}
        <ul>
          <li><StateBadge state={agent.status} /></li>
          <li>{t.workflow.ownedBy} <strong><Owner id={access.owner} /></strong></li>
          {access.role !== "owner" && <li>{t.workflow.yourRole} <strong>{t.sharing.roles[access.role]}</strong></li>}
          {agent.tool && <li><Link to="agentAssistants" params={{ agentId: id }}>{t.assistants.tool}</Link></li>}
          <li>{t.agents.requestCount(format.number(agent.requests))}</li>
          <li className="muted">{t.workflow.changed} <RelativeTime time={agent.updatedAt} /></li>
          <li className="muted nowrap">{t.agents.id} <code title={id}>{id.slice(-12)}</code> <CopyButton text={id} what={t.agents.id} /></li>
        </ul>
      </div>
      {problems.length > 0 && (
        <section className="panel problems" aria-label={t.workflow.problems}>
          <p className="lead-line">{t.workflow.problems}</p>
          <ul>{problems.map(({ code, message }) => <Problem key={code + message} agent={agent} code={code} message={message} />)}</ul>
        </section>
      )}
    </>
  );
}

/** A standing problem. One of an MCP server leads to the list of its tools. */
function Problem({ agent, code, message }: { agent: AgentDetail; code: string; message: string }) {
  const { t } = useTexts();
  const tool = isOfServer(code) ? (agent.config.tools ?? []).find((tool) => tool.type === "mcp" && isAbout({ message }, tool)) : undefined;
  return (
    <li>
      <span><WithCode text={message} /></span>
      {tool?.type === "mcp" && includes(agent.access.role, "editor") && (
        <Link to="agent" params={{ agentId: agent.id }} query={{ server: tool.name }}>{t.agents.reviewTools}</Link>
      )}
    </li>
  );
}
