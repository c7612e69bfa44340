import {
  applyNodeChanges,
  Background,
  type Connection as FlowConnection,
  Controls,
  type Edge,
  type EdgeChange,
  MiniMap,
  type NodeChange,
  ReactFlow,
  type ReactFlowInstance,
  useReactFlow,
  useStore,
} from "@xyflow/react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useTexts } from "../../i18n";
import { type Draft, type DraftState, type Tried, useDraft } from "./draft";
import { connect, GRID, noteKey, updateNote } from "./model/graph";
import { connectionKey } from "./model/merge";
import { isElement, NODE_WIDTH, nodeHeight, portsOf } from "./model/ports";
import type { Connection, Graph, NodeType, PreviewNode, Problem } from "./model/types";
import { type CardNode, NodeCard } from "./NodeCard";
import { NOTE_SIZE, NoteCard, type NoteNode } from "./NoteCard";
import { useNames } from "./texts";

type FlowNode = CardNode | NoteNode;

const nodeTypes = { card: NodeCard, note: NoteCard };
const fitOptions = { padding: 0.15, maxZoom: 1 };
const noAttribution = { hideAttribution: true };
const mapSize = { width: 160, height: 110 };
const grid: [number, number] = [GRID, GRID];
/** The shapes of connections. One that leads back goes around the nodes. */
const FORWARD = "default";
const BACKWARD = "smoothstep";
const MARGIN = 40;
const READABLE_ZOOM = 0.6;
/** A whole graph may be a little smaller: its form says more than half of it. */
const WHOLE_ZOOM = 0.42;
/** From this zoom on only a part of a large graph is on the screen. */
const CLOSE_ZOOM = 0.45;
/** Below this zoom small texts cannot be read. They are left out. */
const FAR_ZOOM = 0.25;
const LARGE = 120;

interface CanvasProps {
  draft: Draft;
  types: ReadonlyMap<string, NodeType>;
  canEdit: boolean;
}

export function Canvas({ draft, types, canEdit }: CanvasProps) {
  const { t } = useTexts();
  const nodes = useFlowNodes(draft, types, canEdit);
  const edges = useFlowEdges(draft);
  const isClose = useStore((state) => state.transform[2] > CLOSE_ZOOM);
  const isFar = useStore((state) => state.transform[2] < FAR_ZOOM);
  const [shown, setShown] = useState<FlowNode[]>(nodes);
  useEffect(() => setShown((before) => keepMeasures(before, nodes)), [nodes]);

  const onNodesChange = useCallback(
    (changes: NodeChange<FlowNode>[]) => {
      setShown((before) => applyNodeChanges(changes.filter((change) => change.type !== "select" && change.type !== "remove"), before));
      applySelection(draft, changes);
      const positions = changes.flatMap((change) =>
        change.type === "position" && change.position && !change.dragging ? [[change.id, change.position] as const] : [],
      );
      const { graph } = draft.read();
      const before = new Map([...graph.nodes.map((node) => [node.id, node.position] as const), ...graph.notes.map((note) => [noteKey(note.id), note.position] as const)]);
      const moved = positions.filter(([key, { x, y }]) => before.get(key)?.x !== x || before.get(key)?.y !== y);
      if (moved.length > 0) draft.move(new Map(moved));
    },
    [draft],
  );
  const onEdgesChange = useCallback((changes: EdgeChange[]) => applySelection(draft, changes), [draft]);
  const onConnect = useCallback(
    (made: FlowConnection) => {
      const connection = readConnection(made);
      if (connection !== null) draft.change((graph) => connect(graph, connection));
    },
    [draft],
  );
  const labels = useMemo(
    () => ({
      "node.a11yDescription.default": t.editor.a11y.node,
      "node.a11yDescription.keyboardDisabled": t.editor.a11y.node,
      "node.a11yDescription.ariaLiveMessage": ({ x, y }: { x: number; y: number }) => t.editor.a11y.moved(Math.round(x), Math.round(y)),
      "edge.a11yDescription.default": t.editor.a11y.edge,
      "controls.ariaLabel": t.editor.a11y.controls,
      "controls.zoomIn.ariaLabel": t.editor.a11y.zoomIn,
      "controls.zoomOut.ariaLabel": t.editor.a11y.zoomOut,
      "controls.fitView.ariaLabel": t.editor.a11y.fit,
      "minimap.ariaLabel": t.editor.a11y.map,
      "handle.ariaLabel": t.editor.a11y.port,
    }),
    [t],
  );
  return (
    <ReactFlow<FlowNode>
      nodes={shown}
      edges={edges}
      nodeTypes={nodeTypes}
      onNodesChange={onNodesChange}
      onEdgesChange={onEdgesChange}
      onConnect={onConnect}
      isValidConnection={isValid}
      nodesDraggable={canEdit}
      nodesConnectable={canEdit}
      edgesFocusable={false}
      deleteKeyCode={null}
      selectionKeyCode="Shift"
      multiSelectionKeyCode={["Meta", "Control", "Shift"]}
      snapToGrid
      snapGrid={grid}
      minZoom={0.05}
      maxZoom={2}
      onInit={showStart}
      onlyRenderVisibleElements={isClose && shown.length > LARGE}
      elevateNodesOnSelect={false}
      proOptions={noAttribution}
      ariaLabelConfig={labels}
      aria-label={t.editor.a11y.canvas}
      className={isFar ? "far" : ""}
    >
      <Background gap={GRID} />
      <Controls showInteractive={false} fitViewOptions={fitOptions} />
      {shown.length > 0 && <MiniMap style={mapSize} pannable zoomable ariaLabel={t.editor.a11y.map} nodeClassName={mapClass} />}
    </ReactFlow>
  );
}

