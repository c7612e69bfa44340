import type { Wait } from "../../api/types";
import { fromUnits } from "../../api/money";
import { useTexts } from "../../i18n";
import { StateBadge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Duration } from "../../ui/Duration";
import { Money } from "../../ui/Money";
import { type NodeFigures, stateOf } from "./history";
import { waitId } from "./Waits";

interface NodePanelProps {
  name: string;
  type: string;
  figures: NodeFigures | undefined;
  wait: Wait | undefined;
  onRetry: (() => void) | undefined;
  onClose: () => void;
}

/** What the chosen node has done, and what can be done from here. Its steps are in the trace below. */
export function NodePanel({ name, type, figures, wait, onRetry, onClose }: NodePanelProps) {
  const { t, format } = useTexts();
  return (
    <section className="panel node-panel" aria-label={t.run.chosen(name)}>
      <div className="node-head">
        <h3 translate="no">{name}</h3>
        <span className="muted" translate="no">{type}</span>
        {figures ? <StateBadge state={stateOf(figures)} /> : <span className="muted">{t.run.notBegun}</span>}
      </div>
      {figures && (
        <dl>
          <div><dt>{t.run.executions}</dt><dd className="numbers">{format.number(figures.executions)}</dd></div>
          {figures.failed > 0 && <div><dt>{t.run.failures}</dt><dd className="numbers">{format.number(figures.failed)}</dd></div>}
          <div><dt>{t.runs.duration}</dt><dd><Duration ms={figures.durationMs} /></dd></div>
          <div><dt>{t.runs.cost}</dt><dd><Money exact={fromUnits(figures.cost)} /></dd></div>
          <div><dt>{t.runs.tokens}</dt><dd className="numbers">{format.number(figures.tokens)}</dd></div>
        </dl>
      )}
      <div className="node-actions">
        {wait && <Button kind="primary" onClick={() => document.getElementById(waitId(wait))?.focus()}>{t.run.decide}</Button>}
        {onRetry && <Button onClick={onRetry}>{t.run.retryFromHere}</Button>}
        <Button onClick={onClose}>{t.run.showAll}</Button>
      </div>
    </section>
  );
}
