import { type Node, type NodeProps, NodeResizer } from "@xyflow/react";
import { memo } from "react";
import { useTexts } from "../../i18n";
import type { Note } from "./model/types";

interface NoteData extends Record<string, unknown> {
  note: Note;
  canEdit: boolean;
  onResize: (id: string, place: { x: number; y: number; width: number; height: number }) => void;
}

export type NoteNode = Node<NoteData, "note">;

export const NOTE_SIZE = { width: 240, height: 120 };

/** A note, or a frame around nodes. Its text is edited in the panel. */
export const NoteCard = memo(function NoteCard({ data, selected }: NodeProps<NoteNode>) {
  const { t } = useTexts();
  const { note, canEdit, onResize } = data;
  return (
    <div className="note" data-selected={selected} style={note.color ? { borderColor: note.color } : undefined}>
      {canEdit && (
        <NodeResizer isVisible={selected ?? false} minWidth={120} minHeight={60} onResizeEnd={(_, place) => onResize(note.id, place)} />
      )}
      <p>{note.text || <span className="muted">{t.editor.emptyNote}</span>}</p>
    </div>
  );
});
