import { useState } from "react";
import { useTexts } from "../../i18n";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { ValueView } from "../../values/ValueView";
import type { Difference, FieldName } from "./edits";
import type { Conflict } from "./useEdits";

interface ConflictDialogProps {
  conflict: Conflict;
  onResolve: (kept: ReadonlySet<FieldName>) => void;
  onClose: () => void;
}

/** What others saved meanwhile. Of the fields that both changed, the person chooses; all else is kept from both. */
export function ConflictDialog({ conflict: { differences }, onResolve, onClose }: ConflictDialogProps) {
  const { t } = useTexts();
  const [kept, setKept] = useState<ReadonlySet<FieldName>>(() => new Set(differences.filter((one) => "mine" in one).map(({ field }) => field)));
  const choose = (field: FieldName, isMine: boolean) => {
    const next = new Set(kept);
    if (isMine) next.add(field);
    else next.delete(field);
    setKept(next);
  };
  return (
    <Dialog title={t.agents.conflictTitle} onClose={onClose} wide>
      <p>{t.agents.conflictText}</p>
      {differences.map((difference) => (
        <FieldDifference key={difference.field} difference={difference} isMine={kept.has(difference.field)} onChoose={choose} />
      ))}
      <footer>
        <Button onClick={onClose}>{t.cancel}</Button>
        <Button kind="primary" onClick={() => onResolve(kept)}>{t.unsaved.save}</Button>
      </footer>
    </Dialog>
  );
}

function FieldDifference({ difference, isMine, onChoose }: { difference: Difference; isMine: boolean; onChoose: (field: FieldName, isMine: boolean) => void }) {
  const { t } = useTexts();
  const { field, before, theirs } = difference;
  const name = t.agents.fields[field];
  if (!("mine" in difference)) {
    return (
      <section className="value-pair" aria-label={name}>
        <ValueView name={`${name}: ${t.agents.before}`} value={before} />
        <ValueView name={`${name}: ${t.agents.theirs}`} value={theirs} />
      </section>
    );
  }
  return (
    <fieldset className="conflict">
      <legend>{name}</legend>
      {([true, false] as const).map((side) => (
        <div key={String(side)}>
          <label className="check">
            <input type="radio" name={field} checked={isMine === side} onChange={() => onChoose(field, side)} />
            {side ? t.agents.keepMine : t.agents.takeTheirs}
          </label>
          <ValueView name={`${name}: ${side ? t.agents.mine : t.agents.theirs}`} value={side ? difference.mine : theirs} />
        </div>
      ))}
    </fieldset>
  );
}
