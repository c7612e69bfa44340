import { useState } from "react";
import { asApiError } from "../../../api/errors";
import type { Webhook, WorkflowDetail } from "../../../api/types";
import { useTexts } from "../../../i18n";
import { replaceQuery } from "../../../router/history";
import { includes } from "../../../sharing/roles";
import { Badge } from "../../../ui/Badge";
import { Button } from "../../../ui/Button";
import { Confirm } from "../../../ui/Dialog";
import { CopyButton } from "../../../ui/CopyButton";
import { EmptyState } from "../../../ui/EmptyState";
import { Loaded } from "../../../ui/Loaded";
import { RelativeTime } from "../../../ui/RelativeTime";
import { useToast } from "../../../ui/Toast";
import { useWhenDone } from "../../../ui/useWhenDone";
import { useChannels, useSaveChannel } from "./channelQueries";
import { NewWebhookDialog } from "./NewWebhookDialog";
import { nodeNames } from "./nodes";
import { useDeleteWebhook, useWebhooks } from "./queries";
import { RegenerateToken } from "./RegenerateToken";
import { TestWebhookDialog } from "./TestWebhookDialog";
import { WebhookCalls } from "./WebhookCalls";
import { WebhookSecret } from "./WebhookSecret";

/** The URLs that start runs, and their calls. */
export function Webhooks({ workflow, query }: { workflow: WorkflowDetail; query: URLSearchParams }) {
  const { t } = useTexts();
  const webhooks = useWebhooks(workflow.id);
  const [creates, setCreates] = useState(false);
  const [secret, setSecret] = useState<Webhook | null>(null);
  const canEdit = includes(workflow.access.role, "editor") && workflow.state !== "archived";
  const create = canEdit && <Button kind="primary" onClick={() => setCreates(true)}>{t.workflow.newWebhook}</Button>;
  return (
    <>
      <Loaded query={webhooks}>
        {(webhooks) =>
          webhooks.length === 0 ? (
            <EmptyState title={t.workflow.noWebhooks}>
              <p>{t.workflow.noWebhooksText}</p>
              {create}
            </EmptyState>
          ) : (
            <>
              {create && <div className="tab-actions">{create}</div>}
              <ul className="cards">
                {webhooks.map((webhook) => (
                  <WebhookCard
                    key={webhook.id}
                    workflow={workflow}
                    webhook={webhook}
                    canEdit={canEdit}
                    showsCalls={query.get("calls") === webhook.id}
                    query={query}
                  />
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
      {creates && (
        <NewWebhookDialog
          workflowId={workflow.id}
          onClose={() => setCreates(false)}
          onCreated={(webhook) => {
            setCreates(false);
            setSecret(webhook);
          }}
        />
      )}
      {secret !== null && <WebhookSecret workflow={workflow} webhook={secret} onClose={() => setSecret(null)} />}
    </>
  );
}

interface WebhookCardProps {
  workflow: WorkflowDetail;
  webhook: Webhook;
  canEdit: boolean;
  showsCalls: boolean;
  query: URLSearchParams;
}

function WebhookCard({ workflow, webhook, canEdit, showsCalls, query }: WebhookCardProps) {
  const { t, format } = useTexts();
  const toast = useToast();
  const whenDone = useWhenDone();
  const remove = useDeleteWebhook(workflow.id);
  const [open, setOpen] = useState<"test" | "delete" | null>(null);
  const close = () => {
    remove.reset();
    setOpen(null);
  };
  return (
    <li className="panel card">
      <div className="card-head">
        <div>
          <h2>{webhook.name}</h2>
          <p className="sub">
            {t.workflow.modes[webhook.mode]} · {t.workflow.tokenEnds} <code>…{webhook.tokenLast4}</code> · {t.workflow.created}{" "}
            <RelativeTime time={webhook.createdAt} />
          </p>
        </div>
        <Usage workflow={workflow} webhook={webhook} canEdit={canEdit} />
      </div>
      <p className="url-line"><code>{webhook.url}</code><CopyButton text={webhook.url} what={t.workflow.url} /></p>
      <div className="row-actions">
        {includes(workflow.access.role, "operator") && (
          <Button
            kind="quiet"
            aria-expanded={showsCalls}
            aria-label={`${showsCalls ? t.workflow.hideCalls : t.workflow.showCalls}: ${webhook.name}`}
            onClick={() => replaceQuery({ calls: showsCalls ? "" : webhook.id, outcome: "" })}
          >
            {showsCalls ? t.workflow.hideCalls : t.workflow.showCalls}
          </Button>
        )}
        <Button kind="quiet" aria-label={t.connections.test.buttonNamed(webhook.name)} onClick={() => setOpen("test")}>
          {t.connections.test.button}
        </Button>
        {canEdit && (
          <>
            <RegenerateToken workflow={workflow} webhook={webhook} />
            <Button kind="quiet" className="bad-text" aria-label={t.workflow.deleteNamed(webhook.name)} onClick={() => setOpen("delete")}>
              {t.workflow.delete}
            </Button>
          </>
        )}
      </div>
      {webhook.unstoredCalls > 0 && <p className="muted">{t.workflow.unstored(format.number(webhook.unstoredCalls))}</p>}
      {showsCalls && <WebhookCalls workflowId={workflow.id} webhook={webhook} query={query} />}
      {open === "test" && <TestWebhookDialog workflow={workflow} webhook={webhook} onClose={close} />}
      {open === "delete" && (
        <Confirm
          title={t.workflow.deleteTitle(webhook.name)}
          action={t.workflow.delete}
          danger
          busy={remove.isPending}
          error={remove.error}
          onClose={close}
          onConfirm={() => {
            // The calls are deleted with the webhook.
            if (showsCalls) replaceQuery({ calls: "", outcome: "" });
            whenDone(remove.mutateAsync(webhook.id), () => {
              toast(t.workflow.deleted(webhook.name));
              close();
            });
          }}
        >
          <p>{t.workflow.deleteWebhookText}</p>
        </Confirm>
      )}
    </li>
  );
}

/** Which trigger node the webhook starts. Without one, its calls are refused. */
function Usage({ workflow, webhook, canEdit }: { workflow: WorkflowDetail; webhook: Webhook; canEdit: boolean }) {
  const { t } = useTexts();
  const toast = useToast();
  const channels = useChannels(workflow.id).data;
  const save = useSaveChannel(workflow.id);
  if (channels === undefined) return null;
  const nameOf = nodeNames(workflow.graph);
  const inputs = channels.inputs.filter((channel) => channel.kind === "webhook");
  const used = inputs.filter((channel) => channel.config.webhookId === webhook.id);
  if (used.length > 0) {
    return <Badge tone="good">{t.workflow.startsAt(used.map(({ nodeId }) => nameOf(nodeId)).join(", "))}</Badge>;
  }
  const free = canEdit ? inputs.filter((channel) => channel.missing.includes("webhookId")) : [];
  return (
    <div className="usage">
      <Badge tone="warn">{t.workflow.unused}</Badge>
      {inputs.length === 0 && <p className="sub">{t.workflow.noTrigger}</p>}
      {free.map(({ nodeId }) => (
        <Button
          key={nodeId}
          busy={save.isPending}
          onClick={() => {
            save.mutateAsync({ seen: channels, nodeId, config: { webhookId: webhook.id } }).then(
              ({ kind }) => toast(kind === "saved" ? t.connections.channels.saved : t.connections.staleUse),
              (error: unknown) => toast(asApiError(error).message),
            );
          }}
        >
          {t.connections.useAt(nameOf(nodeId))}
        </Button>
      ))}
    </div>
  );
}
