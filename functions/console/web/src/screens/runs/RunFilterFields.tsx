import type { ReactNode } from "react";
import { useTexts } from "../../i18n";
import { replaceQuery } from "../../router/history";
import { Field } from "../../ui/Field";
import { Select } from "../../ui/Select";
import { origins, type RunFilters, states } from "./filters";

/** The filters of a list of runs, which are in the address. `children` are further ones. */
export function RunFilterFields({ filters, children }: { filters: Omit<RunFilters, "workflow">; children?: ReactNode }) {
  const { t } = useTexts();
  return (
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
      {children}
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
  );
}
