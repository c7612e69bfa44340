import { useQueryClient } from "@tanstack/react-query";
import { ReactFlowProvider, useReactFlow } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { saveBeforeSignOut } from "../../api/session";
import { type KeyRow, useScreenKeys } from "../../app/screenKeys";
import { useTexts } from "../../i18n";
import { EmptyState } from "../../ui/EmptyState";
import { Button } from "../../ui/Button";
import { ErrorState } from "../../ui/ErrorState";
import { Skeleton } from "../../ui/Loading";
import { PageTitle } from "../../ui/PageTitle";
import { useToast } from "../../ui/Toast";
import { Bar } from "./Bar";
import { Canvas, useShowNode } from "./Canvas";
import { ConflictDialog } from "./ConflictDialog";
import { ConnectDialog } from "./ConnectDialog";
import { DataDrawer } from "./DataDrawer";
import { Draft, findLeft, keepLeft, useDraft } from "./draft";
import "./editor.css";
import { ExpressionValues } from "./expression/context";
import { type Focus, Inspector } from "./Inspector";
import { copyItems, isTooLarge, pasteItems, readItems } from "./model/clipboard";
import { addNode, addNote, connect, GRID, moveItems, type NewNode, noteIdOf, noteKey } from "./model/graph";
import { arrange } from "./model/layout";
import type { Pin, Scope } from "./model/partial";
import { inputNames, NODE_WIDTH, outputNames } from "./model/ports";
import type { GraphNode, NodeType, Position, Problem } from "./model/types";
import { NotePanel } from "./NotePanel";
import { PaletteDialog } from "./PaletteDialog";
import { PinDialog } from "./PinDialog";
import { Problems } from "./Problems";
import { PublishDialog } from "./PublishDialog";
import { loadWorkflow, useNodeTypes } from "./queries";
import { RenameDialog } from "./RenameDialog";
import { RunDialog } from "./RunDialog";
import { useNames } from "./texts";
import { TriedState } from "./TriedState";
import { TryDialog } from "./TryDialog";
import { useEditorKeys } from "./useEditorKeys";

type Loading = { draft: Draft } | { error: unknown } | null;

/** The editor of a workflow's draft. */
export default function Editor({ id, query }: { id: string; query: URLSearchParams }) {
  const { t, language } = useTexts();
  const types = useNodeTypes(language);
  const [loading, setLoading] = useState<Loading>(null);
  const [attempt, setAttempt] = useState(0);
  const hasTypes = types.data !== undefined;
  const known = useRef(types.data);
  known.current = types.data;
  useEffect(() => {
    const types = known.current;
    if (types === undefined) return;
    let isLeft = false;
    const unsaved = findLeft(id);
    if (unsaved !== null) {
      setLoading({ draft: unsaved });
      void unsaved.save();
      return;
    }
    loadWorkflow(id, types).then(
      (stored) => {
        const { role } = stored.head.access;
        const canEdit = (role === "owner" || role === "editor") && stored.head.state !== "archived";
        if (!isLeft) setLoading({ draft: new Draft(stored, types, canEdit) });
      },
      (error: unknown) => !isLeft && setLoading({ error }),
    );
    return () => {
      isLeft = true;
    };
  }, [id, hasTypes, attempt]);
  const error = types.error ?? (loading !== null && "error" in loading ? loading.error : null);
  if (error !== null) {
    return (
      <>
        <PageTitle title={t.editor.title} />
        <ErrorState error={error} onRetry={() => (types.error === null ? setAttempt(attempt + 1) : void types.refetch())} />
      </>
    );
  }
  if (types.data === undefined || loading === null || !("draft" in loading)) return <Skeleton lines={10} />;
  return (
    <ReactFlowProvider>
      <Workbench draft={loading.draft} types={types.data} shown={query.get("node")} />
    </ReactFlowProvider>
  );
}

type Open = "palette" | "connect" | "rename" | "publish" | "run" | "pin" | Scope["kind"] | null;

const WHOLE: Scope = { kind: "whole" };

const narrow = window.matchMedia("(max-width: 760px)");
const subscribeNarrow = (listener: () => void) => {
  narrow.addEventListener("change", listener);
  return () => narrow.removeEventListener("change", listener);
};

interface WorkbenchProps {
  draft: Draft;
  types: ReadonlyMap<string, NodeType>;
  /** The node that a link to the editor names. */
  shown: string | null;
}

