import { useState } from "react";
import { prefix } from "../../../api/place";
import type { Credential, InboundToken, MessagingProvider, WorkflowDetail } from "../../../api/types";
import { useTexts } from "../../../i18n";
import { includes } from "../../../sharing/roles";
import { Button } from "../../../ui/Button";
import { CopyButton } from "../../../ui/CopyButton";
import { EmptyState } from "../../../ui/EmptyState";
import { Loaded } from "../../../ui/Loaded";
import { RelativeTime } from "../../../ui/RelativeTime";
import { Section } from "../../../ui/Section";
import { Table } from "../../../ui/Table";
import { Authorization } from "./Authorization";
import { useChannels } from "./channelQueries";
import { CredentialDialog } from "./CredentialDialog";
import { DeleteCredentialDialog } from "./DeleteCredentialDialog";
import { nameOfNode, nodesWithCredential } from "./nodes";
import { providerOf } from "./providers";
import { useCredentials } from "./credentialQueries";
import { useWebhooks } from "./queries";
import { RegenerateToken } from "./RegenerateToken";
import { TestCredentialDialog } from "./TestCredentialDialog";

type Open = { kind: "test" | "delete"; credential: Credential } | { kind: "new" } | null;

/** The credentials for other systems, and the tokens of the webhooks. */
export function Credentials({ workflow }: { workflow: WorkflowDetail }) {
  const { t } = useTexts();
  const isEditor = includes(workflow.access.role, "editor");
  const credentials = useCredentials(workflow.id, isEditor);
  const channels = useChannels(workflow.id).data;
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  if (!isEditor) {
    return (
      <EmptyState title={t.connections.credentials.hidden}>
        <p>{t.connections.credentials.hiddenText}</p>
      </EmptyState>
    );
  }
  const create = (
    <Button kind="primary" onClick={() => setOpen({ kind: "new" })}>{t.connections.credentials.new}</Button>
  );
  const usersOf = ({ id }: Credential) =>
    nodesWithCredential(workflow.graph, channels === undefined ? [] : [...channels.inputs, ...channels.outputs], id);
  return (
    <>
      <Loaded query={credentials}>
        {({ inbound, outbound }) => (
          <>
            <Section title={t.connections.credentials.outbound} aside={outbound.length > 0 && create}>
              {outbound.length === 0 ? (
                <EmptyState title={t.connections.credentials.none}>
                  <p>{t.connections.credentials.noneText}</p>
                  {create}
                </EmptyState>
              ) : (
                <>
                  <p className="muted tab-note">{t.connections.credentials.outboundText}</p>
                  <ul className="cards">
                    {outbound.map((credential) => (
                      <CredentialCard
                        key={credential.id}
                        workflowId={workflow.id}
                        credential={credential}
                        users={usersOf(credential).map(nameOfNode)}
                        onTest={() => setOpen({ kind: "test", credential })}
                        onDelete={() => setOpen({ kind: "delete", credential })}
                      />
                    ))}
                  </ul>
                </>
              )}
            </Section>
            <Section title={t.connections.credentials.tokens}>
              {inbound.length === 0 ? (
                <p className="panel calm">{t.connections.credentials.noTokens}</p>
              ) : (
                <>
                  <p className="muted tab-note">{t.connections.credentials.tokensText}</p>
                  <Tokens workflow={workflow} tokens={inbound} />
                </>
              )}
            </Section>
          </>
        )}
      </Loaded>
      {open?.kind === "new" && <CredentialDialog workflowId={workflow.id} onCreated={close} onClose={close} />}
      {open?.kind === "test" && <TestCredentialDialog workflowId={workflow.id} credential={open.credential} onClose={close} />}
      {open?.kind === "delete" && (
        <DeleteCredentialDialog workflow={workflow} credential={open.credential} users={usersOf(open.credential)} onClose={close} />
      )}
    </>
  );
}

interface CredentialCardProps {
  workflowId: string;
  credential: Credential;
  users: string[];
  onTest: () => void;
  onDelete: () => void;
}

function CredentialCard({ workflowId, credential, users, onTest, onDelete }: CredentialCardProps) {
  const { t, format } = useTexts();
  const { id, name, type, createdAt, authorization } = credential;
  const provider = providerOf(type);
  return (
    <li className="panel card">
      <div>
        <h3 translate="no">{name}</h3>
        <p className="sub">
          {t.connections.credentials.types[type]} · {t.connections.credentials.added} <RelativeTime time={createdAt} /> ·{" "}
          {users.length === 0 ? (
            t.connections.credentials.unused
          ) : (
            <>{t.connections.credentials.usedBy} <span translate="no">{format.list(users)}</span></>
          )}
        </p>
      </div>
      {authorization !== undefined && <Authorization workflowId={workflowId} credential={credential} authorization={authorization} />}
      {provider !== undefined && <MessageAddress credentialId={id} provider={provider} />}
      <div className="row-actions">
        <Button kind="quiet" aria-label={t.connections.credentials.testNamed(name)} onClick={onTest}>
          {t.connections.credentials.test}
        </Button>
        <Button kind="quiet" className="bad-text" aria-label={t.connections.credentials.deleteNamed(name)} onClick={onDelete}>
          {t.connections.credentials.delete}
        </Button>
      </div>
    </li>
  );
}

/** Where the messaging service delivers messages. */
function MessageAddress({ credentialId, provider }: { credentialId: string; provider: MessagingProvider }) {
  const { t } = useTexts();
  const address = `${location.origin}${prefix}/hooks/v1/messages/${credentialId}`;
  return (
    <div>
      <p className="url-line"><code>{address}</code><CopyButton text={address} what={t.connections.credentials.address} /></p>
      <p className="sub">{t.connections.credentials.addressTexts[provider]}</p>
    </div>
  );
}

function Tokens({ workflow, tokens }: { workflow: WorkflowDetail; tokens: InboundToken[] }) {
  const { t } = useTexts();
  const webhooks = useWebhooks(workflow.id);
  const canEdit = workflow.state !== "archived";
  return (
    <Loaded query={webhooks} lines={2}>
      {(webhooks) => {
        const byId = new Map(webhooks.map((webhook) => [webhook.id, webhook]));
        return (
          <Table
            caption={t.connections.credentials.tokens}
            rows={tokens}
            rowKey={(token) => token.webhookId}
            columns={[
              {
                title: t.connections.credentials.webhook,
                cell: ({ webhookId }) => <span className="name" translate="no">{byId.get(webhookId)?.name ?? webhookId}</span>,
              },
              { title: t.connections.credentials.token, cell: ({ tokenLast4 }) => <code>…{tokenLast4}</code> },
              { title: t.workflow.created, cell: ({ createdAt }) => <RelativeTime time={createdAt} /> },
              {
                title: t.connections.credentials.lastUsed,
                cell: ({ lastUsedAt }) =>
                  lastUsedAt === null ? <span className="muted">{t.connections.credentials.never}</span> : <RelativeTime time={lastUsedAt} />,
              },
              {
                title: t.actions,
                cell: ({ webhookId }) => {
                  const webhook = byId.get(webhookId);
                  return (
                    <div className="row-actions">
                      {canEdit && webhook !== undefined && <RegenerateToken workflow={workflow} webhook={webhook} />}
                    </div>
                  );
                },
              },
            ]}
          />
        );
      }}
    </Loaded>
  );
}
