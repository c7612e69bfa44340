import { useState } from "react";
import { useTexts } from "../../../i18n";
import { showValue } from "../../../values/text";
import { Button } from "../../../ui/Button";
import { CopyButton } from "../../../ui/CopyButton";
import type { Evaluation } from "./evaluate";
import type { Needs } from "./needs";
import type { Source } from "./scope";

const SHOWN = 240;
/** What the page shows at most. All of it can be copied. */
const MOST = 50_000;

interface ResultProps {
  evaluation: Evaluation | null;
  expression: string;
  needs: Needs;
  source: Source | null;
  /** The problems of the field, which the form shows itself. */
  known: readonly string[];
}

/** What an expression gives with the last values. */
export function Result({ evaluation, expression, needs, source, known }: ResultProps) {
  const { t } = useTexts();
  if (needs.usesVariables && source === null) return <p className="hint">{t.expression.noValues}</p>;
  if (evaluation === null) return null;
  const { outcome } = evaluation;
  const isOld = evaluation.expression !== expression;
  const masked = evaluation.isMasked && <p className="hint">{t.expression.masked}</p>;
  if ("value" in outcome) {
    return (
      <>
        <Value {...outcome} isOld={isOld} source={needs.usesVariables ? source : null} />
        {masked}
      </>
    );
  }
  const { message, isConnection } = outcome.error;
  const text = isConnection ? t.errors.connection : message.replace(/^expression: /, "");
  if (known.some((problem) => text.endsWith(problem))) return null;
  return (
    <div className="expression-error" data-old={isOld}>
      <p>{text.charAt(0).toUpperCase() + text.slice(1)}</p>
      {needs.missing.length > 0 && <p className="hint">{t.expression.unknown(needs.missing.join(", "))}</p>}
      {masked}
    </div>
  );
}

function Value({ value, type, isOld, source }: { value: unknown; type: string; isOld: boolean; source: Source | null }) {
  const { t } = useTexts();
  const [isWhole, setIsWhole] = useState(false);
  const names: Record<string, string> = t.expression.resultTypes;
  const text = showValue(value);
  const isLong = text.length > SHOWN || text.split("\n", 9).length > 8;
  const shown = isWhole ? text.slice(0, MOST) : text.split("\n", 8).join("\n").slice(0, SHOWN);
  return (
    <div className="expression-result" data-old={isOld}>
      <div className="expression-result-head">
        <span>{t.expression.result}</span>
        <span className="muted">{names[type] ?? type}{source !== null && ` · ${t.expression.sources[source]}`}</span>
        <CopyButton text={text} what={t.expression.result} />
      </div>
      {text === "" ? <p className="muted">{t.values.empty}</p> : <pre tabIndex={isWhole ? 0 : undefined} role="group" aria-label={t.expression.result}>{shown}{shown.length < text.length && "…"}</pre>}
      {isLong && (
        <Button kind="quiet" aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? t.expression.showLess : t.expression.showAll}
        </Button>
      )}
    </div>
  );
}
