import { useContext, useState } from "react";
import { useTexts } from "../../i18n";
import { Link } from "../../router/Link";
import { Button } from "../../ui/Button";
import type { Changes, Fields } from "./edits";
import { FormContext, SelectField } from "./fields";
import { ReferenceDialog } from "./ReferenceDialog";

const strategies = ["sequential", "router", "parallel"] as const;

interface TeamFieldsProps {
  id: string;
  fields: Fields;
  canEdit: boolean;
  onChange: (changes: Changes) => void;
}

/** The agents of a team, in their order, and how they divide the work. */
export function TeamFields({ id, fields: { members, strategy }, canEdit, onChange }: TeamFieldsProps) {
  const { t } = useTexts();
  const { problems, nameOf } = useContext(FormContext);
  const [adds, setAdds] = useState(false);
  return (
    <>
      <SelectField
        path="config.strategy"
        label={t.agents.strategy}
        value={strategy ?? "sequential"}
        options={strategies.map((strategy) => [strategy, t.agents.strategies[strategy]] as const)}
        onChange={(strategy) => onChange({ strategy })}
      />
      {members.length === 0 && <p className="muted">{t.agents.noMembers}</p>}
      <ol className="panel rows">
        {members.map((member, index) => (
          <li key={member}>
            <div className="main">
              <Link to="agent" params={{ agentId: member }} translate="no">{nameOf(member)}</Link>
              {problems.has(`config.members[${index}]`) && <p className="field-problem">{problems.get(`config.members[${index}]`)}</p>}
            </div>
            {canEdit && (
              <span className="row-actions">
                {index > 0 && (
                  <Button kind="quiet" aria-label={t.editor.moveUp(nameOf(member))} onClick={() => onChange({ members: members.with(index, members[index - 1] ?? "").with(index - 1, member) })}>↑</Button>
                )}
                <Button kind="quiet" aria-label={t.editor.removeNamed(nameOf(member))} onClick={() => onChange({ members: members.toSpliced(index, 1) })}>{t.editor.remove}</Button>
              </span>
            )}
          </li>
        ))}
      </ol>
      {canEdit && members.length < 16 && <Button className="add" onClick={() => setAdds(true)}>+ {t.agents.addMember}</Button>}
      {adds && (
        <ReferenceDialog kind="agent" excluded={[id, ...members]} onChoose={(member) => onChange({ members: [...members, member] })} onClose={() => setAdds(false)} />
      )}
    </>
  );
}
