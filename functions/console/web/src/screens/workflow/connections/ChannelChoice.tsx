import type { ReactNode } from "react";
import type { ChannelConfig, Credential, WorkflowDetail } from "../../../api/types";
import { useTexts } from "../../../i18n";
import { Loaded } from "../../../ui/Loaded";
import type { Channels } from "./channelQueries";
import { nodeNames } from "./nodes";
import { isAccount, providerOf } from "./providers";
import { useCredentials } from "./credentialQueries";
import { useWebhooks } from "./queries";

/** The configuration of a channel that uses an account. */
export function configOf({ id, type }: Credential): ChannelConfig {
  const provider = providerOf(type);
  return { ...(provider && { provider }), credentialId: id };
}

interface ChoiceProps {
  workflow: WorkflowDetail;
  channels: Channels;
  nodeId: string;
  config: ChannelConfig;
  onChange: (config: ChannelConfig) => void;
}

export function WebhookChoice({ workflow, channels, nodeId, config, onChange }: ChoiceProps) {
  const { t } = useTexts();
  const webhooks = useWebhooks(workflow.id);
  const nameOf = nodeNames(workflow.graph);
  return (
    <Loaded query={webhooks} lines={2}>
      {(webhooks) =>
        webhooks.length === 0 ? (
          <p className="muted">{t.connections.channels.noWebhooks}</p>
        ) : (
          <Choices legend={t.connections.channels.webhooks} chosen={config.webhookId ?? null} onChoose={(id) => onChange(id === null ? {} : { webhookId: id })}>
            {webhooks.map(({ id, name, tokenLast4 }) => {
              // A webhook starts one node only.
              const other = channels.inputs.find((channel) => channel.config.webhookId === id && channel.nodeId !== nodeId);
              return { id, name, detail: <code>…{tokenLast4}</code>, usedAt: other && nameOf(other.nodeId) };
            })}
          </Choices>
        )
      }
    </Loaded>
  );
}

export function AccountChoice({ workflow, channels, nodeId, config, onChange }: ChoiceProps) {
  const { t } = useTexts();
  const credentials = useCredentials(workflow.id);
  const nameOf = nodeNames(workflow.graph);
  const isInput = channels.inputs.some((channel) => channel.nodeId === nodeId);
  return (
    <Loaded query={credentials} lines={2}>
      {({ outbound }) => {
        const accounts = outbound.filter(isAccount);
        if (accounts.length === 0) return <p className="muted">{t.connections.channels.noAccounts}</p>;
        return (
          <Choices
            legend={t.connections.channels.accounts}
            chosen={config.credentialId ?? null}
            onChoose={(id) => {
              const account = accounts.find((account) => account.id === id);
              onChange(account === undefined ? {} : configOf(account));
            }}
          >
            {accounts.map(({ id, name, type }) => {
              // Messages to one account start runs at one node only. Any number of nodes may send with it.
              const inputs = isInput ? channels.inputs : [];
              const other = inputs.find((channel) => channel.config.credentialId === id && channel.nodeId !== nodeId);
              return { id, name, detail: t.connections.credentials.types[type], usedAt: other && nameOf(other.nodeId) };
            })}
          </Choices>
        );
      }}
    </Loaded>
  );
}

interface Choice {
  id: string;
  name: string;
  detail: ReactNode;
  /** The other node that has it. Then it cannot be chosen here. */
  usedAt: string | undefined;
}

interface ChoicesProps {
  legend: string;
  chosen: string | null;
  onChoose: (id: string | null) => void;
  children: Choice[];
}

function Choices({ legend, chosen, onChoose, children }: ChoicesProps) {
  const { t } = useTexts();
  return (
    <fieldset className="people">
      <legend className="sr-only">{legend}</legend>
      <label className="check">
        <input type="radio" name="choice" checked={chosen === null} onChange={() => onChoose(null)} />
        {t.connections.channels.noneChosen}
      </label>
      {children.map(({ id, name, detail, usedAt }) => (
        <label key={id} className="check">
          <input type="radio" name="choice" checked={chosen === id} disabled={usedAt !== undefined} onChange={() => onChoose(id)} />
          <span>
            <span translate="no">{name}</span>{" "}
            <span className="muted">{detail}{usedAt !== undefined && <> ({t.connections.channels.usedAt(usedAt)})</>}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
