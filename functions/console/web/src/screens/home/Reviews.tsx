import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import type { OpenReview } from "../../api/types";
import { useTexts } from "../../i18n";
import { Link } from "../../router/Link";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Loaded } from "../../ui/Loaded";
import { RelativeTime } from "../../ui/RelativeTime";
import { Section } from "../../ui/Section";
import { ReviewForm } from "../reviews/ReviewForm";
import { type OpenReviews, SHOWN } from "./queries";

export function Reviews({ query }: { query: UseQueryResult<OpenReviews> }) {
  const { t } = useTexts();
  const [open, setOpen] = useState<OpenReview | null>(null);
  const paused = <Link to="runs" query={{ state: "paused" }}>{t.home.allPaused}</Link>;
  const all = query.data !== undefined && (query.data.hasMore || query.data.reviews.length > SHOWN) && paused;
  return (
    <Section title={t.home.reviews} aside={all}>
      <Loaded query={query}>
        {({ reviews, hasMore }) =>
          reviews.length === 0 ? (
            <p className="panel calm">{hasMore ? paused : t.home.reviewsEmpty}</p>
          ) : (
            <ul className="panel rows">
              {reviews.slice(0, SHOWN).map((review) => (
                <li key={`${review.runId}/${review.step}`}>
                  <div className="main">
                    <Link to="run" params={{ workflowId: review.workflow.id, runId: review.runId }} className="name" translate="no">
                      {review.title}
                    </Link>
                    <p className="sub">
                      <span translate="no">{review.workflow.name}</span> · {t.home.opened} <RelativeTime time={review.openedAt} /> · {t.home.expires}{" "}
                      <RelativeTime time={review.expiresAt} />
                    </p>
                    <Excerpt review={review} />
                  </div>
                  <Button onClick={() => setOpen(review)} aria-label={`${t.home.decide}: ${review.title}, ${review.workflow.name}`}>
                    {t.home.decide}
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {open && (
        <Dialog title={open.title} onClose={() => setOpen(null)}>
          <p className="muted">
            {open.workflow.name} ·{" "}
            <Link to="run" params={{ workflowId: open.workflow.id, runId: open.runId }}>{t.review.openRun}</Link>
          </p>
          <ReviewForm workflowId={open.workflow.id} runId={open.runId} wait={open} onResolved={() => setOpen(null)} />
        </Dialog>
      )}
    </Section>
  );
}

/** The first text of the review, to tell several of a workflow apart. */
function Excerpt({ review }: { review: OpenReview }) {
  const value = review.fields.map((field) => field.value).find((value) => typeof value === "string" && value !== "");
  return typeof value === "string" ? <p className="excerpt" translate="no">{value.slice(0, 200)}</p> : null;
}
