import { useTexts } from "../../i18n";
import { ChoiceDialog } from "../../ui/ChoiceDialog";
import { useAgentChoices, useWorkflowChoices } from "./queries";

interface ReferenceDialogProps {
  kind: "agent" | "workflow";
  excluded: readonly string[];
  onChoose: (id: string) => void;
  onClose: () => void;
}

/** Chooses an agent or a workflow that the agent may use. */
export function ReferenceDialog({ kind, excluded, onChoose, onClose }: ReferenceDialogProps) {
  const { t } = useTexts();
  return (
    <ChoiceDialog
      title={kind === "agent" ? t.agents.chooseAgent : t.agents.chooseWorkflow}
      label={kind === "agent" ? t.agents.agent : t.run.kinds.workflow}
      action={t.agents.choose}
      useChoices={kind === "agent" ? useAgentChoices : useWorkflowChoices}
      excluded={excluded}
      empty={kind === "agent" ? t.agents.noOtherAgent : t.workflows.none}
      onClose={onClose}
      onChoose={({ id }) => {
        onChoose(id);
        onClose();
      }}
    />
  );
}
