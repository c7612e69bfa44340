import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Rehearsal as Result, Release, ReplayOutcome, RunEntry, WorkflowDetail } from "../../api/types";
import { useReleaseGraph } from "../../api/workflow";
import { useTexts } from "../../i18n";
import { replaceQuery } from "../../router/history";
import { Badge, StateBadge, type Tone } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { ErrorState } from "../../ui/ErrorState";
import { Select } from "../../ui/Select";
import { Table } from "../../ui/Table";
import { GraphPicture } from "../../graph/GraphPicture";
import { type RehearsalInput, rehearsalKey, useEndedRuns, useRehearsal } from "./queries";
import { ReplayDialog } from "./ReplayDialog";

const samples = ["10", "20", "50", "100"] as const;

interface RehearsalProps {
  workflow: WorkflowDetail;
  releases: Release[];
  query: URLSearchParams;
}

/** Replays the latest runs against a release or the draft, without calling anything. */
export function Rehearsal({ workflow, releases, query }: RehearsalProps) {
  const { t, format } = useTexts();
  const queries = useQueryClient();
  const rehearsed = query.get("rehearse") ?? "";
  const sample = samples.find((sample) => sample === query.get("sample")) ?? "20";
  const input = rehearsed ? { target: rehearsed, sample: Number(sample), revision: workflow.revision } : null;
  const [target, setTarget] = useState(rehearsed || (workflow.hasUnpublishedChanges ? "draft" : (releases[0]?.id ?? "draft")));
  useEffect(() => {
    if (rehearsed) setTarget(rehearsed);
  }, [rehearsed]);
  const { data, error, isFetching, refetch } = useRehearsal(workflow.id, input);
  const start = () => {
    if (target === rehearsed) void refetch();
    else replaceQuery({ rehearse: target, replay: "" });
  };
  const cancel = () => {
    if (input !== null) void queries.cancelQueries({ queryKey: rehearsalKey(workflow.id, input) });
    replaceQuery({ rehearse: "", replay: "" });
  };
  return (
    <section className="section" id="rehearse" tabIndex={-1} aria-labelledby="rehearse-title">
      <header><h2 id="rehearse-title">{t.workflow.rehearseTitle}</h2></header>
      <p className="muted lead">{t.workflow.rehearseText}</p>
      <div className="filters even narrow">
        <Select
          label={t.workflow.target}
          value={target}
          options={[["draft", t.workflow.draft], ...releases.map(({ id, number }) => [id, t.runs.release(number)] as const)]}
          onChange={setTarget}
        />
        <Select
          label={t.workflow.sample}
          value={sample}
          options={samples.map((sample) => [sample, t.workflow.lastCount(format.number(Number(sample)))] as const)}
          onChange={(sample) => replaceQuery({ sample })}
        />
        <div className="beside-fields">
          <Button kind="primary" busy={isFetching} onClick={start}>
            {target === rehearsed && data !== undefined ? t.workflow.rehearseAgain : t.workflow.rehearse}
          </Button>
        </div>
      </div>
      <div role="status" className={isFetching ? "panel in-progress" : undefined}>
        {isFetching && (
          <>
            <div>
              <p><strong>{t.workflow.rehearsing}</strong> <Elapsed /></p>
              <p className="muted">{t.workflow.canLeave}</p>
            </div>
            <Button onClick={cancel}>{t.cancel}</Button>
            <progress aria-label={t.workflow.rehearsing} />
          </>
        )}
      </div>
      {error !== null && !isFetching && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data !== undefined && !isFetching && input !== null && error === null && (
        <Report workflow={workflow} input={input} result={data} replayed={query.get("replay")} />
      )}
    </section>
  );
}

function Elapsed() {
  const { format } = useTexts();
  const [startedAt] = useState(Date.now);
  const [now, setNow] = useState(startedAt);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  if (now - startedAt < 1000) return null;
  return <span className="muted numbers" aria-hidden="true">{format.duration(Math.floor((now - startedAt) / 1000) * 1000)}</span>;
}

const tones: Record<ReplayOutcome, Tone> = { equal: "good", differs: "warn", open: "progress" };
const outcomes = ["equal", "differs", "open"] as const;

interface ReportProps {
  workflow: WorkflowDetail;
  input: RehearsalInput;
  result: Result & { tookMs: number };
  replayed: string | null;
}

