import type { ReleaseDiff } from "../api/types";
import { useTexts } from "../i18n";
import { Badge, type Tone } from "../ui/Badge";
import { Changes } from "./Changes";

export const isUnchanged = ({ nodes, connections, channels }: ReleaseDiff) => nodes.length + connections.length + channels.length === 0;

const tones: Record<"added" | "removed" | "changed", Tone> = { added: "good", removed: "bad", changed: "warn" };

/** The nodes, connections and channels that differ between two versions. */
export function Differences({ diff }: { diff: ReleaseDiff }) {
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
