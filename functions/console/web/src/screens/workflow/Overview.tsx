import type { WorkflowDetail } from "../../api/types";
import { useTexts } from "../../i18n";
import { Link } from "../../router/Link";
import { EmptyState } from "../../ui/EmptyState";
import { Loaded } from "../../ui/Loaded";
import { RelativeTime } from "../../ui/RelativeTime";
import { Section } from "../../ui/Section";
import { RunsTable } from "../runs/RunsTable";
import { DayChart } from "./DayChart";
import { Numbers } from "./Numbers";
import { useAnalytics, useLastRuns, useWaitingRuns } from "./queries";

const LAST = 5;
const WAITING = 5;

/** What the workflow did in the last 30 days, and what waits. */
export function Overview({ workflow }: { workflow: WorkflowDetail }) {
  const { t } = useTexts();
  const analytics = useAnalytics(workflow.id);
  const last = useLastRuns(workflow.id, LAST);
  const waiting = useWaitingRuns(workflow.id, WAITING);
  const params = { workflowId: workflow.id };
  const neverRan = last.data?.length === 0;
  if (neverRan) {
    return (
      <EmptyState title={t.runs.none}>
        <p>{workflow.activeRelease === null ? t.workflow.publishFirst : t.runs.noneText}</p>
      </EmptyState>
    );
  }
  return (
    <>
      <Section
        title={t.workflow.last30}
        aside={<Link to="analytics" query={{ workflows: workflow.id }}>{t.analytics.title}</Link>}
      >
        <Loaded query={analytics} lines={4}>
          {(analytics) => (
            <div className="panel">
              <Numbers analytics={analytics} />
              <DayChart days={analytics.days} />
            </div>
          )}
        </Loaded>
      </Section>
      <Section
        title={t.workflow.openReviews}
        aside={
          waiting.data?.meta.nextCursor && (
            <Link to="workflowRuns" params={params} query={{ state: "paused" }}>{t.home.allPaused}</Link>
          )
        }
      >
        <Loaded query={waiting} lines={2}>
          {({ data }) => {
            const reviews = data.flatMap((run) => (run.waiting === null ? [] : [{ run, wait: run.waiting }]));
            if (reviews.length === 0) return <p className="panel calm">{t.workflow.noReviews}</p>;
            return (
              <ul className="panel rows">
                {reviews.map(({ run, wait }) => (
                  <li key={run.id}>
                    <div className="main">
                      <Link to="run" params={{ workflowId: workflow.id, runId: run.id }} className="name" translate="no">{wait.title}</Link>
                      <p className="sub">
                        {t.runs.started} <RelativeTime time={run.startedAt ?? run.queuedAt} /> · {t.review.expires}{" "}
                        <RelativeTime time={wait.expiresAt} />
                      </p>
                    </div>
                  </li>
                ))}
              </ul>
            );
          }}
        </Loaded>
      </Section>
      <Section
        title={t.workflow.lastRuns}
        aside={<Link to="workflowRuns" params={params}>{t.workflow.allRuns}</Link>}
      >
        <Loaded query={last} lines={LAST}>
          {(runs) => <RunsTable runs={runs} workflowName={workflow.name} isOfOne />}
        </Loaded>
      </Section>
    </>
  );
}
