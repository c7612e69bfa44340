import { useMemo } from "react";
import type { WorkflowDetail, WorkflowGraph } from "../../../api/types";
import { useManifest } from "../../../api/workflow";
import { useTexts } from "../../../i18n";
import { Link } from "../../../router/Link";
import { includes } from "../../../sharing/roles";
import { Badge, type Tone } from "../../../ui/Badge";
import { EmptyState } from "../../../ui/EmptyState";
import { Loaded } from "../../../ui/Loaded";
import { Section } from "../../../ui/Section";
import { isSame } from "../../editor/model/equal";
import { RunsTable } from "../../runs/RunsTable";
import { nextTimes, parseCron } from "./cron";
import { describeCron } from "./describeCron";
import { nameOfNode, type Node, textIn } from "./nodes";
import { useScheduledRuns } from "./queries";

/** A schedule of the active release, of the draft, or of both. */
interface Schedule {
  node: Node;
  /** Whether the active release has it. */
  isPublished: boolean;
  draft: "same" | "changed" | "removed";
}

const schedulesOf = (graph: WorkflowGraph | undefined) => graph?.nodes?.filter((node) => node.type === "schedule") ?? [];

function collectSchedules(release: WorkflowGraph | undefined, draft: WorkflowGraph): Schedule[] {
  const drafts = new Map(schedulesOf(draft).map((node) => [node.id, node]));
  const published = schedulesOf(release).map((node): Schedule => {
    const now = drafts.get(node.id);
    drafts.delete(node.id);
    const change = now === undefined ? "removed" : isSame(now.config, node.config) ? "same" : "changed";
    return { node, isPublished: true, draft: change };
  });
  return [...published, ...[...drafts.values()].map((node): Schedule => ({ node, isPublished: false, draft: "same" }))];
}

/** When the workflow starts by itself, and what came of it. */
export function Schedules({ workflow }: { workflow: WorkflowDetail }) {
  const { t } = useTexts();
  const manifest = useManifest(workflow.id, workflow.activeRelease?.id);
  if (workflow.activeRelease === null) return <List workflow={workflow} release={undefined} />;
  return (
    <Loaded query={manifest}>
      {({ graph }) => (
        <>
          {workflow.state === "paused" && <p className="panel notice">{t.connections.schedules.pausedText}</p>}
          {workflow.state === "archived" && <p className="panel notice">{t.connections.schedules.archivedText}</p>}
          {workflow.state === "needs_attention" && <p className="panel notice">{t.connections.schedules.attentionText}</p>}
          <List workflow={workflow} release={graph} />
        </>
      )}
    </Loaded>
  );
}

function List({ workflow, release }: { workflow: WorkflowDetail; release: WorkflowGraph | undefined }) {
  const { t } = useTexts();
  const schedules = collectSchedules(release, workflow.graph);
  const canEdit = includes(workflow.access.role, "editor") && workflow.state !== "archived";
  if (schedules.length === 0) {
    return (
      <EmptyState title={t.connections.schedules.none}>
        <p>{t.connections.schedules.noneText}</p>
        {canEdit && <Link to="editor" params={{ workflowId: workflow.id }} className="button primary">{t.connections.openEditor}</Link>}
      </EmptyState>
    );
  }
  return (
    <>
      <ul className="cards">
        {schedules.map((schedule) => (
          <ScheduleCard key={schedule.node.id} workflow={workflow} schedule={schedule} />
        ))}
      </ul>
      {release !== undefined && <ScheduledRuns workflow={workflow} />}
    </>
  );
}

function ScheduledRuns({ workflow }: { workflow: WorkflowDetail }) {
  const { t } = useTexts();
  const runs = useScheduledRuns(workflow.id);
  const params = { workflowId: workflow.id };
  return (
    <Section
      title={t.connections.schedules.runs}
      aside={<Link to="workflowRuns" params={params} query={{ origin: "scheduled" }}>{t.connections.schedules.allRuns}</Link>}
    >
      <Loaded query={runs}>
        {(runs) =>
          runs.length === 0 ? (
            <p className="panel calm">{t.connections.schedules.noRuns}</p>
          ) : (
            <RunsTable runs={runs} workflowName={workflow.name} isOfOne />
          )
        }
      </Loaded>
    </Section>
  );
}

