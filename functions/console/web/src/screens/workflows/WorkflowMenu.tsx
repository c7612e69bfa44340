import { useState } from "react";
import { asApiError } from "../../api/errors";
import type { Workflow, WorkflowDetail } from "../../api/types";
import { useTexts } from "../../i18n";
import { ArchiveDialog } from "../../lists/ArchiveDialog";
import { useApply } from "../../lists/useApply";
import { navigate } from "../../router/history";
import { includes } from "../../sharing/roles";
import { ActionMenu } from "../../ui/Menu";
import { useToast } from "../../ui/Toast";
import { allowed, download, useChange, useClone } from "./queries";
import { StartDialog } from "./StartDialog";

interface WorkflowMenuProps {
  workflow: Workflow | WorkflowDetail;
  /** In the header, which has buttons to run, to resume and to restore. */
  framed?: boolean;
  onDelete?: () => void;
}

/** What can be done with a workflow. */
export function WorkflowMenu({ workflow, framed = false, onDelete }: WorkflowMenuProps) {
  const { t } = useTexts();
  const toast = useToast();
  const change = useChange();
  const apply = useApply(workflow, { change, done: t.workflows.done });
  const clone = useClone();
  const [starts, setStarts] = useState(false);
  const [archives, setArchives] = useState(false);
  const { id, name, state, access } = workflow;
  const canEdit = includes(access.role, "editor");
  const report = (error: unknown) => toast(asApiError(error).message);
  const copy = () =>
    clone.mutate(id, {
      onSuccess: ({ data }) => {
        toast(t.workflows.created(data.name));
        navigate({ to: "workflow", params: { workflowId: data.id } });
      },
      onError: report,
    });
  return (
    <>
      <ActionMenu
        label={t.workflows.menu(name)}
        framed={framed}
        actions={[
          !framed && state === "published" && access.role !== "viewer" && { name: `${t.workflow.run}…`, act: () => setStarts(true) },
          ...(canEdit
            ? allowed[state].filter((kind) => kind === "pause" || (!framed && kind !== "archive")).map((kind) => ({ name: t.workflows.changes[kind], act: () => apply(kind) }))
            : []),
          { name: t.workflows.clone, act: copy },
          { name: t.workflows.export, act: () => void download(id, name).catch(report) },
          canEdit && allowed[state].includes("archive") && { name: `${t.workflows.changes.archive}…`, danger: true, act: () => setArchives(true) },
          onDelete !== undefined && access.role === "owner" && { name: `${t.workflow.delete}…`, danger: true, act: onDelete },
        ]}
      />
      {starts && <StartDialog workflow={workflow} onClose={() => setStarts(false)} />}
      {archives && (
        <ArchiveDialog name={name} text={t.workflows.archiveText} change={change} onArchive={() => apply("archive", () => setArchives(false))} onClose={() => setArchives(false)} />
      )}
    </>
  );
}
