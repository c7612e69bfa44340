import { useState } from "react";
import { useTexts } from "../../i18n";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import type { Draft } from "./draft";
import { writeJson } from "../../values/json";
import type { Conflict, Side } from "./model/merge";
import { useNames } from "./texts";

const keyOf = ({ kind, id }: Conflict) => `${kind} ${id}`;

/** Asks which side of each contradicting change to keep. */
export function ConflictDialog({ draft, conflicts }: { draft: Draft; conflicts: readonly Conflict[] }) {
  const { t } = useTexts();
  const names = useNames();
  const [sides, setSides] = useState<ReadonlyMap<string, Side>>(new Map());
  const [asks, setAsks] = useState(false);
  const isComplete = conflicts.every((conflict) => sides.has(keyOf(conflict)));
  const nameOf = (conflict: Conflict) => {
    if (conflict.kind === "name") return t.editor.workflowName;
    if (conflict.kind === "note") return t.editor.note;
    const node = conflict.mine ?? conflict.theirs;
    return node === null ? conflict.id : names.node(node);
  };
  return (
    <Dialog title={t.editor.conflictTitle} onClose={() => setAsks(true)} wide>
      <p>{t.editor.conflictText}</p>
      {conflicts.map((conflict) => (
        <fieldset key={keyOf(conflict)} className="conflict">
          <legend>{nameOf(conflict)} {conflict.id !== "" && <code>{conflict.id}</code>}</legend>
          {(["mine", "theirs"] as const).map((side) => (
            <div key={side}>
              <label className="check">
                <input
                  type="radio"
                  name={keyOf(conflict)}
                  checked={sides.get(keyOf(conflict)) === side}
                  onChange={() => setSides(new Map(sides).set(keyOf(conflict), side))}
                />
                {t.editor.sides[side]}
              </label>
              <SideContent value={conflict[side]} />
            </div>
          ))}
        </fieldset>
      ))}
      {asks && !isComplete && <p role="alert" className="field-problem">{t.editor.chooseFirst}</p>}
      <footer>
        <Button
          kind="primary"
          onClick={() => (isComplete ? draft.resolve((conflict) => sides.get(keyOf(conflict))) : setAsks(true))}
        >
          {t.editor.keepChosen}
        </Button>
      </footer>
    </Dialog>
  );
}

function SideContent({ value }: { value: Conflict[Side] }) {
  const { t } = useTexts();
  if (value === null) return <p className="muted">{t.editor.removedSide}</p>;
  return <pre tabIndex={0}>{typeof value === "string" ? value : writeJson(contentOf(value))}</pre>;
}

/** What people compare: not the id and the position. */
function contentOf(item: object): object {
  const { id: _, position: __, ...content } = item as Record<string, unknown>;
  return content;
}
