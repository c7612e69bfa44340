import { useId, useState } from "react";
import { useTexts } from "../../i18n";
import type { Draft } from "./draft";
import type { Pin } from "./model/partial";
import type { GraphNode, NodeType } from "./model/types";
import { NodeData } from "./NodeData";
import { useNames } from "./texts";

const STORED = "console.editor-data";
/** Narrower than this, the canvas needs the place. */
const wide = "(min-width: 1200px)";

interface DataDrawerProps {
  draft: Draft;
  node: GraphNode | undefined;
  types: ReadonlyMap<string, NodeType>;
  canEdit: boolean;
  onPin: (pin: Pin | null) => void;
  onEditPin: () => void;
}

/** What went into the selected node and what came out, below the canvas. */
export function DataDrawer({ draft, node, types, canEdit, onPin, onEditPin }: DataDrawerProps) {
  const { t } = useTexts();
  const names = useNames();
  const id = useId();
  const [isOpen, setIsOpen] = useState(() => (localStorage.getItem(STORED) ?? String(window.matchMedia(wide).matches)) === "true");
  const toggle = () => {
    localStorage.setItem(STORED, String(!isOpen));
    setIsOpen(!isOpen);
  };
  return (
    <section className="data-drawer" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>
        <button type="button" className="data-toggle" aria-expanded={isOpen} aria-controls={isOpen ? id : undefined} onClick={toggle}>
          <svg viewBox="0 0 16 16" aria-hidden="true"><path d="m6 4 4 4-4 4" /></svg>
          {t.preview.data}
          {node !== undefined && <span className="muted"> · {names.node(node)}</span>}
        </button>
      </h2>
      {isOpen && (
        <div id={id} className="data-body" tabIndex={0} role="group" aria-labelledby={`${id}-title`}>
          {node === undefined ? (
            <p className="muted">{t.preview.selectNode}</p>
          ) : (
            <NodeData key={node.id} draft={draft} node={node} types={types} canEdit={canEdit} onPin={onPin} onEditPin={onEditPin} />
          )}
        </div>
      )}
    </section>
  );
}