/** Shows the whole graph, or its beginning if the whole would be too small to read. */
function showStart(flow: ReactFlowInstance<FlowNode>) {
  const bounds = flow.getNodesBounds(flow.getNodes());
  const { clientWidth = 0, clientHeight = 0 } = document.querySelector<HTMLElement>(".editor-canvas") ?? {};
  if (bounds.width === 0 || clientWidth === 0) return;
  const zoom = Math.min(1, (clientWidth - 2 * MARGIN) / bounds.width, (clientHeight - 2 * MARGIN) / bounds.height);
  if (zoom >= WHOLE_ZOOM) {
    void flow.fitView({ ...fitOptions, padding: `${MARGIN}px` });
    return;
  }
  // A flat graph is centered. In a tall one the first node is.
  const isFlat = bounds.height * READABLE_ZOOM <= clientHeight - 2 * MARGIN;
  const first = flow.getNodes().reduce((first, node) => (node.position.x < first.position.x ? node : first));
  const middle = isFlat ? bounds.y + bounds.height / 2 : first.position.y + (first.height ?? 0) / 2;
  void flow.setViewport({
    x: MARGIN - bounds.x * READABLE_ZOOM,
    y: clientHeight / 2 - middle * READABLE_ZOOM,
    zoom: READABLE_ZOOM,
  });
}

const mapClass = (node: FlowNode) => (node.type === "note" ? "map-note" : `map-${node.data.category ?? "unknown"}`);

const isValid = ({ source, target }: { source: string; target: string }) => source !== target;

function readConnection({ source, sourceHandle, target, targetHandle }: FlowConnection): Connection | null {
  if (!sourceHandle || !targetHandle) return null;
  return { from: { node: source, port: sourceHandle }, to: { node: target, port: targetHandle } };
}

/** The sizes that the canvas measured, and the place of a node that is dragged. What did not change keeps its object. */
function keepMeasures(before: FlowNode[], nodes: FlowNode[]): FlowNode[] {
  const known = new Map(before.map((node) => [node.id, node]));
  return nodes.map((node) => {
    const old = known.get(node.id);
    if (old?.measured === undefined) return node;
    const { dragging = false, measured } = old;
    const position = dragging ? old.position : node.position;
    const next = { ...node, measured, position, dragging } as FlowNode;
    return isSameFlow(old, next) ? old : next;
  });
}

const isSameFlow = (old: FlowNode, next: FlowNode) =>
  old.data === next.data &&
  old.selected === next.selected &&
  old.ariaLabel === next.ariaLabel &&
  old.width === next.width &&
  old.height === next.height &&
  old.position.x === next.position.x &&
  old.position.y === next.position.y;

function applySelection(draft: Draft, changes: readonly (NodeChange<FlowNode> | EdgeChange)[]) {
  const picked = changes.filter((change) => change.type === "select");
  if (picked.length === 0) return;
  const { selection, connections, graph } = draft.read();
  const keys = new Set(selection);
  const edges = new Set(connections);
  const isEdge = new Set(graph.connections.map(connectionKey));
  for (const { id, selected } of picked) {
    const set = isEdge.has(id) ? edges : keys;
    if (selected) set.add(id);
    else set.delete(id);
  }
  draft.select(keys, edges);
}

const selectGraph = (state: DraftState) => state.graph;
const selectSelection = (state: DraftState) => state.selection;
const selectConnections = (state: DraftState) => state.connections;
const selectProblems = (state: DraftState) => state.problems;
const selectTried = (state: DraftState) => state.tried;
const selectPins = (state: DraftState) => state.pins;

