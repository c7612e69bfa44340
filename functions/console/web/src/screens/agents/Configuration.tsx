import type { ReactNode } from "react";
import type { AgentDetail } from "../../api/types";
import { useTexts } from "../../i18n";
import { Link } from "../../router/Link";
import { Section } from "../../ui/Section";
import { ValueView } from "../../values/ValueView";
import { useAgentNames } from "./queries";

type Tool = NonNullable<AgentDetail["config"]["tools"]>[number];

/** The configuration of an agent, to read. */
export function Configuration({ agent }: { agent: AgentDetail }) {
  const { t, format } = useTexts();
  const { config, credentials } = agent;
  const { instructions = "", tools = [], sources = [], members = [] } = config;
  const names = useAgentNames(members.length > 0 || tools.some((tool) => tool.type === "agent")).data;
  const agentLink = (id: string) => <Link to="agent" params={{ agentId: id }}>{names?.get(id) ?? id}</Link>;
  const limits: [string, ReactNode][] = [
    [t.agents.temperature, config.temperature == null ? null : format.number(config.temperature)],
    [t.agents.maxTokens, config.maxTokens == null ? null : format.number(config.maxTokens)],
    [t.agents.strategy, config.strategy ? t.agents.strategies[config.strategy] : null],
  ];
  return (
    <Section title={t.agents.configuration}>
      <div className="panel configuration">
        <ValueView name={t.agents.instructions} value={instructions} />
        {limits.some(([, value]) => value !== null) && (
          <dl className="pairs">
            {limits.map(([name, value]) => value !== null && <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}
          </dl>
        )}
        <Group title={t.agents.members} count={members.length}>
          {members.map((id) => <li key={id}>{agentLink(id)}</li>)}
        </Group>
        <Group title={t.agents.tools} count={tools.length}>
          {tools.map((tool, index) => (
            <li key={index}>
              <ToolName tool={tool} agentLink={agentLink} />
              {tool.description && <p className="sub">{tool.description}</p>}
            </li>
          ))}
        </Group>
        <Group title={t.agents.credentials} count={credentials.length}>
          {credentials.map((credential) => (
            <li key={credential.tool}><code>{credential.tool}</code> <span className="sub">{credential.type}</span></li>
          ))}
        </Group>
        <Group title={t.agents.sources} count={sources.length}>
          {sources.map((source, index) => (
            <li key={index}>
              {source.name} <span className="sub">{source.type === "url" ? source.url : source.type === "file" ? source.mediaType : t.agents.text}</span>
            </li>
          ))}
        </Group>
      </div>
    </Section>
  );
}

function Group({ title, count, children }: { title: string; count: number; children: ReactNode }) {
  if (count === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <ul className="plain-list">{children}</ul>
    </div>
  );
}

function ToolName({ tool, agentLink }: { tool: Tool; agentLink: (id: string) => ReactNode }) {
  const { t } = useTexts();
  switch (tool.type) {
    case "http":
      return <><strong>{tool.name}</strong> <code>{tool.method} {tool.url}</code></>;
    case "function":
      return <><strong>{tool.name}</strong> <span className="sub">{t.run.kinds.function}</span></>;
    case "agent":
      return <>{t.agents.agent} {agentLink(tool.agentId)}</>;
    case "workflow":
      return <>{t.run.kinds.workflow} <Link to="runs" query={{ workflow: tool.workflowId }}>{tool.workflowId}</Link></>;
  }
}
