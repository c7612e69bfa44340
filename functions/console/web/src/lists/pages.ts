interface Page<T> {
  data: T[];
  meta: { page: number; totalPages: number; total: number };
}

/** The options of a list with numbered pages. */
export function numbered<T>(queryKey: readonly unknown[], load: (page: number) => Promise<Page<T>>) {
  return {
    queryKey,
    initialPageParam: 1,
    queryFn: ({ pageParam }: { pageParam: number }) => load(pageParam),
    getNextPageParam: ({ meta }: Page<T>) => (meta.page < meta.totalPages ? meta.page + 1 : undefined),
  };
}

/** Loads the pages of a list one after the other, all of them or until the rows are enough. */
export async function allPages<T>(load: (page: number) => Promise<Page<T>>, isEnough: (rows: readonly T[]) => boolean = () => false): Promise<T[]> {
  const rows: T[] = [];
  for (let page = 1, pages = 1; page <= pages && !(page > 1 && isEnough(rows)); page++) {
    const { data, meta } = await load(page);
    pages = meta.totalPages;
    rows.push(...data);
  }
  return rows;
}
