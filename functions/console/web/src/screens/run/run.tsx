import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { useWorkflow } from "../../api/workflow";
import { useTexts } from "../../i18n";
import { Loaded } from "../../ui/Loaded";
import { PageTitle } from "../../ui/PageTitle";
import { Link } from "../../router/Link";
import { StateBadge } from "../../ui/Badge";
import { Section } from "../../ui/Section";
import { Activity } from "./Activity";
import { Controls } from "./Controls";
import { Facts } from "./Facts";
import { Failure } from "./Failure";
import { LiveMark } from "./LiveMark";
import { hasEnded, listWaits, type RunId, useRun, useTrace } from "./queries";
import { RunValues } from "./RunValues";
import { lastChange } from "./timeline";
import { Trace } from "./Trace";
import { useLive } from "./useLive";
import { Waits } from "./Waits";

/** A run: its state, what it waits for, what each step did, and what it cost. */
export default function RunScreen({ id }: { id: RunId }) {
  const { t } = useTexts();
  const queries = useQueryClient();
  const run = useRun(id);
  const trace = useTrace(id);
  const workflow = useWorkflow(id.workflowId).data;
  const isOn = run.data !== undefined && trace.data !== undefined && !hasEnded(run.data.state);
  const knownUntil = trace.data === undefined ? "" : later(lastChange(trace.data.spans), run.data?.queuedAt);
  const refresh = useCallback(() => queries.invalidateQueries({ queryKey: ["run", id.runId] }), [queries, id.runId]);
  const connection = useLive(id, isOn, knownUntil, refresh);
  const nodes = workflow?.graph.nodes ?? [];
  const names = new Map(nodes.map((node) => [node.id, node.name || node.id]));
  const called = new Map(nodes.map((node) => [node.id, node.config?.["workflowId"]]));
  const waits = listWaits(run.data?.waiting ?? null);
  const title = workflow === undefined ? t.run.title : t.run.titleOf(workflow.name);

  return (
    <>
      <PageTitle
        title={title}
        above={<Link to="runs" query={{ workflow: id.workflowId }} className="crumb">← {t.run.allRuns}</Link>}
      >
        {run.data && <Controls id={id} run={run.data} spans={trace.data?.spans ?? []} role={workflow?.access.role} names={names} />}
      </PageTitle>
      <Loaded query={run} lines={3}>
        {(run) => (
          <>
            <p className="state-line">
              <StateBadge state={run.state} of="run" />
              <LiveMark connection={connection} />
            </p>
            {run.error !== null && <Failure error={run.error} names={names} />}
            <Waits id={id} waits={waits} />
            <Facts run={run} />
          </>
        )}
      </Loaded>
      {(run.data !== undefined || run.error === null) && (
        <Section title={t.run.trace}>
          <Loaded query={trace} lines={6}>
            {(trace) => <Trace id={id} trace={trace} names={names} called={called} />}
          </Loaded>
          {run.data?.erasedAt === null && <Activity id={id} />}
        </Section>
      )}
      {run.data && <RunValues run={run.data} />}
    </>
  );
}

function later(time: string, other: string | undefined): string {
  return other !== undefined && other > time ? other : time;
}