function Workbench({ draft, types, shown }: WorkbenchProps) {
  const { t, language } = useTexts();
  const names = useNames();
  const toast = useToast();
  const { fitView, screenToFlowPosition } = useReactFlow();
  const showNode = useShowNode();
  const isNarrow = useSyncExternalStore(subscribeNarrow, () => narrow.matches);
  const canEdit = draft.canEdit && !isNarrow;
  const graph = useDraft(draft, (state) => state.graph);
  const selection = useDraft(draft, (state) => state.selection);
  const conflicts = useDraft(draft, (state) => state.conflicts);
  const [open, setOpen] = useState<Open>(null);
  const [focus, setFocus] = useState<Focus | null>(null);
  const canvas = useRef<HTMLDivElement>(null);
  const close = () => setOpen(null);

  useSaving(draft);
  useEffect(() => draft.checkSoon(), [draft, language]);
  useEffect(() => {
    if (shown === null || !draft.read().graph.nodes.some((node) => node.id === shown)) return;
    draft.select(new Set([shown]));
    focusCard(shown, showNode);
  }, [draft, shown]);

  const [onlyKey] = selection.size === 1 ? selection : [];
  const node = onlyKey === undefined ? undefined : graph.nodes.find((node) => node.id === onlyKey);
  const noteId = onlyKey === undefined ? null : noteIdOf(onlyKey);
  const note = noteId === null ? undefined : graph.notes.find((note) => note.id === noteId);

  const center = (): Position => {
    const { left = 0, top = 0, width = 0, height = 0 } = canvas.current?.getBoundingClientRect() ?? {};
    return snap(screenToFlowPosition({ x: left + width / 2, y: top + height / 2 }));
  };
  /** The graph with a new node, which is connected after another one. */
  const place = (type: NodeType, after: GraphNode | null, made?: NewNode) => {
    const { graph } = draft.read();
    const wanted = after === null ? center() : { x: (after.position?.x ?? 0) + NODE_WIDTH + 88, y: after.position?.y ?? 0 };
    const added = addNode(graph, type.type, freePlace(graph.nodes, wanted), made);
    const node = added.graph.nodes.find(({ id }) => id === added.id);
    const input = node && inputNames(node, type)[0];
    const output = after === null ? undefined : freeOutput(after, types.get(after.type), graph.connections);
    const connected =
      after === null || input === undefined || output === undefined
        ? added.graph
        : connect(added.graph, { from: { node: after.id, port: output }, to: { node: added.id, port: input } });
    return { graph: connected, id: added.id };
  };
  const add = (type: NodeType, after: GraphNode | null, made?: NewNode) => {
    const added = place(type, after, made);
    draft.change(() => added.graph, { select: new Set([added.id]) });
    close();
    focusCard(added.id, showNode);
  };
  const addCanvasNote = () => {
    const added = addNote(draft.read().graph, center());
    draft.change(() => added.graph, { select: new Set([noteKey(added.id)]) });
    close();
  };
  const tidy = () => {
    arrange(draft.read().graph, types).then(
      (positions) => {
        draft.change((graph) => moveItems(graph, positions));
        setTimeout(() => void fitView({ padding: 0.15, maxZoom: 1, duration: 200 }), 50);
      },
      () => toast(t.editor.notTidied),
    );
  };
  const paste = (text: string, at: Position | null) => {
    const read = readItems(text, types);
    if (read.kind !== "part") return toast(read.kind === "none" ? t.editor.notPasted : t.editor.tooLargeToPaste);
    const pasted = pasteItems(draft.read().graph, read.part, at);
    if (isTooLarge(pasted.graph)) return toast(t.editor.tooLargeToPaste);
    draft.change(() => pasted.graph, { select: pasted.keys });
    if (read.refused > 0) toast(t.editor.refusedItems(read.refused));
  };
  const copy = () => {
    const { graph, selection } = draft.read();
    if (selection.size === 0) return null;
    toast(t.copy.done);
    return copyItems(graph, selection);
  };
  const duplicate = () => {
    const { graph, selection } = draft.read();
    if (selection.size > 0) paste(copyItems(graph, selection), null);
  };
  const remove = () => {
    const { graph, selection } = draft.read();
    const before = graph.connections.find(({ from, to }) => selection.has(to.node) && !selection.has(from.node));
    draft.removeSelected();
    // The focus stays on the canvas.
    if (before !== undefined) focusCard(before.from.node);
  };
  const pin = (value: Pin | null) => {
    if (node === undefined) return;
    const isStored = draft.pin(node.id, value);
    const name = names.node(node);
    toast(!isStored ? t.preview.noRoom : value === null ? t.preview.unpinnedDone(name) : t.preview.pinnedDone(name));
  };
  const showProblem = ({ nodeId, field }: Problem) => {
    if (nodeId === null) return;
    close();
    draft.select(new Set([nodeId]));
    showNode(nodeId);
    setFocus({ nodeId, field });
  };
  const showProblems = () => {
    draft.select(new Set());
    draft.checkSoon();
    requestAnimationFrame(() => document.getElementById("problems-title")?.focus());
  };

  useEditorKeys({
    canEdit,
    add: () => setOpen("palette"),
    connect: () => node !== undefined && setOpen("connect"),
    runUntil: () => node !== undefined && setOpen("until"),
    runFrom: () => node !== undefined && setOpen("from"),
    pin: () => node !== undefined && setOpen("pin"),
    duplicate,
    remove,
    undo: () => draft.undo(),
    redo: () => draft.redo(),
    selectAll: () => draft.selectAll(),
    deselect: () => draft.select(new Set()),
    tidy,
    fit: () => void fitView({ padding: 0.15, maxZoom: 1, duration: 200 }),
    save: () => void draft.save(),
    copy,
    paste: (text) => paste(text, center()),
  });
  useScreenKeys(
    useMemo<readonly KeyRow[]>(
      () => [
        [["/"], t.editor.addNode],
        [["c"], t.editor.keys.connect],
        [["r"], t.preview.until],
        [["Shift", "R"], t.preview.from],
        [["p"], t.preview.pin],
        [["Tab"], t.editor.keys.next],
        [["Enter"], t.editor.keys.select],
        [["←", "↑", "→", "↓"], t.editor.keys.move],
        [["Delete"], t.editor.keys.remove],
        [["Ctrl", "Z"], t.editor.undo],
        [["Ctrl", "Shift", "Z"], t.editor.redo],
        [["Ctrl", "C"], t.editor.keys.copy],
        [["Ctrl", "V"], t.editor.keys.paste],
        [["Ctrl", "D"], t.editor.duplicate],
        [["Ctrl", "A"], t.editor.keys.selectAll],
        [["t"], t.editor.tidy],
        [["f"], t.editor.a11y.fit],
      ],
      [t],
    ),
  );

  return (
    <div className="editor">
      <Bar
        draft={draft}
        canEdit={canEdit}
        onRename={() => setOpen("rename")}
        onAdd={() => setOpen("palette")}
        onTidy={tidy}
        onProblems={showProblems}
        onTry={() => setOpen("whole")}
        onRun={() => setOpen("run")}
        onPublish={() => setOpen("publish")}
      />
      <div className="editor-canvas" ref={canvas}>
        <Canvas draft={draft} types={types} canEdit={canEdit} />
        {graph.nodes.length === 0 && (
          <div className="editor-empty">
            <EmptyState title={t.editor.empty}>
              <p>{canEdit ? t.editor.emptyText : t.editor.emptyReadOnly}</p>
              {canEdit && <Button kind="primary" onClick={() => setOpen("palette")}>{t.editor.addNode}</Button>}
            </EmptyState>
          </div>
        )}
        <TriedState draft={draft} onShow={(id) => { draft.select(new Set([id])); showNode(id); }} />
      </div>
      <DataDrawer draft={draft} node={node} types={types} canEdit={canEdit} onPin={pin} onEditPin={() => setOpen("pin")} />
      <aside className="editor-side" aria-label={t.editor.panel} tabIndex={0}>
        {isNarrow && draft.canEdit && <p className="muted narrow-hint">{t.editor.narrow}</p>}
        {node !== undefined ? (
          <ExpressionValues draft={draft} types={types} node={node}>
            <Inspector
              draft={draft}
              node={node}
              type={types.get(node.type)}
              canEdit={canEdit}
              focus={focus}
              onTry={setOpen}
              onPin={() => setOpen("pin")}
              onConnect={() => setOpen("connect")}
              onDuplicate={duplicate}
              onRemove={remove}
            />
          </ExpressionValues>
        ) : note !== undefined ? (
          <NotePanel draft={draft} note={note} canEdit={canEdit} />
        ) : (
          <>
            {selection.size > 1 && <p className="selected-count">{t.editor.selected(selection.size)}</p>}
            <Problems draft={draft} onShow={showProblem} />
            <p className="muted side-hint">{canEdit ? t.editor.hint : t.editor.hintReadOnly}</p>
          </>
        )}
      </aside>
      {open === "palette" && (
        <PaletteDialog
          draft={draft}
          types={types}
          after={node !== undefined && outputNames(node, types.get(node.type)).length > 0 ? node : null}
          place={place}
          onAdd={add}
          onAddNote={addCanvasNote}
          onClose={close}
        />
      )}
      {open === "connect" && node !== undefined && (
        <ConnectDialog
          graph={graph}
          node={node}
          types={types}
          onConnect={(connection) => {
            draft.change((graph) => connect(graph, connection));
            close();
          }}
          onClose={close}
        />
      )}
      {open === "rename" && <RenameDialog name={draft.read().head.name} onRename={(name) => draft.rename(name)} onClose={close} />}
      {open === "publish" && <PublishDialog draft={draft} onShow={showProblem} onClose={close} />}
      {open === "run" && <RunDialog draft={draft} onClose={close} />}
      {open === "whole" && <TryDialog draft={draft} types={types} scope={WHOLE} onClose={close} />}
      {(open === "until" || open === "from") && node !== undefined && (
        <TryDialog key={open} draft={draft} types={types} scope={{ kind: open, nodeId: node.id }} onClose={close} />
      )}
      {open === "pin" && node !== undefined && <PinDialog draft={draft} node={node} type={types.get(node.type)} onClose={close} />}
      {conflicts.length > 0 && <ConflictDialog draft={draft} conflicts={conflicts} />}
    </div>
  );
}

