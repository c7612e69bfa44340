import type { SeenRun } from "../../api/types";
import { useTexts } from "../../i18n";
import { Link } from "../../router/Link";
import { StateBadge } from "../../ui/Badge";
import { type Sparkbar, Sparkbars } from "../../ui/chart/Sparkbars";
import { RelativeTime } from "../../ui/RelativeTime";

const SHOWN = 10;

interface LastRunsProps {
  /** Newest first. */
  runs: readonly SeenRun[];
  /** When the last run ended, if none of its runs is among the latest. */
  lastFinishedAt: string | null | undefined;
}

/** The last run of a workflow, and bars of the last ones: their height is the duration. */
export function LastRuns({ runs, lastFinishedAt }: LastRunsProps) {
  const { t, format } = useTexts();
  const last = runs[0];
  if (last === undefined) return <span className="nowrap"><RelativeTime time={lastFinishedAt} /></span>;
  const shown = runs.slice(0, SHOWN).reverse();
  const longest = Math.max(1, ...shown.map(({ durationMs }) => durationMs ?? 0));
  const names = shown.map(({ state, durationMs }) =>
    durationMs === null ? t.runStates[state] : `${t.runStates[state]} ${format.duration(durationMs)}`,
  );
  return (
    <span className="last-run">
      <StateBadge state={last.state} of="run" />
      <Link to="run" params={{ workflowId: last.workflowId, runId: last.id }} className="nowrap">
        <RelativeTime time={last.startedAt ?? last.queuedAt} />
      </Link>
      <Sparkbars label={`${t.analytics.lastRuns(shown.length)}: ${names.join(", ")}`} bars={shown.map((run) => toBar(run, longest))} />
    </span>
  );
}

function toBar({ state, durationMs }: SeenRun, longest: number): Sparkbar {
  const isEnded = state === "completed" || state === "failed" || state === "cancelled";
  // What has not ended has no duration yet.
  return { parts: [isEnded ? { kind: state, size: durationMs ?? 0 } : { kind: "open", size: longest / 2 }] };
}
