import { useState } from "react";
import { useTexts } from "../i18n";
import { type Choice, ChoiceDialog } from "../ui/ChoiceDialog";
import { Select } from "../ui/Select";
import { useColleagues } from "./queries";
import { type MemberRole, memberRoles } from "./roles";

interface PersonDialogProps {
  title: string;
  text?: string;
  action: string;
  /** A sentence about the choice that the person must confirm. */
  confirm?: (person: Choice) => string;
  excluded: string[];
  /** What each role may do, if a role is chosen, too. */
  roleTexts?: Record<MemberRole, string>;
  busy: boolean;
  error: unknown;
  onChoose: (person: Choice, role: MemberRole) => void;
  onClose: () => void;
}

/** Chooses a colleague of the organization. */
export function PersonDialog({ roleTexts, onChoose, ...rest }: PersonDialogProps) {
  const { t } = useTexts();
  const [role, setRole] = useState<MemberRole>("viewer");
  return (
    <ChoiceDialog {...rest} label={t.sharing.person} disabledText={t.sharing.suspended} useChoices={useColleagues} empty={t.sharing.nobodyElse} onChoose={(person) => onChoose(person, role)}>
      {roleTexts && (
        <>
          <Select label={t.sharing.role} value={role} options={memberRoles.map((role) => [role, t.sharing.roles[role]] as const)} onChange={setRole} />
          <p className="muted">{roleTexts[role]}</p>
        </>
      )}
    </ChoiceDialog>
  );
}
