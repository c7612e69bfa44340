import { useMemo, useState } from "react";
import { useTexts } from "../../i18n";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import type { Draft } from "./draft";
import { categories } from "./form/schema";
import type { NewNode } from "./model/graph";
import type { Graph, GraphNode, NodeType } from "./model/types";
import { Picker } from "./Picker";
import { findPicked, operationGroups, type Picked, serviceGroups } from "./services/choices";
import { OperationDialog } from "./services/OperationDialog";
import { useServices } from "./services/queries";
import { useNames } from "./texts";

interface PaletteDialogProps {
  draft: Draft;
  types: ReadonlyMap<string, NodeType>;
  /** The selected node, after which the new one can be connected. */
  after: GraphNode | null;
  /** Returns the graph with a new node. */
  place: (type: NodeType, after: GraphNode | null, made: NewNode) => { graph: Graph; id: string };
  onAdd: (type: NodeType, after: GraphNode | null, made?: NewNode) => void;
  onAddNote: () => void;
  onClose: () => void;
}

const NOTE = "note:";

/** The node types and the services, by category. Enter adds a node, or opens a service or the form of an operation. */
export function PaletteDialog({ draft, types, after, place, onAdd, onAddNote, onClose }: PaletteDialogProps) {
  const { t } = useTexts();
  const names = useNames();
  const [connects, setConnects] = useState(true);
  const [picked, setPicked] = useState<Picked | null>(null);
  const services = useServices();
  const http = types.get("http");
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
      ...(http === undefined ? [] : serviceGroups(services.data ?? [], t.editor.services)),
    ];
  }, [types, services.data, t]);
  const ofService = useMemo(() => (picked === null ? [] : operationGroups(picked.service)), [picked]);
  const before = connects ? after : null;
  const pick = (key: string) => {
    const type = types.get(key);
    if (key === NOTE) onAddNote();
    else if (type !== undefined) onAdd(type, before);
    else setPicked(findPicked(services.data ?? [], key));
  };

  if (picked?.operation != null && http !== undefined) {
    return (
      <OperationDialog
        draft={draft}
        types={types}
        service={picked.service}
        operation={picked.operation}
        place={(made) => place(http, before, made)}
        onAdd={(made) => onAdd(http, before, made)}
        onBack={() => setPicked({ ...picked, operation: null })}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog title={picked?.service.name ?? t.editor.addNode} onClose={onClose} wide>
      {picked === null ? (
        <Picker key="all" label={t.editor.addNode} groups={groups} onPick={pick} />
      ) : (
        <Picker key={picked.service.id} label={picked.service.name} groups={ofService} onPick={pick} />
      )}
      {picked === null && http !== undefined && (
        <div role="status">
          {services.isLoading && <p className="muted">{t.editor.services.loading}</p>}
          {services.isLoadingError && (
            <p className="muted">
              {t.editor.services.failed}{" "}
              <Button kind="quiet" onClick={() => void services.refetch()}>{t.errors.retry}</Button>
            </p>
          )}
        </div>
      )}
      {after !== null && (
        <label className="check">
          <input type="checkbox" checked={connects} onChange={(event) => setConnects(event.target.checked)} />
          {t.editor.connectAfter(names.node(after))}
        </label>
      )}
      {picked !== null && (
        <footer className="back-only">
          <Button onClick={() => setPicked(null)}>{t.editor.services.back}</Button>
        </footer>
      )}
    </Dialog>
  );
}
