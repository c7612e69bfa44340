import { useTexts } from "../../i18n";
import { Link } from "../../router/Link";
import { PageTitle } from "../../ui/PageTitle";
import { Attention } from "./Attention";
import { Failures } from "./Failures";
import { useBalance, useFailedRuns, useOpenReviews, useWorkflowsToFix } from "./queries";
import { Reviews } from "./Reviews";
import { Spend } from "./Spend";

/** What waits for the person, what failed, and what the month cost. */
export function Home() {
  const { t } = useTexts();
  const reviews = useOpenReviews();
  const failed = useFailedRuns();
  const toFix = useWorkflowsToFix();
  const balance = useBalance();
  const isNew =
    reviews.data?.data.length === 0 &&
    failed.data?.data.length === 0 &&
    toFix.data?.meta.total === 0 &&
    balance.data?.usage_this_month.requests === 0;
  return (
    <>
      <PageTitle title={t.home.title} />
      {isNew && (
        <div className="panel welcome">
          <div>
            <h2>{t.home.welcome}</h2>
            <p className="muted">{t.home.welcomeText}</p>
          </div>
          <Link to="workflows" query={{ new: "template" }} className="button primary">{t.home.chooseTemplate}</Link>
        </div>
      )}
      <div className="home">
        <div>
          <Reviews query={reviews} />
          <Failures query={failed} />
        </div>
        <div>
          <Spend query={balance} />
          <Attention query={toFix} />
        </div>
      </div>
    </>
  );
}
