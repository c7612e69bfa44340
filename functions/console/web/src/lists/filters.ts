export const orders = ["desc", "asc"] as const;
export type Order = (typeof orders)[number];

export const ownerships = ["all", "mine", "shared"] as const;

/** The filters of the lists of agents and of workflows. */
export interface ListFilters<State extends string, Sort extends string> {
  search: string;
  /** None: all states. */
  states: readonly State[];
  ownership: (typeof ownerships)[number];
  sort: Sort;
  order: Order;
}

/** The order in which people expect a list: names from A to Z, all else with the latest or the most first. */
export const usualOrder = (sort: string): Order => (sort === "name" ? "asc" : "desc");

/** Reads the filters from the address. The first order is that of a list that nobody has sorted. */
export function readFilters<State extends string, Sort extends string>(
  query: URLSearchParams,
  states: readonly State[],
  sorts: readonly [Sort, ...Sort[]],
): ListFilters<State, Sort> {
  const sort = sorts.find((sort) => sort === query.get("sort")) ?? sorts[0];
  const chosen = (query.get("state") ?? "").split(",");
  return {
    search: query.get("search") ?? "",
    states: states.filter((state) => chosen.includes(state)),
    ownership: ownerships.find((ownership) => ownership === query.get("ownership")) ?? "all",
    sort,
    order: orders.find((order) => order === query.get("order")) ?? usualOrder(sort),
  };
}

export const isFiltered = ({ search, states, ownership }: ListFilters<string, string>) =>
  search !== "" || states.length > 0 || ownership !== "all";

/** The parameters of a page, without those of the state, which agents and workflows name in different ways. */
export function toParameters<Sort extends string>({ search, ownership, sort, order }: ListFilters<string, Sort>, page: number) {
  return { ownership, sort, order, page, perPage: 30, ...(search && { search }) };
}
