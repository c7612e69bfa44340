import type { Credential, WorkflowDetail } from "../../../api/types";
import { useManifest } from "../../../api/workflow";
import { useTexts } from "../../../i18n";
import { Confirm } from "../../../ui/Dialog";
import { Loaded } from "../../../ui/Loaded";
import { useToast } from "../../../ui/Toast";
import { useWhenDone } from "../../../ui/useWhenDone";
import { nameOfNode, type Node } from "./nodes";
import { useDeleteCredential } from "./credentialQueries";

interface DeleteCredentialDialogProps {
  workflow: WorkflowDetail;
  credential: Credential;
  /** The nodes of the draft that use it. */
  users: Node[];
  onClose: () => void;
}

/** Names what uses the credential before it is deleted. */
export function DeleteCredentialDialog({ workflow, credential, users, onClose }: DeleteCredentialDialogProps) {
  const { t } = useTexts();
  const toast = useToast();
  const whenDone = useWhenDone();
  const remove = useDeleteCredential(workflow.id);
  const { activeRelease } = workflow;
  const manifest = useManifest(workflow.id, activeRelease?.id);
  return (
    <Confirm
      title={t.connections.credentials.deleteTitle(credential.name)}
      action={t.connections.credentials.delete}
      danger
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() =>
        whenDone(remove.mutateAsync(credential.id), (_, isShown) => {
          toast(t.connections.credentials.deleted(credential.name));
          if (isShown) onClose();
        })
      }
    >
      <p>{t.connections.credentials.deleteText}</p>
      {users.length > 0 && (
        <>
          <p>{t.connections.credentials.usedInDraft}</p>
          <ul translate="no">{users.map((node) => <li key={node.id}>{nameOfNode(node)}</li>)}</ul>
        </>
      )}
      {activeRelease === null ? (
        users.length === 0 && <p>{t.connections.credentials.notUsed}</p>
      ) : (
        <Loaded query={manifest} lines={1}>
          {({ dependencies }) =>
            dependencies.credentials.includes(credential.id) ? (
              <p>{t.connections.credentials.usedInRelease(activeRelease.number)}</p>
            ) : (
              users.length === 0 && <p>{t.connections.credentials.notUsed}</p>
            )
          }
        </Loaded>
      )}
    </Confirm>
  );
}
