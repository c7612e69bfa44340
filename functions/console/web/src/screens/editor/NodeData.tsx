import { memo, useMemo, useState } from "react";
import { useTexts } from "../../i18n";
import { Link } from "../../router/Link";
import { Badge, StateBadge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Duration } from "../../ui/Duration";
import { ErrorState } from "../../ui/ErrorState";
import { Skeleton } from "../../ui/Loading";
import { RelativeTime } from "../../ui/RelativeTime";
import { Select } from "../../ui/Select";
import { ValueView } from "../../values/ValueView";
import { type Draft, useDraft } from "./draft";
import { PinIcon } from "./Glyph";
import { spansOf, useLastRun } from "./lastValues";
import type { Pin } from "./model/partial";
import { ConsoleLines } from "../../values/ConsoleLines";
import { type NodeStep, previewSteps, runSteps, type Shown } from "./model/nodeSteps";
import type { GraphNode, NodeType } from "./model/types";
import { useNames } from "./texts";

/** A large value is not drawn again while the person writes in the panel. */
const Value = memo(ValueView);

/** A loop can have thousands of steps. The last ones can be chosen. */
const CHOICES = 200;

interface NodeDataProps {
  draft: Draft;
  node: GraphNode;
  types: ReadonlyMap<string, NodeType>;
  canEdit: boolean;
  onPin: (pin: Pin | null) => void;
  onEditPin: () => void;
}

/** The input and the output of a node in the last preview, or else in the latest run. */
export function NodeData({ draft, node, types, canEdit, onPin, onEditPin }: NodeDataProps) {
  const { t } = useTexts();
  const names = useNames();
  const graph = useDraft(draft, (state) => state.graph);
  const previewed = useDraft(draft, (state) => state.previewed);
  const pin = useDraft(draft, (state) => state.pins.get(node.id));
  const last = useLastRun(draft.id);
  const inPreviews = useMemo(() => previewSteps(graph, node.id, previewed), [graph, node.id, previewed]);
  const inRun = useMemo(() => runSteps(spansOf(last.spans, node.id)), [last.spans, node.id]);
  const [chosen, setChosen] = useState<"preview" | "run">("preview");
  const [key, setKey] = useState("");
  const source = (chosen === "preview" && inPreviews.length > 0) || inRun.length === 0 ? "preview" : "run";
  const steps = (source === "preview" ? inPreviews : inRun).slice(-CHOICES);
  const step = steps.find((step) => step.key === key) ?? steps.findLast((step) => step.step === node.id) ?? steps.at(-1);
  const output = step?.output;
  const hasInputs = (types.get(node.type)?.inputs.length ?? 0) > 0;
  const nameOf = (id: string | null) => {
    const found = graph.nodes.find((other) => other.id === id);
    return found === undefined || (step?.inputs.length ?? 0) < 2 ? t.preview.input : t.preview.inputOf(names.node(found));
  };
  if (step === undefined && pin === undefined) {
    if (last.error) return <ErrorState error={last.error} />;
    if (last.isPending) return <Skeleton lines={2} />;
    return (
      <div className="data-empty">
        <p className="muted">{t.preview.noValues}</p>
        {canEdit && <Button onClick={onEditPin}>{t.preview.pin}…</Button>}
      </div>
    );
  }
  return (
    <>
      {step !== undefined && (
        <div className="data-facts">
          {inPreviews.length > 0 && inRun.length > 0 ? (
            <Select
              label={t.preview.sourceOf}
              value={source}
              options={[["preview", t.preview.fromPreview], ["run", t.preview.fromRun]]}
              onChange={setChosen}
            />
          ) : (
            <span>{source === "preview" ? t.preview.fromPreview : t.preview.fromRun}</span>
          )}
          <RelativeTime time={source === "preview" ? previewed.get(node.id)?.at : last.run?.queuedAt} />
          {source === "run" && last.run !== null && (
            <Link to="run" params={{ workflowId: draft.id, runId: last.run.id }}>{t.preview.openRun}</Link>
          )}
          {steps.length > 1 && (
            <Select label={t.preview.step} value={step.key} options={steps.map(({ key, step }) => [key, step] as const)} onChange={setKey} />
          )}
          <StepFacts step={step} />
        </div>
      )}
      {step?.error && <p className="field-problem">{step.error.message} <code>{step.error.code}</code></p>}
      <div className="data-pair">
        {hasInputs && (
          <div className="data-side">
            {step === undefined || step.inputs.length === 0 ? (
              <Missing name={t.preview.input} text={t.preview.noInput} />
            ) : (
              step.inputs.map(({ from, shown }, index) => <ShownValue key={from ?? index} name={nameOf(from)} shown={shown} />)
            )}
          </div>
        )}
        <div className="data-side">
          {pin !== undefined ? (
            <Value name={t.preview.output} value={pin.value} />
          ) : (
            step !== undefined && <ShownValue name={t.preview.output} shown={step.output} />
          )}
          {step !== undefined && <ConsoleLines lines={step.console} />}
          <div className="data-pin">
            {pin !== undefined && <span className="pin-tag"><PinIcon /> {t.preview.pinned}{pin.port !== null && <> → <code>{pin.port}</code></>}</span>}
            {canEdit && pin === undefined && output?.kind === "value" && (
              <Button kind="quiet" onClick={() => onPin({ port: step?.port ?? null, value: output.value })}>{t.preview.pin}</Button>
            )}
            {canEdit && pin !== undefined && <Button kind="quiet" onClick={onEditPin}>{t.preview.editPin}</Button>}
            {canEdit && pin !== undefined && <Button kind="quiet" onClick={() => onPin(null)}>{t.preview.unpin}</Button>}
          </div>
        </div>
      </div>
    </>
  );
}

function StepFacts({ step }: { step: NodeStep }) {
  const { t } = useTexts();
  return (
    <>
      {step.state === "timeout" ? <Badge tone="bad">{t.editor.tried.timeout}</Badge> : <StateBadge state={step.state} />}
      {step.port !== null && <span>{t.preview.port} <code>{step.port}</code></span>}
      {step.durationMs !== null && <Duration ms={step.durationMs} />}
    </>
  );
}

function ShownValue({ name, shown }: { name: string; shown: Shown }) {
  const { t, format } = useTexts();
  if (shown.kind === "value") return <Value name={name} value={shown.value} />;
  if (shown.kind === "none") return <Missing name={name} text={t.preview.notCompleted} />;
  return <Missing name={name} text={shown.bytes === null ? t.preview.leftOut : t.preview.tooLarge(format.size(shown.bytes))} />;
}

function Missing({ name, text }: { name: string; text: string }) {
  return (
    <div className="value">
      <div className="value-head"><h3>{name}</h3></div>
      <p className="muted">{text}</p>
    </div>
  );
}
