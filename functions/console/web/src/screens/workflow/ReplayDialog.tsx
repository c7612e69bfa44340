import type { Replay, ReplayStep, WorkflowDetail, WorkflowGraph } from "../../api/types";
import { useTexts } from "../../i18n";
import { Link } from "../../router/Link";
import { Badge, StateBadge } from "../../ui/Badge";
import { Dialog } from "../../ui/Dialog";
import { Loaded } from "../../ui/Loaded";
import { Changes, Value } from "../../graph/Changes";
import { GraphPicture, type NodeMark } from "../../graph/GraphPicture";
import { type RehearsalInput, useReplay } from "./queries";

interface ReplayDialogProps {
  workflow: WorkflowDetail;
  runId: string;
  title: string;
  input: RehearsalInput;
  graph: WorkflowGraph | undefined;
  nameOf: (nodeId: string) => string;
  onClose: () => void;
}

/** A run as it was, and as it would have been, node by node. */
export function ReplayDialog({ workflow, runId, title, input, graph, nameOf, onClose }: ReplayDialogProps) {
  const { t } = useTexts();
  const replay = useReplay(workflow.id, runId, input);
  return (
    <Dialog title={t.workflow.replayTitle(title)} onClose={onClose} wide>
      <p>
        <Link to="run" params={{ workflowId: workflow.id, runId }}>{t.review.openRun}</Link>
      </p>
      <Loaded query={replay} lines={6}>
        {(replay) => (
          <>
            <Ends replay={replay} />
            {graph !== undefined && <GraphPicture graph={graph} label={t.workflow.picture} marks={findMarks(replay)} />}
            <Nodes replay={replay} nameOf={nameOf} />
          </>
        )}
      </Loaded>
    </Dialog>
  );
}

function findMarks({ nodes }: Replay): Map<string, NodeMark> {
  const differing = nodes.filter((node) => node.status !== "equal");
  return new Map(differing.map((node) => [node.nodeId, { kind: node.edited ? ("edited" as const) : ("follows" as const) }]));
}

function Ends({ replay: { before, after } }: { replay: Replay }) {
  const { t } = useTexts();
  return (
    <div className="ends">
      {([["before", before], ["after", after]] as const).map(([side, end]) => (
        <section key={side} className={`panel ${side}`} aria-label={t.workflow[side]}>
          <p className="diff-line">
            <strong>{t.workflow[side]}</strong>
            {end.state === null ? <Badge tone="progress">{t.workflow.outcomes.open}</Badge> : <StateBadge state={end.state} of="run" />}
          </p>
          {end.error !== null ? (
            <p><code>{end.error.code}</code> {end.error.message}</p>
          ) : end.state === null ? (
            <p className="muted">{t.workflow.openText}</p>
          ) : (
            <Value value={end.output} />
          )}
        </section>
      ))}
    </div>
  );
}

function Nodes({ replay, nameOf }: { replay: Replay; nameOf: (id: string) => string }) {
  const { t, format } = useTexts();
  const nodes = replay.nodes.filter((node) => node.status !== "equal" || node.differingSteps > 0 || node.newEffects > 0);
  const equal = replay.nodes.length - nodes.length;
  return (
    <div className="diff">
      <h3>{t.workflow.nodes}</h3>
      <ul className="panel">
        {nodes.map((node) => (
          <li key={node.nodeId}>
            <details open={node.edited || nodes.length < 4}>
              <summary>
                <strong>{nameOf(node.nodeId)}</strong>{" "}
                <Badge tone={node.edited ? "warn" : "neutral"}>
                  {node.status === "added" || node.status === "removed"
                    ? t.workflow.changes[node.status]
                    : node.edited
                      ? t.workflow.edited
                      : t.workflow.follows}
                </Badge>
                {node.newEffects > 0 && (
                  <> <Badge tone="progress">{t.workflow.newEffectsOf(format.number(node.newEffects))}</Badge></>
                )}
              </summary>
              {node.differences.map((difference) => (
                <StepDifference
                  key={difference.step}
                  step={difference.step === node.nodeId ? "" : difference.step}
                  before={difference.before}
                  after={difference.after}
                />
              ))}
            </details>
          </li>
        ))}
      </ul>
      {equal > 0 && <p className="muted">{t.workflow.equalNodes(format.number(equal))}</p>}
    </div>
  );
}

interface StepDifferenceProps {
  step: string;
  before: ReplayStep | null;
  after: ReplayStep | null;
}

function StepDifference({ step, before, after }: StepDifferenceProps) {
  const { t } = useTexts();
  const ofState = (side: ReplayStep | null) =>
    side === null ? <span className="muted">{t.workflow.notReached}</span> : <StateBadge state={side.state} />;
  return (
    <div className="step-difference">
      {step && <p><code>{step}</code></p>}
      {before?.state !== after?.state && (
        <p className="diff-line">
          <span className="sr-only">{t.workflow.before}</span>
          {ofState(before)}
          <span aria-hidden="true">→</span>
          <span className="sr-only">{t.workflow.after}</span>
          {ofState(after)}
        </p>
      )}
      <Changes field={t.workflow.port} before={before?.port ?? undefined} after={after?.port ?? undefined} />
      <Changes field={t.workflow.inputPart} before={before?.input ?? undefined} after={after?.input ?? undefined} />
      <Changes field={t.workflow.outputPart} before={before?.output ?? undefined} after={after?.output ?? undefined} />
      <Changes field={t.workflow.errorPart} before={before?.error ?? undefined} after={after?.error ?? undefined} />
    </div>
  );
}
