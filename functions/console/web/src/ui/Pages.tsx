import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTexts } from "../i18n";
import { Button } from "./Button";
import { ErrorState } from "./ErrorState";
import { Skeleton } from "./Loading";

interface Page<T> {
  data: T[];
  /** Numbered pages know the total, pages with a cursor do not. */
  meta: { total?: number; nextCursor?: string | null };
}

interface PagesProps<T> {
  query: UseInfiniteQueryResult<InfiniteData<Page<T>>>;
  lines?: number;
  empty: ReactNode;
  children: (rows: T[]) => ReactNode;
}

/** Loads again what could not be loaded: the next page, or all of them. */
export const retryPages =
  ({ isFetchNextPageError, fetchNextPage, refetch }: Pick<UseInfiniteQueryResult, "isFetchNextPageError" | "fetchNextPage" | "refetch">) =>
  () =>
    void (isFetchNextPageError ? fetchNextPage() : refetch());

/** The button for the next page. */
export function ShowMore({ query: { isFetchingNextPage, fetchNextPage } }: { query: Pick<UseInfiniteQueryResult, "isFetchingNextPage" | "fetchNextPage"> }) {
  const { t } = useTexts();
  return (
    <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
      {isFetchingNextPage ? t.loading : t.more}
    </Button>
  );
}

/** A list that is loaded page by page. What is loaded stays while more is asked for, and when that fails. */
export function Pages<T>({ query, lines = 4, empty, children }: PagesProps<T>) {
  const { t, format } = useTexts();
  const { data, error, hasNextPage } = query;
  if (data === undefined) {
    return error === null ? <Skeleton lines={lines} /> : <ErrorState error={error} onRetry={retryPages(query)} />;
  }
  const rows = data.pages.flatMap((page) => page.data);
  if (rows.length === 0 && !hasNextPage) return empty;
  const total = data.pages.at(-1)?.meta.total;
  return (
    <>
      {rows.length > 0 && children(rows)}
      {error !== null && <ErrorState error={error} onRetry={retryPages(query)} />}
      {(total !== undefined || hasNextPage) && (
        <div className="more">
          {total !== undefined && <span>{t.total(format.number(total))}</span>}
          {hasNextPage && <ShowMore query={query} />}
        </div>
      )}
    </>
  );
}
