import { type FormEvent, useState } from "react";
import type { ChannelConfig, Webhook, WorkflowDetail } from "../../../api/types";
import { useTexts } from "../../../i18n";
import { Button } from "../../../ui/Button";
import { Dialog } from "../../../ui/Dialog";
import { ErrorState } from "../../../ui/ErrorState";
import { useToast } from "../../../ui/Toast";
import { useWhenDone } from "../../../ui/useWhenDone";
import { AccountChoice, configOf, WebhookChoice } from "./ChannelChoice";
import { ChannelTarget } from "./Channels";
import { type Channels, findChannel, useSaveChannel } from "./channelQueries";
import { CredentialDialog } from "./CredentialDialog";
import { NewWebhookDialog } from "./NewWebhookDialog";
import { nodeNames } from "./nodes";
import { WebhookSecret } from "./WebhookSecret";

interface ChannelDialogProps {
  workflow: WorkflowDetail;
  channels: Channels;
  nodeId: string;
  onClose: () => void;
}

/** Chooses the webhook or the account of a channel, or creates one. */
export function ChannelDialog({ workflow, channels, nodeId, onClose }: ChannelDialogProps) {
  const { t } = useTexts();
  const toast = useToast();
  const whenDone = useWhenDone();
  const save = useSaveChannel(workflow.id);
  // The channels as the person has seen them, although the list behind the dialog is loaded again.
  const [seen, setSeen] = useState(channels);
  const [stale, setStale] = useState<Channels | null>(null);
  const channel = findChannel(seen, nodeId);
  const [config, setConfig] = useState<ChannelConfig>(channel?.config ?? {});
  const [creates, setCreates] = useState(false);
  const [secret, setSecret] = useState<Webhook | null>(null);
  const name = nodeNames(workflow.graph)(nodeId);
  const isWebhook = channel?.kind === "webhook";
  const stopCreating = () => setCreates(false);
  const store = (seen: Channels) =>
    whenDone(save.mutateAsync({ seen, nodeId, config }), (saved, isShown) => {
      if (saved.kind === "saved") {
        toast(t.connections.channels.saved);
        if (isShown) onClose();
      } else if (isShown) setStale(saved.channels);
      else toast(t.connections.staleUse);
    });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (save.isPending) return;
    if (stale === null) return store(seen);
    setSeen(stale);
    setStale(null);
    store(stale);
  };
  const theirs = stale === null ? undefined : findChannel(stale, nodeId);
  const isRemoved = stale !== null && theirs === undefined;
  const choice = { workflow, channels: seen, nodeId, config, onChange: setConfig };
  return (
    <>
      <Dialog title={t.connections.channels.title(name)} onClose={onClose}>
        <form className="stack" onSubmit={submit}>
          {isWebhook ? <WebhookChoice {...choice} /> : <AccountChoice {...choice} />}
          <p>
            <Button onClick={() => setCreates(true)}>{isWebhook ? t.workflow.newWebhook : t.connections.credentials.new}</Button>
          </p>
          {stale !== null && (
            <div className="notice" role="alert">
              {theirs === undefined ? (
                <p>{t.connections.channels.staleRemoved}</p>
              ) : (
                <>
                  <p>{t.connections.channels.stale}</p>
                  <p>
                    {theirs.config.webhookId == null && theirs.config.credentialId == null ? (
                      <strong>{t.connections.channels.noneChosen}</strong>
                    ) : (
                      <strong><ChannelTarget workflow={workflow} channel={theirs} /></strong>
                    )}
                  </p>
                </>
              )}
            </div>
          )}
          {save.error ? <ErrorState error={save.error} /> : null}
          <footer>
            <Button onClick={onClose}>{theirs === undefined ? t.cancel : t.connections.channels.keepTheirs}</Button>
            {!isRemoved && (
              <Button type="submit" kind="primary" busy={save.isPending}>
                {stale === null ? t.connections.channels.save : t.connections.channels.keepMine}
              </Button>
            )}
          </footer>
        </form>
      </Dialog>
      {creates && isWebhook && (
        <NewWebhookDialog
          workflowId={workflow.id}
          onClose={stopCreating}
          onCreated={(webhook) => {
            stopCreating();
            setSecret(webhook);
            setConfig({ webhookId: webhook.id });
          }}
        />
      )}
      {creates && !isWebhook && (
        <CredentialDialog
          workflowId={workflow.id}
          only="messages"
          onClose={stopCreating}
          onCreated={(credential) => {
            stopCreating();
            setConfig(configOf(credential));
          }}
        />
      )}
      {secret !== null && <WebhookSecret workflow={workflow} webhook={secret} onClose={() => setSecret(null)} />}
    </>
  );
}
