import { useTexts } from "../i18n";
import { Confirm } from "../ui/Dialog";

interface ArchiveDialogProps {
  name: string;
  /** What archiving means. */
  text: string;
  change: { isPending: boolean; error: unknown; reset: () => void };
  onArchive: () => void;
  onClose: () => void;
}

/** Asks before a workflow or an agent is archived. */
export function ArchiveDialog({ name, text, change, onArchive, onClose }: ArchiveDialogProps) {
  const { t } = useTexts();
  return (
    <Confirm
      title={t.workflows.archiveTitle(name)}
      action={t.workflows.changes.archive}
      danger
      busy={change.isPending}
      error={change.error}
      onConfirm={onArchive}
      onClose={() => {
        change.reset();
        onClose();
      }}
    >
      <p>{text}</p>
    </Confirm>
  );
}
