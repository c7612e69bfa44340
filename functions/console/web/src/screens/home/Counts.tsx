import type { ReactNode } from "react";
import { useTexts } from "../../i18n";
import { Link } from "../../router/Link";
import { type Inbox, labState, type OpenReviews, type useLabs, type useWorkflowsToFix } from "./queries";

const RECENT_MS = 7 * 24 * 60 * 60_000;

interface CountsProps {
  inbox: Inbox | undefined;
  reviews: OpenReviews | undefined;
  labs: ReturnType<typeof useLabs>;
  toFix: ReturnType<typeof useWorkflowsToFix>;
}

/** How much there is of everything. */
export function Counts({ inbox, reviews, labs, toFix }: CountsProps) {
  const { t, format } = useTexts();
  const since = Date.now() - RECENT_MS;
  const failures = inbox?.failures.filter(({ at }) => Date.parse(at) >= since).length;
  const running = labs.data?.filter((lab) => labState(lab) === "running").length;
  const numberOf = (hasMore: boolean | undefined) => (count: number) =>
    hasMore ? t.home.atLeast(format.number(count)) : format.number(count);
  const atLeast = numberOf(inbox?.hasMore);
  // Nothing on the first page says nothing about the others.
  const known = (count: number | undefined, hasMore: boolean | undefined) => (count === 0 && hasMore ? undefined : count);
  return (
    <dl className="panel numbers-grid home-counts">
      <Count name={t.home.counts.reviews} count={known(reviews?.reviews.length, reviews?.hasMore)}>
        {(count) => <Link to="runs" query={{ state: "paused" }}>{numberOf(reviews?.hasMore)(count)}</Link>}
      </Count>
      <Count name={t.home.counts.failures} count={known(failures, inbox?.hasMore)}>
        {(count) => <Link to="runs" query={{ state: "failed" }} className="bad-number">{atLeast(count)}</Link>}
      </Count>
      <Count name={t.home.counts.attention} count={toFix.data?.meta.total}>
        {(count) => (
          <Link to="workflows" query={{ state: "needs_attention", ownership: "all" }} className="bad-number">{format.number(count)}</Link>
        )}
      </Count>
      <Count name={t.home.counts.waiting} count={known(inbox?.waiting, inbox?.hasMore)}>{atLeast}</Count>
      <Count name={t.home.counts.labs} count={running}>{format.number}</Count>
    </dl>
  );
}

interface CountProps {
  name: string;
  /** Undefined while it is not known. */
  count: number | undefined;
  children: (count: number) => ReactNode;
}

function Count({ name, count, children }: CountProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{count === undefined ? <span className="muted">–</span> : count === 0 ? "0" : children(count)}</dd>
    </div>
  );
}