/** Saves when the person leaves, and loads what others changed when the person comes back. */
function useSaving(draft: Draft) {
  const queries = useQueryClient();
  const { t } = useTexts();
  const toast = useToast();
  const reportConflict = useRef(() => {});
  reportConflict.current = () => toast(t.editor.leftConflict);
  const reportLeft = useRef(() => {});
  reportLeft.current = () => toast(t.editor.leftUnsaved);
  useEffect(() => {
    draft.isOpen = true;
    const endSaving = saveBeforeSignOut(() => draft.flush());
    const onVisibility = () => void (document.visibilityState === "hidden" ? draft.save() : draft.refresh());
    const onFocus = () => void draft.refresh();
    const onUnload = (event: BeforeUnloadEvent) => {
      if (draft.isSettled) return;
      void draft.save();
      event.preventDefault();
    };
    document.addEventListener("visibilitychange", onVisibility);
    window.addEventListener("focus", onFocus);
    window.addEventListener("beforeunload", onUnload);
    return () => {
      document.removeEventListener("visibilitychange", onVisibility);
      window.removeEventListener("focus", onFocus);
      window.removeEventListener("beforeunload", onUnload);
      endSaving();
      draft.isOpen = false;
      // A person who comes back before it is stored continues with it.
      if (!draft.isSettled) keepLeft(draft);
      void draft.flush().then((isStored) => {
        void queries.invalidateQueries({ queryKey: ["workflows"] });
        void queries.invalidateQueries({ queryKey: ["workflow", draft.id] });
        if (draft.isOpen) return;
        if (draft.read().conflicts.length > 0) {
          // Nobody can be asked any more. What is stored stays, and the rest of the changes is saved.
          draft.resolve(() => "theirs");
          reportConflict.current();
        } else if (!isStored) reportLeft.current();
      });
    };
  }, [draft, queries]);
}

const snap = ({ x, y }: Position): Position => ({ x: Math.round(x / GRID) * GRID, y: Math.round(y / GRID) * GRID });

/** The nearest place below a wanted one where no node is. */
function freePlace(nodes: readonly GraphNode[], wanted: Position): Position {
  const place = snap(wanted);
  const isTaken = ({ x, y }: Position) =>
    nodes.some(({ position }) => position && Math.abs(position.x - x) < NODE_WIDTH + GRID && Math.abs(position.y - y) < 120);
  while (isTaken(place)) place.y += 140;
  return place;
}

function freeOutput(node: GraphNode, type: NodeType | undefined, connections: readonly { from: { node: string; port: string } }[]) {
  const names = outputNames(node, type);
  return names.find((name) => !connections.some(({ from }) => from.node === node.id && from.port === name)) ?? names[0];
}

/** Focuses the card of a node once it is drawn. */
function focusCard(id: string, show?: (id: string) => void) {
  let frames = 60;
  const focus = () => {
    const card = document.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`);
    frames -= 1;
    if (card === null && frames > 0) requestAnimationFrame(focus);
    if (card === null) return;
    show?.(id);
    card.focus({ preventScroll: true });
  };
  requestAnimationFrame(focus);
}
