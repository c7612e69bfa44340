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
