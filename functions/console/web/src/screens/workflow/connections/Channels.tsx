import { useState } from "react";
import type { Channel, WorkflowDetail } from "../../../api/types";
import { useTexts } from "../../../i18n";
import { Link } from "../../../router/Link";
import { includes } from "../../../sharing/roles";
import { Badge } from "../../../ui/Badge";
import { Button } from "../../../ui/Button";
import { EmptyState } from "../../../ui/EmptyState";
import { Loaded } from "../../../ui/Loaded";
import { Section } from "../../../ui/Section";
import { ChannelDialog } from "./ChannelDialog";
import { useChannels } from "./channelQueries";
import { FormLink } from "./FormLink";
import { nodeNames } from "./nodes";
import { useCredentials } from "./credentialQueries";
import { useWebhooks } from "./queries";

/** What starts the runs of the draft, and where their results go: one channel for each trigger and each output node. */
export function Channels({ workflow }: { workflow: WorkflowDetail }) {
  const { t } = useTexts();
  const query = useChannels(workflow.id);
  const [open, setOpen] = useState<string | null>(null);
  const isEditor = includes(workflow.access.role, "editor");
  const canEdit = isEditor && workflow.state !== "archived";
  return (
    <>
      <Loaded query={query}>
        {({ inputs, outputs }) =>
          inputs.length + outputs.length === 0 ? (
            <EmptyState title={t.connections.channels.none}>
              <p>{t.connections.channels.noneText}</p>
              {canEdit && (
                <Link to="editor" params={{ workflowId: workflow.id }} className="button primary">{t.connections.openEditor}</Link>
              )}
            </EmptyState>
          ) : (
            <>
              {canEdit && <p className="muted tab-note">{t.connections.draftOnly}</p>}
              {([["inputs", inputs], ["outputs", outputs]] as const).map(
                ([direction, channels]) =>
                  channels.length > 0 && (
                    <Section key={direction} title={t.connections.channels[direction]}>
                      <ul className="panel rows">
                        {channels.map((channel) => (
                          <ChannelRow
                            key={channel.nodeId}
                            workflow={workflow}
                            channel={channel}
                            canEdit={canEdit}
                            onChange={() => setOpen(channel.nodeId)}
                          />
                        ))}
                      </ul>
                    </Section>
                  ),
              )}
            </>
          )
        }
      </Loaded>
      {open !== null && query.data !== undefined && (
        <ChannelDialog workflow={workflow} channels={query.data} nodeId={open} onClose={() => setOpen(null)} />
      )}
    </>
  );
}

interface ChannelRowProps {
  workflow: WorkflowDetail;
  channel: Channel;
  canEdit: boolean;
  onChange: () => void;
}

function ChannelRow({ workflow, channel, canEdit, onChange }: ChannelRowProps) {
  const { t } = useTexts();
  const { nodeId, direction, kind, config, complete, missing } = channel;
  const name = nodeNames(workflow.graph)(nodeId);
  const type = workflow.graph.nodes?.find((node) => node.id === nodeId)?.type ?? "";
  const isSet = config.webhookId != null || config.credentialId != null;
  return (
    <li className="channel">
      <div className="main">
        <p>
          <Link
            to="editor"
            params={{ workflowId: workflow.id }}
            query={{ node: nodeId }}
            className="name"
            translate="no"
            aria-label={t.connections.openNodeNamed(name)}
          >
            {name}
          </Link>
        </p>
        <p className="sub">{t.connections.channels.nodeTypes[type] ?? t.connections.channels.kinds[kind]}</p>
      </div>
      <div className="main">
        {kind === "internal" ? (
          <span className="muted">{t.connections.channels.noSetting}</span>
        ) : (
          <>
            <Badge tone={complete ? "good" : "warn"}>
              {complete ? t.connections.channels.complete : t.connections.channels.incomplete}
            </Badge>{" "}
            {complete ? (
              <>
                <ChannelTarget workflow={workflow} channel={channel} />
                {type === "form" && <FormLink workflowId={workflow.id} webhookId={config.webhookId ?? null} />}
                {kind === "messaging" && direction === "input" && canEdit && (
                  <p className="sub">
                    <Link to="workflowCredentials" params={{ workflowId: workflow.id }}>{t.connections.credentials.address}</Link>
                  </p>
                )}
              </>
            ) : (
              <span>{isSet ? t.connections.channels.gone : ""} {t.connections.channels.missing[missing[0] ?? ""] ?? missing.join(", ")}</span>
            )}
          </>
        )}
      </div>
      {canEdit && kind !== "internal" && (
        <Button aria-label={t.connections.channels.changeNamed(name)} onClick={onChange}>
          {isSet ? t.connections.channels.change : t.connections.channels.choose}
        </Button>
      )}
    </li>
  );
}

/** The webhook or the account of a channel, by its name. */
export function ChannelTarget({ workflow, channel: { kind, config } }: { workflow: WorkflowDetail; channel: Channel }) {
  const { t } = useTexts();
  const isEditor = includes(workflow.access.role, "editor");
  const webhooks = useWebhooks(workflow.id, kind === "webhook").data;
  const credentials = useCredentials(workflow.id, kind === "messaging" && isEditor).data;
  if (kind === "webhook") {
    const webhook = webhooks?.find(({ id }) => id === config.webhookId);
    return <span translate="no">{webhook?.name ?? ""}</span>;
  }
  const provider = config.provider == null ? "" : t.connections.credentials.types[config.provider];
  const account = credentials?.outbound.find(({ id }) => id === config.credentialId);
  return (
    <span>
      {provider} <span translate="no">{account?.name ?? ""}</span>
      {!isEditor && <span className="muted"> {t.connections.channels.hidden}</span>}
    </span>
  );
}

