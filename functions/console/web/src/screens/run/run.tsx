import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useReleaseGraph, useWorkflow } from "../../api/workflow";
import type { Run, WorkflowGraph } from "../../api/types";
import { useTexts } from "../../i18n";
import { Loaded } from "../../ui/Loaded";
import { PageTitle } from "../../ui/PageTitle";
import { Link } from "../../router/Link";
import { StateBadge } from "../../ui/Badge";
import { Section } from "../../ui/Section";
import { Activity } from "./Activity";
import { canRetry, Controls, mayControl } from "./Controls";
import { Facts } from "./Facts";
import { Failure } from "./Failure";
import { FormPages } from "./FormPages";
import { LiveMark } from "./LiveMark";
import { hasEnded, isSettled, listWaits, refreshRun, type RunId, useRun, useTrace } from "./queries";
import { RetryDialog } from "./RetryDialog";
import { RunValues } from "./RunValues";
import { Starter } from "./Starter";
import { useLive } from "./useLive";
import { Waits } from "./Waits";
import { WhatHappened } from "./WhatHappened";

/** A run: its state, what it waits for, what each step did, and what it cost. */
export default function RunScreen({ id }: { id: RunId }) {
  const { t } = useTexts();
  const queries = useQueryClient();
  const run = useRun(id);
  const trace = useTrace(id);
  const workflow = useWorkflow(id.workflowId);
  const isOn = run.data !== undefined && !hasEnded(run.data.state);
  const shownUntil = Math.min(run.data?.readAt ?? Number.NEGATIVE_INFINITY, trace.data?.readAt ?? Number.NEGATIVE_INFINITY);
  // It ended between or just before the two reads: the steps may not show it yet.
  const hasJustEnded = run.data !== undefined && !isOn && endOf(run.data) >= shownUntil;
  // The events also have the steps for which a trace has no room.
  const isLarge = trace.data !== undefined && trace.data.omitted > 0;
  const isRead = run.data !== undefined && trace.data !== undefined;
  const live = useLive(id, {
    isOn: isRead && (isOn || hasJustEnded || isLarge),
    shownUntil,
    onChange: () => refreshRun(queries, id),
    isSettled: () => isSettled(queries, id),
  });
  const graph = useRunGraph(id.workflowId, run.data?.releaseId, workflow);
  const names = new Map(graph?.nodes?.map((node) => [node.id, node.name || node.id]));
  const waits = listWaits(run.data?.waiting ?? null);
  const title = workflow.data === undefined ? t.run.title : t.run.titleOf(workflow.data.name);
  /** The node from which the person wants to repeat. Empty where the run ended. */
  const [retryFrom, setRetryFrom] = useState<string | null>(null);
  const isAllowed = mayControl(workflow.data);

  return (
    <>
      <PageTitle
        title={title}
        above={<Link to="runs" query={{ workflow: id.workflowId }} className="crumb">← {t.run.allRuns}</Link>}
      >
        {run.data && isAllowed && <Controls id={id} run={run.data} onRetry={() => setRetryFrom("")} />}
      </PageTitle>
      <Loaded query={run} lines={3}>
        {(run) => (
          <>
            <p className="state-line">
              <StateBadge state={run.state} of="run" />
              <LiveMark connection={isOn ? live.connection : "off"} />
              {run.startedBy && <Starter {...run.startedBy} />}
            </p>
            {run.error !== null && <Failure error={run.error} names={names} />}
            <Waits id={id} waits={waits} />
            {isOn && isAllowed && asksPages(graph) && <FormPages id={id} />}
            <Facts run={run} />
          </>
        )}
      </Loaded>
      {(run.data !== undefined || run.error === null) && (
        <Section title={t.run.trace}>
          <Loaded query={trace} lines={6}>
            {(trace) => (
              <WhatHappened
                id={id}
                run={run.data}
                trace={trace}
                graph={graph}
                events={live.events}
                waits={waits}
                onRetry={isAllowed && run.data && canRetry(run.data) ? setRetryFrom : undefined}
              />
            )}
          </Loaded>
          {run.data?.erasedAt === null && <Activity id={id} events={live.events.length} />}
        </Section>
      )}
      {run.data && <RunValues run={run.data} />}
      {retryFrom !== null && run.data && (
        <RetryDialog
          id={id}
          run={run.data}
          spans={trace.data?.spans ?? []}
          names={names}
          from={retryFrom}
          onClose={() => setRetryFrom(null)}
        />
      )}
    </>
  );
}

const asksPages = (graph: WorkflowGraph | null) => graph?.nodes?.some(({ type }) => type === "form_page") ?? false;

const endOf = ({ startedAt, durationMs }: Run) => (startedAt === null || durationMs === null ? Number.NaN : Date.parse(startedAt) + durationMs);

/** The graph of the release of a run. While the draft has not changed since, it is that of the draft. */
function useRunGraph(workflowId: string, releaseId: string | undefined, { data, error }: ReturnType<typeof useWorkflow>) {
  const isDraft = data !== undefined && data.activeRelease?.id === releaseId && !data.hasUnpublishedChanges;
  const isOther = !isDraft && releaseId !== undefined && (data !== undefined || error !== null);
  const release = useReleaseGraph(workflowId, isOther ? releaseId : "draft").data;
  return isDraft ? data.graph : (release ?? null);
}