/** The nodes and notes as the canvas needs them. What did not change keeps its object, so that it is not drawn again. */
function useFlowNodes(draft: Draft, types: ReadonlyMap<string, NodeType>, canEdit: boolean): FlowNode[] {
  const { t } = useTexts();
  const names = useNames();
  const resize = useCallback(
    (id: string, { x, y, width, height }: { x: number; y: number; width: number; height: number }) =>
      draft.change((graph) =>
        updateNote(graph, id, {
          position: { x: Math.round(x), y: Math.round(y) },
          size: { width: Math.round(width), height: Math.round(height) },
        }),
      ),
    [draft],
  );
  const graph = useDraft(draft, selectGraph);
  const selection = useDraft(draft, selectSelection);
  const problems = useDraft(draft, selectProblems);
  const tried = useDraft(draft, selectTried);
  const pins = useDraft(draft, selectPins);
  const cache = useRef(new Map<string, { key: unknown[]; flow: FlowNode }>());
  return useMemo(() => {
    const counts = countProblems(problems);
    const states = lastStates(tried);
    const around = connectionsByNode(graph);
    const next = new Map<string, { key: unknown[]; flow: FlowNode }>();
    const remember = (id: string, key: unknown[], create: () => FlowNode): FlowNode => {
      const old = cache.current.get(id);
      const entry = old !== undefined && old.key.every((value, index) => value === key[index]) ? old : { key, flow: create() };
      next.set(id, entry);
      return entry.flow;
    };
    const notes = graph.notes.map((note): FlowNode => {
      const id = noteKey(note.id);
      const selected = selection.has(id);
      return remember(id, [note, selected, canEdit, t], () => ({
        id,
        type: "note",
        position: note.position,
        ...(note.size ?? NOTE_SIZE),
        data: { note, canEdit, onResize: resize },
        selected,
        zIndex: -1,
        ariaLabel: t.editor.noteNamed(note.text ?? ""),
      }));
    });
    const cards = graph.nodes.map((node): FlowNode => {
      const type = types.get(node.type);
      const connections = around.get(node.id) ?? [];
      const selected = selection.has(node.id);
      const { errors = 0, warnings = 0 } = counts.get(node.id) ?? {};
      const state = states.get(node.id) ?? null;
      const used = connections.map(connectionKey).join();
      const isPinned = pins.has(node.id);
      return remember(node.id, [node, type, used, selected, errors, warnings, state, isPinned, t], () => {
        const ports = portsOf(node, type, connections);
        return {
          id: node.id,
          type: "card",
          position: node.position ?? { x: 0, y: 0 },
          width: NODE_WIDTH,
          height: nodeHeight(ports),
          data: { node, ports, category: type?.category, errors, warnings, tried: state, isPinned },
          selected,
          ariaLabel: t.editor.nodeNamed(names.node(node), names.type(node.type)),
        };
      });
    });
    cache.current = next;
    return [...notes, ...cards];
    // The names depend on the texts alone.
  }, [graph, selection, problems, tried, pins, types, canEdit, resize, t]);
}

function useFlowEdges(draft: Draft): Edge[] {
  const { t } = useTexts();
  const names = useNames();
  const { nodes, connections } = useDraft(draft, selectGraph);
  const selected = useDraft(draft, selectConnections);
  const cache = useRef(new Map<string, Edge>());
  return useMemo(() => {
    const left = new Map(nodes.map((node) => [node.id, node.position?.x ?? 0]));
    const titles = new Map(nodes.map((node) => [node.id, names.node(node)]));
    const next = new Map<string, Edge>();
    for (const connection of connections) {
      const id = connectionKey(connection);
      const { from, to } = connection;
      const type = (left.get(to.node) ?? 0) < (left.get(from.node) ?? 0) + NODE_WIDTH ? BACKWARD : FORWARD;
      const old = cache.current.get(id);
      const ariaLabel = t.editor.connectionNamed(titles.get(from.node) ?? from.node, from.port, titles.get(to.node) ?? to.node, to.port);
      if (old?.type === type && old.selected === selected.has(id) && old.ariaLabel === ariaLabel) next.set(id, old);
      else {
        next.set(id, {
          id,
          type,
          source: from.node,
          sourceHandle: from.port,
          target: to.node,
          targetHandle: to.port,
          selected: selected.has(id),
          ariaLabel,
        });
      }
    }
    cache.current = next;
    return [...next.values()];
    // The names depend on the texts alone.
  }, [nodes, connections, selected, t]);
}

function connectionsByNode(graph: Graph): Map<string, Connection[]> {
  const byNode = new Map<string, Connection[]>();
  for (const connection of graph.connections) {
    for (const id of [connection.from.node, connection.to.node]) {
      const list = byNode.get(id);
      if (list === undefined) byNode.set(id, [connection]);
      else list.push(connection);
    }
  }
  return byNode;
}

function countProblems(problems: readonly Problem[]): Map<string, { errors: number; warnings: number }> {
  const counts = new Map<string, { errors: number; warnings: number }>();
  for (const { nodeId, severity } of problems) {
    if (nodeId === null) continue;
    const count = counts.get(nodeId) ?? { errors: 0, warnings: 0 };
    if (severity === "error") count.errors += 1;
    else count.warnings += 1;
    counts.set(nodeId, count);
  }
  return counts;
}

/** The state of each node in its last execution. */
function lastStates(tried: Tried | null): Map<string, PreviewNode["state"]> {
  const own = tried?.result.nodes.filter(({ action, step, nodeId }) => (action === null || step === nodeId) && !isElement(step, nodeId));
  return new Map(own?.map((step) => [step.nodeId, step.state]));
}

/** Moves the view to a node. */
export function useShowNode() {
  const { fitView } = useReactFlow();
  return useCallback((key: string) => void fitView({ nodes: [{ id: key }], maxZoom: 1, padding: 0.4, duration: 200 }), [fitView]);
}
