import { Handle, type Node, type NodeProps, Position, useUpdateNodeInternals } from "@xyflow/react";
import { memo, useEffect, useRef } from "react";
import { useTexts } from "../../i18n";
import { Glyph, PinIcon } from "./Glyph";
import type { Category, GraphNode, PreviewNode } from "./model/types";
import { hasEach, itemModeOf, type Port, type Ports } from "./model/ports";
import { useNames } from "./texts";

export type CardNode = Node<
  {
    node: GraphNode;
    ports: Ports;
    category: Category | undefined;
    errors: number;
    warnings: number;
    tried: PreviewNode["state"] | null;
    isPinned: boolean;
  },
  "card"
>;

const triedMarks: Record<PreviewNode["state"], string> = {
  completed: "✓",
  failed: "✕",
  timeout: "✕",
  waiting: "…",
  skipped: "–",
  canceled: "–",
};

export const NodeCard = memo(function NodeCard({ id, data, selected, isConnectable }: NodeProps<CardNode>) {
  const { t } = useTexts();
  const names = useNames();
  const { node, ports, category, errors, warnings, tried, isPinned } = data;
  useMovedPorts(id, ports);
  const severity = errors > 0 ? "error" : warnings > 0 ? "warning" : undefined;
  return (
    <div className="node-card" data-category={category} data-selected={selected} data-severity={severity} data-tried={tried ?? undefined} data-pinned={isPinned || undefined}>
      <div className="node-card-head">
        <Glyph category={category} />
        <span className="node-card-name">{names.node(node)}</span>
        {hasEach(node) && (
          <span className="node-card-mark" role="img" aria-label={names.field("each")} title={names.field("each")}>↻</span>
        )}
        {itemModeOf(node) !== null && (
          <span className="node-card-mark" role="img" aria-label={names.field("itemMode")} title={names.field("itemMode")}>≡</span>
        )}
        {isPinned && (
          <span className="node-card-mark pin-mark" role="img" aria-label={t.preview.pinned} title={t.preview.pinnedText}><PinIcon /></span>
        )}
        {tried !== null && (
          <span className="node-card-mark" data-tried={tried} role="img" aria-label={t.editor.tried[tried]} title={t.editor.tried[tried]}>
            {triedMarks[tried]}
          </span>
        )}
        {severity !== undefined && (
          <span className="node-card-mark" data-severity={severity} role="img" aria-label={t.editor.problemCount(errors, warnings)} title={t.editor.problemCount(errors, warnings)}>
            {severity === "error" ? "✕" : "!"}
          </span>
        )}
      </div>
      <p className="node-card-sub">{names.type(node.type)} · <code>{node.id}</code></p>
      <div className="ports">
        <ul>{ports.inputs.map((port) => <PortRow key={port.name} port={port} type="target" isConnectable={isConnectable} />)}</ul>
        <ul>{ports.outputs.map((port) => <PortRow key={port.name} port={port} type="source" isConnectable={isConnectable} />)}</ul>
      </div>
    </div>
  );
});

/** Measures the ports again when they changed: the card may have kept its size. */
function useMovedPorts(id: string, ports: Ports) {
  const update = useUpdateNodeInternals();
  const names = JSON.stringify(ports);
  const measured = useRef(names);
  useEffect(() => {
    if (measured.current === names) return;
    measured.current = names;
    update(id);
  }, [id, names, update]);
}

function PortRow({ port, type, isConnectable }: { port: Port; type: "source" | "target"; isConnectable: boolean }) {
  return (
    <li data-unknown={port.unknown}>
      <span>{port.name}</span>
      <Handle
        id={port.name}
        type={type}
        position={type === "source" ? Position.Right : Position.Left}
        isConnectable={isConnectable}
      />
    </li>
  );
}
