import { useMemo, useState } from "react";
import { useTexts } from "../../i18n";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Field } from "../../ui/Field";
import { Select } from "../../ui/Select";
import { useToast } from "../../ui/Toast";
import { type Draft, useDraft } from "./draft";
import { readJson, writeJson } from "../../values/json";
import { useLastValues } from "./lastValues";
import { pinPorts } from "./model/partial";
import { outputNames } from "./model/ports";
import type { GraphNode, NodeType } from "./model/types";
import { useNames } from "./texts";

const LARGE = 50_000;

interface PinDialogProps {
  draft: Draft;
  node: GraphNode;
  type: NodeType | undefined;
  onClose: () => void;
}

/** Writes the output that a node has in previews. It begins with the last one. */
export function PinDialog({ draft, node, type, onClose }: PinDialogProps) {
  const { t } = useTexts();
  const names = useNames();
  const toast = useToast();
  const isPinned = useDraft(draft, (state) => state.pins.has(node.id));
  const last = useLastValues(draft).outputs.get(node.id);
  const ports = pinPorts(outputNames(node, type), node.type);
  const [written, setText] = useState<string | null>(null);
  const [chosen, setPort] = useState<string | null>(null);
  const [hasRoom, setHasRoom] = useState(true);
  const text = useMemo(() => written ?? writeJson(last?.value ?? {}), [written, last?.value]);
  const port = ports.find((name) => name === (chosen ?? last?.port)) ?? ports[0] ?? null;
  const read = useMemo(() => (text.trim() === "" ? null : readJson(text)), [text]);
  const save = () => {
    if (read === null) return;
    const isStored = draft.pin(node.id, { port, value: read.value });
    setHasRoom(isStored);
    if (!isStored) return;
    toast(t.preview.pinnedDone(names.node(node)));
    onClose();
  };
  return (
    <Dialog title={t.preview.pinTitle(names.node(node))} onClose={onClose}>
      <p className="muted">{t.preview.pinDialogText}</p>
      {ports.length > 1 && (
        <Select label={t.preview.pinPort} value={port ?? ""} options={ports.map((name) => [name, name] as const)} onChange={setPort} />
      )}
      <Field label={t.preview.pinValue} problem={read === null ? t.editor.notJson : undefined}>
        {(ids) => (
          <textarea
            {...ids}
            className="mono"
            rows={12}
            // Wrapping a megabyte takes the browser a second.
            wrap={text.length > LARGE ? "off" : "soft"}
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      {!hasRoom && <p role="alert" className="field-problem">{t.preview.noRoom}</p>}
      <footer>
        {isPinned && (
          <Button
            onClick={() => {
              draft.pin(node.id, null);
              toast(t.preview.unpinnedDone(names.node(node)));
              onClose();
            }}
          >
            {t.preview.unpin}
          </Button>
        )}
        <Button onClick={onClose}>{t.cancel}</Button>
        <Button kind="primary" disabled={read === null} onClick={save}>{t.preview.pin}</Button>
      </footer>
    </Dialog>
  );
}
