import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, builder } from "../../api/client";
import { useTexts } from "../../i18n";
import { Button } from "../../ui/Button";
import { ErrorState } from "../../ui/ErrorState";
import { Skeleton } from "../../ui/Loading";
import type { RunId } from "./queries";

const PAGE = 100;

/** What happened as sentences, in the person's language. It is loaded when it is opened. */
export function Activity({ id }: { id: RunId }) {
  const { t } = useTexts();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className="panel activity" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{t.run.activity}</summary>
      {isOpen && <Sentences id={id} />}
    </details>
  );
}

function Sentences({ id }: { id: RunId }) {
  const { t, language, format } = useTexts();
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ["run", id.runId, "activity", language],
    initialPageParam: "",
    queryFn: ({ pageParam }) =>
      answer(
        builder.GET("/builder/v1/workflows/{id}/runs/{run_id}/activity", {
          params: {
            path: { id: id.workflowId, run_id: id.runId },
            query: { limit: PAGE, ...(pageParam && { cursor: pageParam }) },
          },
        }),
      ),
    getNextPageParam: ({ meta }) => meta.nextCursor ?? undefined,
  });
  if (data === undefined) {
    return error === null ? <Skeleton /> : <ErrorState error={error} onRetry={() => void refetch()} />;
  }
  return (
    <>
      <ol>
        {data.pages.flatMap((page) => page.data).map((entry) => (
          <li key={entry.number} className={entry.level}>
            <time dateTime={entry.at}>{format.time(entry.at)}</time>
            <span>
              {entry.level !== "info" && <strong>{t.run.levels[entry.level]}: </strong>}
              <WithCode text={entry.text} />
            </span>
          </li>
        ))}
      </ol>
      {hasNextPage && (
        <div className="more">
          <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>{t.more}</Button>
        </div>
      )}
    </>
  );
}

/** A sentence whose names are between backticks. */
function WithCode({ text }: { text: string }) {
  return text.split("`").map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>));
}
