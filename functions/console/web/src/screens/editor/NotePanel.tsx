import { useTexts } from "../../i18n";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import type { Draft } from "./draft";
import { updateNote } from "./model/graph";
import type { Note } from "./model/types";

/** The text and the color of the selected note. */
export function NotePanel({ draft, note, canEdit }: { draft: Draft; note: Note; canEdit: boolean }) {
  const { t } = useTexts();
  const change = (changes: Partial<Note>, group: string) =>
    draft.change((graph) => updateNote(graph, note.id, changes), { group: `note ${note.id} ${group}` });
  return (
    <div className="inspector">
      <h2>{t.editor.note}</h2>
      <Field label={t.editor.noteText}>
        {(ids) => (
          <textarea {...ids} rows={8} maxLength={4000} disabled={!canEdit} value={note.text ?? ""} onChange={(event) => change({ text: event.target.value }, "text")} />
        )}
      </Field>
      <Field label={t.editor.color} inline>
        {(ids) => (
          <input {...ids} type="color" disabled={!canEdit} value={note.color ?? "#e0b84c"} onChange={(event) => change({ color: event.target.value }, "color")} />
        )}
      </Field>
      {canEdit && <footer className="inspector-foot"><Button kind="danger" onClick={() => draft.removeSelected()}>{t.editor.remove}</Button></footer>}
    </div>
  );
}
