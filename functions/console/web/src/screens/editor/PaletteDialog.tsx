import { useMemo, useState } from "react";
import { useTexts } from "../../i18n";
import { Dialog } from "../../ui/Dialog";
import { categories } from "./form/schema";
import type { GraphNode, NodeType } from "./model/types";
import { Picker } from "./Picker";
import { useNames } from "./texts";

interface PaletteDialogProps {
  types: ReadonlyMap<string, NodeType>;
  /** The selected node, after which the new one can be connected. */
  after: GraphNode | null;
  onAdd: (type: NodeType, connects: boolean) => void;
  onAddNote: () => void;
  onClose: () => void;
}

const NOTE = "note:";

/** The node types by category. Enter adds one. */
export function PaletteDialog({ types, after, onAdd, onAddNote, onClose }: PaletteDialogProps) {
  const { t } = useTexts();
  const names = useNames();
  const [connects, setConnects] = useState(true);
  const groups = useMemo(() => {
    const list = [...types.values()];
    return [
      ...categories.map((category) => ({
        title: t.editor.categories[category],
        choices: list
          .filter((type) => type.category === category)
          .map((type) => ({ key: type.type, name: names.type(type.type), text: type.description, category })),
      })),
      { title: t.editor.canvas, choices: [{ key: NOTE, name: t.editor.note, text: t.editor.noteAbout, category: undefined }] },
    ];
  }, [types, t]);
  return (
    <Dialog title={t.editor.addNode} onClose={onClose} wide>
      <Picker
        label={t.editor.addNode}
        groups={groups}
        onPick={(key) => {
          const type = types.get(key);
          if (key === NOTE) onAddNote();
          else if (type !== undefined) onAdd(type, connects && after !== null);
        }}
      />
      {after !== null && (
        <label className="check">
          <input type="checkbox" checked={connects} onChange={(event) => setConnects(event.target.checked)} />
          {t.editor.connectAfter(names.node(after))}
        </label>
      )}
    </Dialog>
  );
}
