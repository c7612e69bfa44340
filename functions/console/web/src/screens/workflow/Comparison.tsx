import type { Release, ReleaseDiff, WorkflowDetail } from "../../api/types";
import { useTexts } from "../../i18n";
import { replaceQuery } from "../../router/history";
import { Badge, type Tone } from "../../ui/Badge";
import { Loaded } from "../../ui/Loaded";
import { Select } from "../../ui/Select";
import { Changes } from "./Differences";
import { GraphPicture, type NodeMark } from "./GraphPicture";
import { useDiff, useReleaseGraph } from "./queries";

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
        diff.nodes.length + diff.connections.length + diff.channels.length === 0 ? (
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

const tones: Record<"added" | "removed" | "changed", Tone> = { added: "good", removed: "bad", changed: "warn" };

function Differences({ diff }: { diff: ReleaseDiff }) {
  const { t } = useTexts();
  return (
    <div className="diff">
      {diff.nodes.length > 0 && (
        <>
          <h3>{t.workflow.nodes}</h3>
          <ul className="panel">
            {diff.nodes.map((node) => (
              <li key={node.id}>
                <p className="diff-line">
                  <Badge tone={tones[node.change]}>{t.workflow.changes[node.change]}</Badge>
                  <strong>{node.name}</strong>
                  {node.name !== node.id && <code>{node.id}</code>}
                </p>
                {node.fields.map((field) =>
                  field.omitted ? (
                    <p key={field.field} className="change"><code>{field.field}</code> <span className="muted">{t.workflow.omitted}</span></p>
                  ) : (
                    <Changes key={field.field} field={field.field} before={field.before} after={field.after} />
                  ),
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      {diff.connections.length > 0 && (
        <>
          <h3>{t.workflow.connections}</h3>
          <ul className="panel">
            {diff.connections.map(({ change, from, to }) => (
              <li key={`${change} ${from.node} ${from.port} ${to.node} ${to.port}`}>
                <p className="diff-line">
                  <Badge tone={tones[change]}>{t.workflow.changes[change]}</Badge>
                  <code>{from.node}.{from.port} → {to.node}.{to.port}</code>
                </p>
              </li>
            ))}
          </ul>
        </>
      )}
      {diff.channels.length > 0 && (
        <>
          <h3>{t.workflow.channels}</h3>
          <ul className="panel">
            {diff.channels.map((channel) => (
              <li key={channel.nodeId}>
                <p className="diff-line"><code>{channel.nodeId}</code></p>
                <Changes field="" before={channel.before ?? {}} after={channel.after ?? {}} />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
