import { useEffect, useRef, useState } from "react";
import type { WorkflowGraph } from "../../api/types";
import { useTexts } from "../../i18n";
import { drawLine, HEIGHT, placeNodes, WIDTH } from "../../graph/picture";
import { useTemplate } from "./queries";

const MARGIN = 20;

/** A small picture of the graph of a template. It is loaded once its place is on the screen. */
export function TemplatePicture({ id }: { id: string }) {
  const { language } = useTexts();
  const ref = useRef<HTMLDivElement>(null);
  const [isSeen, setIsSeen] = useState(false);
  const { data } = useTemplate(id, language, isSeen);
  useEffect(() => {
    if (ref.current === null) return;
    const observer = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && setIsSeen(true));
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return <div ref={ref} className="template-picture">{data && <Picture graph={data.graph} />}</div>;
}

function Picture({ graph }: { graph: WorkflowGraph }) {
  const { t } = useTexts();
  const nodes = placeNodes(graph);
  if (nodes.length === 0) return null;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const left = Math.min(...nodes.map(({ x }) => x)) - MARGIN;
  const top = Math.min(...nodes.map(({ y }) => y)) - MARGIN;
  const width = Math.max(...nodes.map(({ x }) => x)) + WIDTH + MARGIN - left;
  const height = Math.max(...nodes.map(({ y }) => y)) + HEIGHT + MARGIN - top;
  return (
    <svg role="img" aria-label={t.templates.picture(nodes.length)} viewBox={`${left} ${top} ${width} ${height}`}>
      {(graph.connections ?? []).map(({ from, to }, index) => {
        const start = byId.get(from.node);
        const end = byId.get(to.node);
        if (start === undefined || end === undefined) return null;
        return <path key={index} d={drawLine(start, end)} />;
      })}
      {nodes.map(({ id, x, y }) => <rect key={id} x={x} y={y} width={WIDTH} height={HEIGHT} rx="12" />)}
    </svg>
  );
}
