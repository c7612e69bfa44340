import type { ReactNode } from "react";
import type { AgentDetail } from "../../api/types";
import { useTexts } from "../../i18n";
import { replaceQuery } from "../../router/history";
import { Link } from "../../router/Link";
import { StateBadge } from "../../ui/Badge";
import { CopyButton } from "../../ui/CopyButton";
import { Loaded } from "../../ui/Loaded";
import { Owner } from "../../ui/Owner";
import { PageTitle } from "../../ui/PageTitle";
import { RelativeTime } from "../../ui/RelativeTime";
import { Section } from "../../ui/Section";
import { Configuration } from "./Configuration";
import { InvocationDialog } from "./InvocationDialog";
import { Invocations } from "./Invocations";
import { useAgent } from "./queries";

/** An agent: what it is configured to do, and the calls of it. */
export function AgentScreen({ id, query }: { id: string; query: URLSearchParams }) {
  const { t } = useTexts();
  const agent = useAgent(id);
  const call = query.get("call");
  return (
    <>
      <PageTitle
        title={agent.data?.name ?? t.agents.agent}
        above={<Link to="agents" className="crumb">← {t.agents.title}</Link>}
      />
      <Loaded query={agent} lines={4}>
        {(agent) => (
          <>
            <p className="state-line"><StateBadge state={agent.status} /></p>
            {agent.description && <p className="lead-text">{agent.description}</p>}
            {agent.problems.map((problem) => (
              <p key={problem.code + problem.message} className="problem-note">
                {problem.message} <code>{problem.code}</code>
              </p>
            ))}
            <Facts agent={agent} />
          </>
        )}
      </Loaded>
      <Section title={t.agents.calls}>
        <Invocations agent={id} />
      </Section>
      {agent.data && <Configuration agent={agent.data} />}
      {call !== null && <InvocationDialog agent={id} id={call} onClose={() => replaceQuery({ call: "" })} />}
    </>
  );
}

function Facts({ agent }: { agent: AgentDetail }) {
  const { t, format } = useTexts();
  const { config } = agent;
  const facts: [string, ReactNode][] = [
    [t.agents.type, t.agents.types[agent.type]],
    [t.agents.model, config.model ? <code>{config.model}</code> : t.agents.defaultModel],
    [t.workflows.owner, <Owner id={agent.access.owner} />],
    [t.agents.requests, format.number(agent.requests)],
    [t.workflows.updated, <RelativeTime time={agent.updatedAt} />],
    [
      t.agents.id,
      <span className="nowrap"><code title={agent.id}>{agent.id.slice(-12)}</code> <CopyButton text={agent.id} what={t.agents.id} /></span>,
    ],
  ];
  return (
    <dl className="panel facts-grid">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
