import { type FormEvent, useState } from "react";
import type { Colleague } from "../../api/types";
import { useTexts } from "../../i18n";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { ErrorState } from "../../ui/ErrorState";
import { Loaded } from "../../ui/Loaded";
import { SearchField } from "../../ui/SearchField";
import { Select } from "../../ui/Select";
import { useColleagues } from "./queries";
import { type MemberRole, memberRoles } from "./roles";


interface PersonDialogProps {
  title: string;
  text?: string;
  action: string;
  /** A sentence about the choice that the person must confirm. */
  confirm?: (person: Colleague) => string;
  excluded: string[];
  chooseRole?: boolean;
  busy: boolean;
  error: unknown;
  onChoose: (person: Colleague, role: MemberRole) => void;
  onClose: () => void;
}

/** Chooses a colleague of the organization. */
export function PersonDialog(props: PersonDialogProps) {
  const { title, text, action, confirm, excluded, chooseRole = false, busy, error, onChoose, onClose } = props;
  const { t } = useTexts();
  const [search, setSearch] = useState("");
  const [person, setPerson] = useState<Colleague | null>(null);
  const [role, setRole] = useState<MemberRole>("viewer");
  const [confirmed, setConfirmed] = useState(false);
  const colleagues = useColleagues(search);
  const isReady = person !== null && (confirm === undefined || confirmed);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady && !busy) onChoose(person, role);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        {text && <p>{text}</p>}
        <SearchField value={search} onSearch={setSearch} />
        <Loaded query={colleagues} lines={3}>
          {(people) => {
            const shown = people.filter(({ userId }) => !excluded.includes(userId));
            if (shown.length === 0) return <p className="muted">{search ? t.workflow.noPerson : t.workflow.nobodyElse}</p>;
            return (
              <fieldset className="people">
                <legend className="sr-only">{t.workflow.person}</legend>
                {shown.map((colleague) => (
                  <label key={colleague.userId} className="check">
                    <input
                      type="radio"
                      name="person"
                      checked={person?.userId === colleague.userId}
                      disabled={colleague.suspended}
                      onChange={() => {
                        setPerson(colleague);
                        setConfirmed(false);
                      }}
                    />
                    <span>
                      {colleague.name}
                      {colleague.email && <span className="muted"> {colleague.email}</span>}
                      {colleague.suspended && <span className="muted"> ({t.workflow.suspended})</span>}
                    </span>
                  </label>
                ))}
              </fieldset>
            );
          }}
        </Loaded>
        {chooseRole && (
          <>
            <Select label={t.workflow.role} value={role} options={memberRoles.map((role) => [role, t.workflow.roles[role]] as const)} onChange={setRole} />
            <p className="muted">{t.workflow.roleTexts[role]}</p>
          </>
        )}
        {person !== null && confirm !== undefined && (
          <label className="check">
            <input type="checkbox" checked={confirmed} onChange={(event) => setConfirmed(event.target.checked)} />
            {confirm(person)}
          </label>
        )}
        {error ? <ErrorState error={error} /> : null}
        <footer>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button type="submit" kind={confirm === undefined ? "primary" : "danger"} disabled={!isReady} busy={busy}>{action}</Button>
        </footer>
      </form>
    </Dialog>
  );
}
