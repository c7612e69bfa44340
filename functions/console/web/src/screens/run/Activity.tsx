import { type InfiniteData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { answer, builder } from "../../api/client";
import { useTexts } from "../../i18n";
import { Pages } from "../../ui/Pages";
import { WithCode } from "../../ui/WithCode";
import type { RunId } from "./queries";

const PAGE = 100;

/** What happened as sentences, in the person's language. It is loaded when it is opened. `events` counts what has happened. */
export function Activity({ id, events }: { id: RunId; events: number }) {
  const { t } = useTexts();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className="panel activity" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{t.run.activity}</summary>
      {isOpen && <Sentences id={id} events={events} />}
    </details>
  );
}

function Sentences({ id, events }: { id: RunId; events: number }) {
  const { t, language, format } = useTexts();
  const queries = useQueryClient();
  const queryKey = ["run", id.runId, "activity", language];
  const load = (cursor: string) =>
    answer(
      builder.GET("/builder/v1/workflows/{id}/runs/{run_id}/activity", {
        params: {
          path: { id: id.workflowId, run_id: id.runId },
          query: { limit: PAGE, ...(cursor && { cursor }) },
        },
      }),
    );
  const sentences = useInfiniteQuery({
    queryKey,
    initialPageParam: "",
    queryFn: ({ pageParam }) => load(pageParam),
    getNextPageParam: ({ meta }) => meta.nextCursor ?? undefined,
  });
  // New sentences are at the end: only the last page is read again, if nothing follows it yet.
  type Loaded = InfiniteData<Awaited<ReturnType<typeof load>>, string>;
  useEffect(() => {
    const last = queries.getQueryData<Loaded>(queryKey)?.pageParams.at(-1);
    if (events === 0 || last === undefined || sentences.hasNextPage) return;
    let isOver = false;
    load(last).then(
      (page) =>
        !isOver &&
        queries.setQueryData<Loaded>(queryKey, (shown) =>
          shown?.pageParams.at(-1) === last ? { ...shown, pages: [...shown.pages.slice(0, -1), page] } : shown,
        ),
      // The next event tries again.
      () => {},
    );
    return () => {
      isOver = true;
    };
  }, [events]);
  return (
    <Pages query={sentences} empty={null}>
      {(entries) => (
        <ol>
          {entries.map((entry) => (
            <li key={entry.number} className={entry.level}>
              <time dateTime={entry.at}>{format.time(entry.at)}</time>
              <span>
                {entry.level !== "info" && <strong>{t.run.levels[entry.level]}: </strong>}
                <WithCode text={entry.text} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </Pages>
  );
}
