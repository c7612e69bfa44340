export const ownerships = ["all", "mine", "shared"] as const;

/** The filters of the lists of agents and of workflows. */
export interface ListFilters<State extends string, Sort extends string> {
  search: string;
  state: State | "";
  ownership: (typeof ownerships)[number];
  sort: Sort;
}

/** Reads the filters from the address. The first order is that of a list that nobody has sorted. */
export function readFilters<State extends string, Sort extends string>(
  query: URLSearchParams,
  states: readonly State[],
  sorts: readonly [Sort, ...Sort[]],
): ListFilters<State, Sort> {
  return {
    search: query.get("search") ?? "",
    state: states.find((state) => state === query.get("state")) ?? "",
    ownership: ownerships.find((ownership) => ownership === query.get("ownership")) ?? "all",
    sort: sorts.find((sort) => sort === query.get("sort")) ?? sorts[0],
  };
}

export const isFiltered = ({ search, state, ownership }: ListFilters<string, string>) =>
  search !== "" || state !== "" || ownership !== "all";

/** The parameters of a page, without those of the state, which agents and workflows name in different ways. */
export function toParameters<Sort extends string>({ search, ownership, sort }: ListFilters<string, Sort>, page: number) {
  const order = sort === "name" ? ("asc" as const) : ("desc" as const);
  return { ownership, sort, order, page, perPage: 30, ...(search && { search }) };
}
