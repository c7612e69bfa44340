import { useTexts } from "../../i18n";

interface Step {
  nodeId: string;
  durationMs: number;
}

/** Says which steps decided how long the run took, the longest first. */
export function CriticalPath({ steps, names }: { steps: readonly Step[]; names: ReadonlyMap<string, string> }) {
  const { t, format } = useTexts();
  const total = steps.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const longest = steps.filter(({ durationMs }) => durationMs > 0).sort((a, b) => b.durationMs - a.durationMs).slice(0, 3);
  const [first, ...others] = longest;
  if (first === undefined) return <p className="critical-words">{t.run.nothingLong}</p>;
  const nameOf = ({ nodeId }: Step) => names.get(nodeId) ?? nodeId;
  return (
    <p className="critical-words">
      {t.run.longest(nameOf(first), format.duration(first.durationMs), format.percent(first.durationMs / total))}
      {others.length > 0 && ` ${t.run.thenLongest(format.list(others.map((step) => `${nameOf(step)} (${format.duration(step.durationMs)})`)))}`}
    </p>
  );
}
