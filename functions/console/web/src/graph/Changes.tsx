import { useTexts } from "../i18n";
import { type Change, findChanges } from "./changes";

const SHOWN = 50;

/** What differs between two values, part by part. `field` is where the values are. */
export function Changes({ before, after, field }: { before: unknown; after: unknown; field: string }) {
  const { t, format } = useTexts();
  const changes = findChanges(before, after);
  return (
    <>
      {changes.slice(0, SHOWN).map((change) => (
        <ChangeLine key={change.path} change={change} field={field} />
      ))}
      {changes.length > SHOWN && <p className="muted">{t.workflow.moreChanges(format.number(changes.length - SHOWN))}</p>}
    </>
  );
}

function ChangeLine({ change: { path, before, after }, field }: { change: Change; field: string }) {
  const name = path.startsWith("[") || path === "" || field === "" ? field + path : `${field}.${path}`;
  return (
    <div className="change">
      <p><code>{name}</code></p>
      <BeforeAfter before={before} after={after} />
    </div>
  );
}

function BeforeAfter({ before, after }: { before: unknown; after: unknown }) {
  const { t } = useTexts();
  return (
    <dl className="before-after">
      <div className="before">
        <dt>{t.workflow.before}</dt>
        <dd><Value value={before} /></dd>
      </div>
      <div className="after">
        <dt>{t.workflow.after}</dt>
        <dd><Value value={after} /></dd>
      </div>
    </dl>
  );
}

/** A value as text. A long one scrolls. */
export function Value({ value }: { value: unknown }) {
  const { t } = useTexts();
  if (value === undefined || value === null) return <span className="muted">{t.workflow.noValue}</span>;
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  if (text === "") return <span className="muted">{t.workflow.emptyText}</span>;
  const isLong = text.length > 500 || text.split("\n").length > 11;
  return <pre className="value" tabIndex={isLong ? 0 : undefined}>{text}</pre>;
}
