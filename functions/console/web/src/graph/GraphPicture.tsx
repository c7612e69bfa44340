import { type KeyboardEvent, memo, useMemo, useRef, useState } from "react";
import type { WorkflowGraph } from "../api/types";
import { useTexts } from "../i18n";
import { Button } from "../ui/Button";
import { drawLine, findNeighbour, HEIGHT, placeNodes, WIDTH } from "./picture";

const MARGIN = 32;
const SHOWN = 16;
/** The text of a node can be read at this size. A larger graph is scrolled. */
const READABLE = 0.6;
const STEP = 1.3;

export interface NodeMark {
  /** How the node is drawn: the names of classes. */
  kind: string;
  /** A short text in the corner of the node. */
  label?: string;
  /** A second line below the name. */
  facts?: string;
  /** What the mark means, for screen readers and the pointer. */
  meaning?: string;
}

interface GraphPictureProps {
  graph: WorkflowGraph;
  label: string;
  marks: ReadonlyMap<string, NodeMark>;
  /** The connections that are highlighted, by their index. */
  taken?: ReadonlySet<number>;
  chosen?: string;
  /** Marked nodes can be chosen with the pointer and the keyboard. It must be stable, so that large graphs stay fast. */
  onChoose?: (nodeId: string) => void;
}

/** A picture of the graph, in which the marked nodes are outlined. */
export function GraphPicture({ graph, label, marks, taken, chosen, onChoose }: GraphPictureProps) {
  const picture = useMemo(() => {
    const nodes = placeNodes(graph);
    const byId = new Map(nodes.map((node) => [node.id, node]));
    const lines = (graph.connections ?? []).map(({ from, to }) => {
      const [start, end] = [byId.get(from.node), byId.get(to.node)];
      return start && end ? drawLine(start, end) : "";
    });
    const left = Math.min(...nodes.map(({ x }) => x)) - MARGIN;
    const top = Math.min(...nodes.map(({ y }) => y)) - MARGIN;
    const width = Math.max(...nodes.map(({ x }) => x)) + WIDTH + MARGIN - left;
    const height = Math.max(...nodes.map(({ y }) => y)) + HEIGHT + MARGIN - top;
    return { nodes, byId, lines, left, top, width, height };
  }, [graph]);
  const { nodes, byId, lines, left, top, width, height } = picture;
  const svg = useRef<SVGSVGElement>(null);
  const [zoom, setZoom] = useState<number | "auto" | "fit">("auto");
  const [focused, setFocused] = useState("");
  if (nodes.length === 0) return null;

  const canChoose = (id: string) => onChoose !== undefined && marks.has(id);
  // One node is in the order of the Tab key. The arrow keys lead to the others.
  const inTabOrder = [focused, chosen ?? ""].find(canChoose) ?? nodes.find(({ id }) => canChoose(id))?.id;
  const onKeyDown = (event: KeyboardEvent<SVGSVGElement>) => {
    const current = event.target instanceof Element ? event.target.getAttribute("data-node") : null;
    const from = byId.get(current ?? "");
    if (from === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") onChoose?.(from.id);
    else {
      const next = findNeighbour(nodes.filter(({ id }) => canChoose(id)), from, event.key);
      if (next === null && !event.key.startsWith("Arrow")) return;
      if (next !== null) svg.current?.querySelector<SVGGElement>(`[data-node="${CSS.escape(next.id)}"]`)?.focus();
    }
    event.preventDefault();
  };
  const scale = (factor: number) => {
    const now = (svg.current?.getBoundingClientRect().width ?? width) / width;
    setZoom(Math.min(2, Math.max(0.1, now * factor)));
  };
  const size =
    zoom === "auto"
      ? { width: "100%", minWidth: Math.round(width * READABLE), maxWidth: width }
      : zoom === "fit"
        ? { width: "100%", maxWidth: width, maxHeight: 400 }
        : { width: Math.round(width * zoom) };
  const isStatic = onChoose === undefined;
  return (
    <div className="picture">
      <ZoomButtons onScale={scale} onSet={setZoom} />
      <div className="picture-view" translate="no" {...(isStatic && { role: "group", "aria-label": label, tabIndex: 0 })}>
        <svg
          ref={svg}
          role={isStatic ? "img" : "group"}
          aria-label={label}
          viewBox={`${left} ${top} ${width} ${height}`}
          style={size}
          onKeyDown={isStatic ? undefined : onKeyDown}
        >
          {lines.map((line, index) => line && <Line key={index} line={line} isTaken={taken?.has(index) ?? false} />)}
          {nodes.map(({ id, name, x, y }) => {
            const mark = marks.get(id);
            return (
              <NodeBox
                key={id}
                id={id}
                name={name}
                x={x}
                y={y}
                {...mark}
                isChosen={chosen === id}
                isInTabOrder={inTabOrder === id}
                onChoose={mark === undefined ? undefined : onChoose}
                onFocus={setFocused}
              />
            );
          })}
        </svg>
      </div>
    </div>
  );
}

function ZoomButtons({ onScale, onSet }: { onScale: (factor: number) => void; onSet: (zoom: number | "fit") => void }) {
  const { t } = useTexts();
  return (
    <div className="zoom" role="group" aria-label={t.graph.zoom}>
      <Button aria-label={t.graph.zoomOut} title={t.graph.zoomOut} onClick={() => onScale(1 / STEP)}>−</Button>
      <Button aria-label={t.graph.zoomIn} title={t.graph.zoomIn} onClick={() => onScale(STEP)}>+</Button>
      <Button onClick={() => onSet("fit")}>{t.graph.fit}</Button>
      <Button onClick={() => onSet(1)}>{t.graph.full}</Button>
    </div>
  );
}

const Line = memo(function Line({ line, isTaken }: { line: string; isTaken: boolean }) {
  return <path d={line} className={isTaken ? "taken" : undefined} />;
});

interface NodeBoxProps extends Partial<NodeMark> {
  id: string;
  name: string;
  x: number;
  y: number;
  isChosen: boolean;
  isInTabOrder: boolean;
  onChoose: ((nodeId: string) => void) | undefined;
  onFocus: (nodeId: string) => void;
}

const NodeBox = memo(function NodeBox({ id, name, x, y, kind, label, facts, meaning, isChosen, isInTabOrder, onChoose, onFocus }: NodeBoxProps) {
  const what = meaning ?? label;
  const title = what ? `${name}: ${what}` : name;
  const middle = y + HEIGHT / 2;
  return (
    <g
      className={["node", kind, isChosen && "chosen", onChoose && "choosable"].filter(Boolean).join(" ")}
      {...(onChoose && {
        "data-node": id,
        role: "button",
        tabIndex: isInTabOrder ? 0 : -1,
        "aria-pressed": isChosen,
        onClick: () => onChoose(id),
        onFocus: () => onFocus(id),
      })}
    >
      <title>{title}</title>
      <rect x={x} y={y} width={WIDTH} height={HEIGHT} rx="12" />
      <text className="name" x={x + 16} y={facts === undefined ? middle + 8 : middle - 5}>
        {name.length > SHOWN ? `${name.slice(0, SHOWN - 1)}…` : name}
      </text>
      {facts !== undefined && <text className="facts" x={x + 16} y={middle + 21}>{facts}</text>}
      {label && (
        <>
          <circle cx={x + WIDTH - 6} cy={y + 4} r="17" />
          <text className="count" x={x + WIDTH - 6} y={y + 11}>{label}</text>
        </>
      )}
    </g>
  );
});
