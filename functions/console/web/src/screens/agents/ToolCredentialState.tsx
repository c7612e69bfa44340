import { useState } from "react";
import { useTexts } from "../../i18n";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Confirm } from "../../ui/Dialog";
import { RelativeTime } from "../../ui/RelativeTime";
import { useToast } from "../../ui/Toast";
import { useWhenDone } from "../../ui/useWhenDone";
import { CredentialDialog } from "./CredentialDialog";
import { type CalledTool, findStored, type Stored } from "./edits";
import { useDeleteCredential } from "./queries";

/** Whether the credential of a tool is stored. It can be stored once the tool is saved as it is here. */
export function ToolCredentialState({ stored, tool, canEdit }: { stored: Stored; tool: CalledTool; canEdit: boolean }) {
  const { t } = useTexts();
  const toast = useToast();
  const whenDone = useWhenDone();
  const { agent } = stored;
  const remove = useDeleteCredential(agent.id);
  const [open, setOpen] = useState<"set" | "delete" | null>(null);
  const credential = agent.credentials.find(({ tool: name }) => name === tool.name);
  if (findStored(agent, tool) === undefined) return <p className="hint">{t.agents.credentialLater}</p>;
  return (
    <div className="reference">
      {credential === undefined ? (
        <Badge tone="warn">{t.agents.credentialMissing}</Badge>
      ) : (
        <span><Badge tone="good">{t.agents.credentialStored}</Badge> <span className="muted"><RelativeTime time={credential.createdAt} /></span></span>
      )}
      {canEdit && (
        <span className="row-actions">
          <Button onClick={() => setOpen("set")}>{credential === undefined ? t.agents.storeCredential : t.agents.replaceCredential}…</Button>
          {credential !== undefined && <Button kind="danger" onClick={() => setOpen("delete")}>{t.agents.delete}…</Button>}
        </span>
      )}
      {open === "set" && <CredentialDialog agent={agent.id} tool={tool} onClose={() => setOpen(null)} />}
      {open === "delete" && (
        <Confirm
          title={t.agents.deleteCredentialTitle(tool.name)}
          action={t.agents.delete}
          danger
          busy={remove.isPending}
          error={remove.error}
          onClose={() => {
            remove.reset();
            setOpen(null);
          }}
          onConfirm={() =>
            whenDone(remove.mutateAsync(tool.name), () => {
              toast(t.agents.credentialDeleted);
              setOpen(null);
            })
          }
        >
          <p>{t.agents.deleteCredentialText}</p>
        </Confirm>
      )}
    </div>
  );
}
