import type { Run } from "../../api/types";
import { useTexts } from "../../i18n";
import { Section } from "../../ui/Section";
import { StoredValue } from "../../values/StoredValue";
import { ValueView } from "../../values/ValueView";
import { hasEnded } from "./queries";

/** What the run received and returned. */
export function RunValues({ run }: { run: Run }) {
  const { t } = useTexts();
  if (run.erasedAt !== null) {
    return <Section title={t.run.values}><p className="panel calm">{t.runs.erased}</p></Section>;
  }
  return (
    <Section title={t.run.values}>
      <div className="panel value-pair">
        {run.inputUrl === null ? <ValueView name={t.run.input} value={run.input} /> : <StoredValue name={t.run.input} url={run.inputUrl} />}
        {hasEnded(run.state) &&
          (run.outputUrl === null ? (
            <ValueView name={t.run.output} value={run.output} />
          ) : (
            <StoredValue name={t.run.output} url={run.outputUrl} />
          ))}
      </div>
    </Section>
  );
}