function ScheduleCard({ workflow, schedule: { node, isPublished, draft } }: { workflow: WorkflowDetail; schedule: Schedule }) {
  const { t, language, format } = useTexts();
  const name = nameOfNode(node);
  const expression = textIn(node, "cron") ?? "";
  const zone = textIn(node, "zone") ?? "";
  const cron = parseCron(expression);
  const isInvalid = expression === "" || !isZone(zone);
  const [tone, state] = stateOf(workflow, isPublished);
  const isRunning = state === "active";
  return (
    <li className="panel card">
      <div className="card-head">
        <div>
          <h2>{cron === null ? <code>{expression}</code> : describeCron(cron, { t, language, list: format.list })}</h2>
          <p className="sub">
            {draft === "removed" ? (
              <span translate="no">{name}</span>
            ) : (
              <Link
                to="editor"
                params={{ workflowId: workflow.id }}
                query={{ node: node.id }}
                translate="no"
                aria-label={t.connections.openNodeNamed(name)}
              >
                {name}
              </Link>
            )}{" "}
            · <code>{expression}</code> · {t.connections.schedules.zone(zone)}
          </p>
        </div>
        <div className="usage">
          <Badge tone={tone}>{t.connections.schedules[state]}</Badge>
          {draft !== "same" && <Badge tone="neutral">{t.connections.schedules[draft]}</Badge>}
        </div>
      </div>
      {isInvalid ? (
        <p className="problem-line">{t.connections.schedules.invalid}</p>
      ) : cron === null ? (
        <p className="muted">{t.connections.schedules.noNext}</p>
      ) : (
        isRunning && <NextTimes cron={expression} zone={zone} />
      )}
      <Rules node={node} />
    </li>
  );
}

type StateName = "active" | "paused" | "stopped" | "unpublished";

function stateOf({ state }: WorkflowDetail, isPublished: boolean): [Tone, StateName] {
  if (!isPublished) return ["neutral", "unpublished"];
  if (state === "paused") return ["warn", "paused"];
  return state === "archived" ? ["neutral", "stopped"] : ["good", "active"];
}

function isZone(zone: string): boolean {
  try {
    return zone !== "" && new Intl.DateTimeFormat("en", { timeZone: zone }) !== null;
  } catch {
    return false;
  }
}

const SHOWN = 5;

function NextTimes({ cron, zone }: { cron: string; zone: string }) {
  const { t, language } = useTexts();
  const times = useMemo(() => {
    const parsed = parseCron(cron);
    return parsed === null ? [] : nextTimes(parsed, zone, Date.now(), SHOWN);
  }, [cron, zone]);
  const format = new Intl.DateTimeFormat(language, {
    timeZone: zone,
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "numeric",
    minute: "2-digit",
  });
  return (
    <div>
      <h3>{t.connections.schedules.next}</h3>
      <ol className="times">
        {times.map((time) => (
          <li key={time}><time dateTime={new Date(time).toISOString()}>{format.format(time)}</time></li>
        ))}
      </ol>
    </div>
  );
}

/** What happens with missed times, and while a run is in progress. */
function Rules({ node }: { node: Node }) {
  const { t, format } = useTexts();
  const catchUp = keyOf(t.connections.schedules.catchUp, textIn(node, "catchUp"), "skip");
  const overlap = keyOf(t.connections.schedules.overlap, textIn(node, "overlap"), "allow");
  const grace: unknown = node.config?.["graceSeconds"];
  const seconds = format.number(typeof grace === "number" ? grace : 60);
  return (
    <p className="sub">
      {t.connections.schedules.missed(seconds)} {t.connections.schedules.catchUp[catchUp]}.{" "}
      {t.connections.schedules.overlapTitle} {t.connections.schedules.overlap[overlap]}.
    </p>
  );
}

function keyOf<K extends string>(texts: Record<K, string>, value: string | undefined, byDefault: K): K {
  return value !== undefined && Object.hasOwn(texts, value) ? (value as K) : byDefault;
}
