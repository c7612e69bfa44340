import { useEffect, useRef } from "react";
import { asApiError } from "../../api/errors";
import { useTexts } from "../../i18n";
import { Link } from "../../router/Link";
import type { RouteName } from "../../router/routes";
import { EmptyState } from "../../ui/EmptyState";
import { Skeleton } from "../../ui/Loading";
import { PageTitle } from "../../ui/PageTitle";
import { ScreenError } from "../../ui/ScreenError";
import { Header } from "./Header";
import { Members } from "./Members";
import { Overview } from "./Overview";
import { useWorkflow } from "./queries";
import { Releases } from "./Releases";
import { Runs } from "./Runs";
import { Webhooks } from "./Webhooks";

const tabs = [
  "workflow",
  "workflowRuns",
  "workflowReleases",
  "workflowMembers",
  "workflowWebhooks",
] as const satisfies readonly RouteName[];

interface WorkflowProps {
  id: string;
  tab: (typeof tabs)[number];
  query: URLSearchParams;
}

/** One workflow: what it is, what it did, its releases, and who and what may use it. */
export default function Workflow({ id, tab, query }: WorkflowProps) {
  const { t } = useTexts();
  const { data: workflow, error, refetch } = useWorkflow(id);
  // On a narrow screen the tabs scroll.
  const line = useRef<HTMLElement>(null);
  const isLoaded = workflow !== undefined;
  useEffect(() => {
    const current = line.current?.querySelector<HTMLElement>("[aria-current]");
    if (current && line.current) line.current.scrollLeft = current.offsetLeft - line.current.offsetLeft - 40;
  }, [tab, isLoaded]);
  // What was loaded before does not stay if the workflow was deleted or is no longer shared.
  if (error !== null && asApiError(error).status === 404) {
    return (
      <>
        <PageTitle title={t.workflow.gone} />
        <EmptyState title={asApiError(error).message}>
          <p>{t.workflow.goneText}</p>
          <Link to="workflows" className="button">{t.workflow.all}</Link>
        </EmptyState>
      </>
    );
  }
  if (workflow === undefined) {
    return error === null ? <Skeleton lines={6} /> : <ScreenError error={error} onRetry={() => void refetch()} />;
  }
  return (
    <>
      <Header workflow={workflow} tab={t.workflow.tabs[tab]} />
      <nav ref={line} className="tabs" aria-label={t.workflow.tabsLabel}>
        {tabs.map((to) => (
          <Link key={to} to={to} params={{ workflowId: id }} aria-current={tab === to ? "page" : undefined}>
            {t.workflow.tabs[to]}
          </Link>
        ))}
      </nav>
      {tab === "workflow" && <Overview workflow={workflow} />}
      {tab === "workflowRuns" && <Runs workflow={workflow} query={query} />}
      {tab === "workflowReleases" && <Releases workflow={workflow} query={query} />}
      {tab === "workflowMembers" && <Members workflow={workflow} />}
      {tab === "workflowWebhooks" && <Webhooks workflow={workflow} query={query} />}
    </>
  );
}
