import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, builder } from "../../api/client";
import { useTexts } from "../../i18n";
import { Pages } from "../../ui/Pages";
import { WithCode } from "../../ui/WithCode";
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
  const sentences = useInfiniteQuery({
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