function Report({ workflow, input, result, replayed }: ReportProps) {
  const { t, format } = useTexts();
  const [node, setNode] = useState("");
  const ended = useEndedRuns(workflow.id, result.runs.length > 0).data;
  const release = useReleaseGraph(workflow.id, input.target);
  const graph = input.target === "draft" ? workflow.graph : release.data;
  const names = new Map((graph ?? workflow.graph).nodes?.map(({ id, name }) => [id, name || id]));
  const nameOf = (id: string) => names.get(id) ?? id;
  const counts = new Map<string, number>();
  for (const run of result.runs) for (const id of run.nodes) counts.set(id, (counts.get(id) ?? 0) + 1);
  const byNode = [...counts].sort((a, b) => b[1] - a[1]);
  const marks = new Map(byNode.map(([id, count]) => [id, { kind: "edited" as const, label: format.number(count) }]));
  const choose = (id: string) => setNode(node === id ? "" : id);
  const runs = result.runs.filter((run) => node === "" || run.nodes.includes(node));
  const titleOf = (run: RunEntry | undefined, id: string) =>
    run === undefined ? id : format.dateTime(run.startedAt ?? run.queuedAt);
  if (result.replayed === 0 && result.withoutTrigger === 0) {
    return <p className="panel calm">{t.workflow.nothingToReplay}</p>;
  }
  return (
    <div className="stack">
      <div className="panel rehearsal">
        <p className="headline">
          {result.differs + result.open === 0
            ? t.workflow.allEqual(format.number(result.replayed))
            : t.workflow.someDiffer(format.number(result.differs + result.open), format.number(result.replayed))}{" "}
          <span className="muted numbers">{format.duration(result.tookMs)}</span>
        </p>
        <div className="share" aria-hidden="true">
          {outcomes.map((outcome) => (
            <span key={outcome} className={outcome} style={{ flexGrow: result[outcome] }} />
          ))}
        </div>
        <ul className="outcomes">
          {outcomes.map((outcome) => (
            <li key={outcome}>
              <Badge tone={tones[outcome]}>{t.workflow.outcomes[outcome]}</Badge>{" "}
              <strong className="numbers">{format.number(result[outcome])}</strong>
              <p className="sub">{t.workflow.outcomeTexts[outcome]}</p>
            </li>
          ))}
        </ul>
        {result.replayed < input.sample && <p className="muted">{t.workflow.fewer(format.number(result.replayed))}</p>}
        {result.withoutTrigger > 0 && <p className="muted">{t.workflow.withoutTrigger(format.number(result.withoutTrigger))}</p>}
      </div>
      {graph !== undefined && byNode.length > 0 && (
        <GraphPicture graph={graph} label={t.workflow.picture} marks={marks} chosen={node} onChoose={choose} />
      )}
      {byNode.length > 0 && (
        <div className="chips" role="group" aria-label={t.workflow.nodesThatDiffer}>
          <span className="muted">{t.workflow.nodesThatDiffer}</span>
          {byNode.map(([id, count]) => (
            <button key={id} type="button" className="chip" aria-pressed={node === id} onClick={() => choose(id)}>
              {nameOf(id)} <span className="numbers">{format.number(count)}</span>
            </button>
          ))}
        </div>
      )}
      {runs.length > 0 && (
        <Table
          caption={t.workflow.rehearsedRuns}
          rows={runs}
          rowKey={(run) => run.runId}
          columns={[
            {
              title: t.workflow.runThatEnded,
              cell: ({ runId }) => (
                <button type="button" className="link name" onClick={() => replaceQuery({ replay: runId })}>
                  {titleOf(ended?.get(runId), runId)}
                </button>
              ),
            },
            {
              title: t.workflow.wasState,
              cell: ({ runId }) => {
                const run = ended?.get(runId);
                return run === undefined ? (
                  <span className="muted">–</span>
                ) : (
                  <span><StateBadge state={run.state} of="run" /> <span className="sub">{t.runs.release(run.releaseNumber)}</span></span>
                );
              },
            },
            {
              title: t.workflow.outcome,
              cell: ({ outcome }) => <Badge tone={tones[outcome]}>{t.workflow.outcomes[outcome]}</Badge>,
            },
            { title: t.workflow.nodesThatDiffer, cell: ({ nodes }) => format.list(nodes.map(nameOf)) || "–" },
            { title: t.workflow.newEffects, numeric: true, cell: ({ newEffects }) => format.number(newEffects) },
          ]}
        />
      )}
      {replayed !== null && (
        <ReplayDialog
          workflow={workflow}
          runId={replayed}
          title={titleOf(ended?.get(replayed), replayed)}
          input={input}
          graph={graph}
          nameOf={nameOf}
          onClose={() => replaceQuery({ replay: "" })}
        />
      )}
    </div>
  );
}
