import type { Release, ReleaseDiff, WorkflowDetail } from "../../api/types";
import { useReleaseGraph } from "../../api/workflow";
import { Differences, isUnchanged } from "../../graph/Differences";
import { GraphPicture, type NodeMark } from "../../graph/GraphPicture";
import { useDiff } from "../../graph/queries";
import { useTexts } from "../../i18n";
import { replaceQuery } from "../../router/history";
import { Loaded } from "../../ui/Loaded";
import { Select } from "../../ui/Select";

interface ComparisonProps {
  workflow: WorkflowDetail;
  releases: Release[];
  query: URLSearchParams;
}

/** Compares two releases, or a release with the draft. */
export function Comparison({ workflow, releases, query }: ComparisonProps) {
  const { t } = useTexts();
  const from = query.get("from") ?? "";
  const to = query.get("to") ?? "";
  const options = releases.map(({ id, number }) => [id, t.runs.release(number)] as const);
  return (
    <section className="section" id="compare" tabIndex={-1} aria-labelledby="compare-title">
      <header><h2 id="compare-title">{t.workflow.compareTitle}</h2></header>
      <div className="filters even narrow">
        <Select
          label={t.workflow.from}
          value={from}
          options={[["", t.workflow.choose], ...options]}
          onChange={(from) => replaceQuery({ from })}
        />
        <Select
          label={t.workflow.to}
          value={to}
          options={[["", t.workflow.choose], ["draft", t.workflow.draft], ...options]}
          onChange={(to) => replaceQuery({ to })}
        />
      </div>
      {from && to ? (
        <Diff workflow={workflow} from={from} to={to} />
      ) : (
        <p className="muted">{t.workflow.compareHint}</p>
      )}
    </section>
  );
}

function Diff({ workflow, from, to }: { workflow: WorkflowDetail; from: string; to: string }) {
  const { t } = useTexts();
  const query = useDiff(workflow.id, from, to, workflow.revision);
  const release = useReleaseGraph(workflow.id, to);
  const graph = to === "draft" ? workflow.graph : release.data;
  return (
    <Loaded query={query} lines={4}>
      {(diff) =>
        isUnchanged(diff) ? (
          <p className="panel calm">{t.workflow.noDifferences}</p>
        ) : (
          <>
            {graph !== undefined && diff.nodes.length > 0 && (
              <GraphPicture graph={graph} label={t.workflow.diffPicture} marks={findMarks(diff)} />
            )}
            <Differences diff={diff} />
          </>
        )
      }
    </Loaded>
  );
}

/** Removed nodes are not in the graph: only the list has them. */
function findMarks({ nodes }: ReleaseDiff): Map<string, NodeMark> {
  return new Map(nodes.map(({ id, change }) => [id, { kind: change === "added" ? ("added" as const) : ("edited" as const) }]));
}
