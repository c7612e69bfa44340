import { useTexts } from "../i18n";
import { replaceQuery } from "../router/history";
import { useSetQuery } from "../router/useSetQuery";
import { Button } from "../ui/Button";
import { EmptyState } from "../ui/EmptyState";
import { MultiSelect } from "../ui/MultiSelect";
import { SearchField } from "../ui/SearchField";
import { Select } from "../ui/Select";
import { type ListFilters, orders, ownerships, usualOrder } from "./filters";

type Sort = "updatedAt" | "createdAt" | "name" | "requests";
type State = keyof ReturnType<typeof useTexts>["t"]["states"];

interface FilterFieldsProps {
  filters: ListFilters<State, Sort>;
  states: readonly State[];
  sorts: readonly Sort[];
}

/** The filters above the lists of agents and of workflows. */
export function FilterFields({ filters, states, sorts }: FilterFieldsProps) {
  const { t } = useTexts();
  const search = useSetQuery("search");
  return (
    <div className="filters">
      <SearchField value={filters.search} onSearch={search} main />
      <MultiSelect
        label={t.workflows.state}
        none={t.workflows.allStates}
        options={states.map((state) => [state, t.states[state]] as const)}
        chosen={filters.states}
        onChange={(chosen) => replaceQuery({ state: chosen.join(",") })}
      />
      <Select
        label={t.ownership.label}
        value={filters.ownership}
        options={ownerships.map((ownership) => [ownership, t.ownership[ownership]] as const)}
        onChange={(ownership) => replaceQuery({ ownership })}
      />
      <Select
        label={t.sort.label}
        value={`${filters.sort} ${filters.order}`}
        options={sorts.flatMap((sort) =>
          [usualOrder(sort), ...orders.filter((order) => order !== usualOrder(sort))].map(
            (order) => [`${sort} ${order}`, t.sort[sort][order]] as const,
          ),
        )}
        onChange={(chosen) => {
          const [sort = "", order = ""] = chosen.split(" ");
          replaceQuery({ sort, order: order === usualOrder(sort) ? "" : order });
        }}
      />
    </div>
  );
}

/** Says that filters hide everything, and removes them. */
export function NothingMatches({ title }: { title: string }) {
  const { t } = useTexts();
  return (
    <EmptyState title={title}>
      <p>{t.runs.emptyText}</p>
      <Button onClick={() => replaceQuery({ search: "", state: "", ownership: "" })}>{t.runs.clear}</Button>
    </EmptyState>
  );
}
