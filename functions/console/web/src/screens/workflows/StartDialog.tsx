import type { Workflow } from "../../api/types";
import { useWorkflow } from "../../api/workflow";
import { useTexts } from "../../i18n";
import { Dialog } from "../../ui/Dialog";
import { Loaded } from "../../ui/Loaded";
import { RunDialog } from "../workflow/RunDialog";

/** Starts a run of a workflow of the list, which lacks what the dialog needs to suggest an input. */
export function StartDialog({ workflow: { id, name }, onClose }: { workflow: Pick<Workflow, "id" | "name">; onClose: () => void }) {
  const { t } = useTexts();
  const query = useWorkflow(id);
  if (query.data !== undefined) return <RunDialog workflow={query.data} onClose={onClose} />;
  return <Dialog title={t.workflow.runTitle(name)} onClose={onClose}><Loaded query={query}>{() => null}</Loaded></Dialog>;
}
