import { useState } from "react";
import { useTexts } from "../../i18n";
import { PageTitle } from "../../ui/PageTitle";
import { Attention } from "./Attention";
import { Counts } from "./Counts";
import { Failures } from "./Failures";
import { Labs } from "./Labs";
import { useBalance, useInbox, useLabs, useOldestReviews, useWorkflowsToFix } from "./queries";
import { Reviews } from "./Reviews";
import { Spend } from "./Spend";
import { Welcome } from "./Welcome";

/** What waits for the person, what failed, what runs, and what the month cost. */
export function Home() {
  const { t } = useTexts();
  const inbox = useInbox();
  const isBusy = inbox.data?.hasMore === true;
  const oldest = useOldestReviews(isBusy);
  const reviews = isBusy ? oldest : inbox;
  const toFix = useWorkflowsToFix();
  const balance = useBalance();
  // The oldest reviews of a busy inbox need a request of their own. Then the labs are loaded when they are asked for.
  const [wantsLabs, setWantsLabs] = useState(false);
  const labs = useLabs(wantsLabs || (inbox.isFetched && !isBusy));
  const mayShowLabs = isBusy && !wantsLabs && labs.data === undefined;
  const isNew =
    inbox.data?.reviews.length === 0 &&
    !isBusy &&
    inbox.data.failures.length === 0 &&
    toFix.data?.meta.total === 0 &&
    balance.data?.usage_this_month.requests === 0;
  return (
    <>
      <PageTitle title={t.home.title} />
      {isNew ? <Welcome /> : <Counts inbox={inbox.data} reviews={reviews.data} labs={labs} toFix={toFix} />}
      <div className="home">
        <div>
          <Reviews query={reviews} />
          <Failures query={inbox} />
        </div>
        <div>
          <Spend query={balance} />
          <Attention query={toFix} />
          <Labs query={labs} onShow={mayShowLabs ? () => setWantsLabs(true) : undefined} />
        </div>
      </div>
    </>
  );
}
