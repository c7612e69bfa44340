import { type ReactNode, useState } from "react";
import { useTexts } from "../../i18n";
import { replaceQuery } from "../../router/history";
import { useSetQuery } from "../../router/useSetQuery";
import { Field } from "../../ui/Field";
import { SearchField } from "../../ui/SearchField";
import { Select } from "../../ui/Select";
import { origins, type RunFilters, states, type TextFilter } from "./filters";

interface RunFilterFieldsProps {
  filters: RunFilters;
  /** Chooses the release, if the runs are of one workflow. */
  release?: ReactNode;
}

/** The filters of a list of runs, which are in the address. */
export function RunFilterFields({ filters, release }: RunFilterFieldsProps) {
  const { t } = useTexts();
  const texts: TextFilter[] = ["error", "node", "participant", ...(release === undefined ? (["release"] as const) : [])];
  // It does not close while the last text is deleted.
  const [startsOpen] = useState(() => texts.some((name) => filters[name] !== ""));
  return (
    <>
      <div className="filters even">
        <Select
          label={t.runs.state}
          value={filters.state}
          options={[["", t.runs.allStates], ...states.map((state) => [state, t.runStates[state]] as const)]}
          onChange={(state) => replaceQuery({ state })}
        />
        <Select
          label={t.runs.origin}
          value={filters.origin}
          options={[["", t.runs.allOrigins], ...origins.map((origin) => [origin, t.origins[origin]] as const)]}
          onChange={(origin) => replaceQuery({ origin })}
        />
        {release}
        <Field label={t.runs.from} inline>
          {(ids) => (
            <input {...ids} type="date" value={filters.from} max={filters.to} onChange={(event) => replaceQuery({ from: event.target.value })} />
          )}
        </Field>
        <Field label={t.runs.to} inline>
          {(ids) => (
            <input {...ids} type="date" value={filters.to} min={filters.from} onChange={(event) => replaceQuery({ to: event.target.value })} />
          )}
        </Field>
      </div>
      <details className="more-filters" open={startsOpen}>
        <summary>{t.runs.moreFilters}</summary>
        <div className="filters even">
          {texts.map((name) => <TextField key={name} name={name} value={filters[name]} />)}
        </div>
      </details>
    </>
  );
}

function TextField({ name, value }: { name: TextFilter; value: string }) {
  const { t } = useTexts();
  return <SearchField label={t.runs.textFilters[name]} value={value} onSearch={useSetQuery(name)} />;
}
