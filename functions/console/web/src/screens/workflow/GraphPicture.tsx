import type { WorkflowGraph } from "../../api/types";
import { HEIGHT, placeNodes, WIDTH } from "./picture";

const MARGIN = 16;
const SHOWN = 17;

export interface NodeMark {
  kind: "edited" | "follows" | "added";
  /** A short text in the corner of the node. */
  label?: string;
}

interface GraphPictureProps {
  graph: WorkflowGraph;
  label: string;
  marks: ReadonlyMap<string, NodeMark>;
  chosen?: string;
  /** For the mouse. Another control of the screen does the same. */
  onChoose?: (nodeId: string) => void;
}

/** A picture of the graph, in which the marked nodes are outlined. */
export function GraphPicture({ graph, label, marks, chosen, onChoose }: GraphPictureProps) {
  const nodes = placeNodes(graph);
  if (nodes.length === 0) return null;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const left = Math.min(...nodes.map(({ x }) => x)) - MARGIN;
  const top = Math.min(...nodes.map(({ y }) => y)) - MARGIN;
  const width = Math.max(...nodes.map(({ x }) => x)) + WIDTH + MARGIN - left;
  const height = Math.max(...nodes.map(({ y }) => y)) + HEIGHT + MARGIN - top;
  return (
    <div className="picture" role="group" aria-label={label} tabIndex={0}>
      <svg
        role="img"
        aria-label={label}
        viewBox={`${left} ${top} ${width} ${height}`}
        style={{ minWidth: Math.round(width * 0.36), maxWidth: width }}
      >
        {(graph.connections ?? []).map(({ from, to }) => {
          const start = byId.get(from.node);
          const end = byId.get(to.node);
          if (start === undefined || end === undefined) return null;
          const [x1, y1, x2, y2] = [start.x + WIDTH, start.y + HEIGHT / 2, end.x, end.y + HEIGHT / 2];
          const bend = Math.max(30, Math.abs(x2 - x1) / 2);
          return (
            <path
              key={`${from.node} ${from.port} ${to.node} ${to.port}`}
              d={`M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`}
            />
          );
        })}
        {nodes.map(({ id, name, x, y }) => {
          const mark = marks.get(id);
          const canChoose = mark !== undefined && onChoose !== undefined;
          return (
            <g
              key={id}
              className={["node", mark?.kind, chosen === id && "chosen", canChoose && "choosable"].filter(Boolean).join(" ")}
              onClick={canChoose ? () => onChoose(id) : undefined}
            >
              <title>{mark?.label ? `${name}: ${mark.label}` : name}</title>
              <rect x={x} y={y} width={WIDTH} height={HEIGHT} rx="12" />
              <text x={x + 16} y={y + HEIGHT / 2 + 8}>{name.length > SHOWN ? `${name.slice(0, SHOWN - 1)}…` : name}</text>
              {mark?.label && (
                <>
                  <circle cx={x + WIDTH - 6} cy={y + 4} r="17" />
                  <text className="count" x={x + WIDTH - 6} y={y + 11}>{mark.label}</text>
                </>
              )}
            </g>
          );
        })}
      </svg>
    </div>
  );
}
