import { useState } from "react";
import { asApiError } from "../../api/errors";
import type { Agent } from "../../api/types";
import { useTexts } from "../../i18n";
import { ArchiveDialog } from "../../lists/ArchiveDialog";
import { useApply } from "../../lists/useApply";
import { navigate } from "../../router/history";
import { includes } from "../../sharing/roles";
import { Confirm } from "../../ui/Dialog";
import { ActionMenu } from "../../ui/Menu";
import { useToast } from "../../ui/Toast";
import { useWhenDone } from "../../ui/useWhenDone";
import { allowed, useChange, useDelete, useDuplicate } from "./queries";

interface AgentMenuProps {
  agent: Agent;
  framed?: boolean;
  /** Before the agent is gone, such as to forget what is not saved. */
  onDelete?: () => void;
}

/** What can be done with an agent. */
export function AgentMenu({ agent, framed = false, onDelete }: AgentMenuProps) {
  const { t } = useTexts();
  const toast = useToast();
  const whenDone = useWhenDone();
  const change = useChange();
  const apply = useApply(agent, { change, done: t.agents.done });
  const duplicate = useDuplicate();
  const remove = useDelete();
  const [open, setOpen] = useState<"archive" | "delete" | null>(null);
  const { id, name, status, access } = agent;
  const canEdit = includes(access.role, "editor");
  const report = (error: unknown) => toast(asApiError(error).message);
  const close = () => {
    remove.reset();
    setOpen(null);
  };
  const copy = () =>
    duplicate.mutate(
      { id, nameOf: t.agents.copyOf },
      {
        onSuccess: ({ data }) => {
          toast(t.agents.created(data.name));
          navigate({ to: "agent", params: { agentId: data.id } });
        },
        onError: report,
      },
    );
  return (
    <>
      <ActionMenu
        label={t.workflows.menu(name)}
        framed={framed}
        actions={[
          ...(canEdit
            ? allowed[status].filter((kind) => kind !== "archive").map((kind) => ({ name: t.agents.changes[kind], act: () => apply(kind) }))
            : []),
          { name: t.agents.duplicate, act: copy },
          canEdit && allowed[status].includes("archive") && { name: `${t.agents.changes.archive}…`, danger: true, act: () => setOpen("archive") },
          access.role === "owner" && { name: `${t.agents.delete}…`, danger: true, act: () => setOpen("delete") },
        ]}
      />
      {open === "archive" && <ArchiveDialog name={name} text={t.agents.archiveText} change={change} onArchive={() => apply("archive", close)} onClose={close} />}
      {open === "delete" && (
        <Confirm
          title={t.agents.deleteTitle(name)}
          action={t.agents.delete}
          danger
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() =>
            // The list no longer has the agent by then.
            whenDone(remove.mutateAsync(id), (_, isShown) => {
              setOpen(null);
              toast(t.agents.deleted(name));
              if (isShown) onDelete?.();
            })
          }
          onClose={close}
        >
          <p>{t.agents.deleteText}</p>
        </Confirm>
      )}
    </>
  );
}
