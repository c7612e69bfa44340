import { asApiError } from "../../api/errors";
import { useWorkflow } from "../../api/workflow";
import { Assistants, type Need } from "../../assistants/Assistants";
import type { WorkflowDetail } from "../../api/types";
import { type Dictionary, useTexts } from "../../i18n";
import { Link } from "../../router/Link";
import type { RouteName } from "../../router/routes";
import { Members } from "../../sharing/Members";
import { EmptyState } from "../../ui/EmptyState";
import { Skeleton } from "../../ui/Loading";
import { PageTitle } from "../../ui/PageTitle";
import { ScreenError } from "../../ui/ScreenError";
import { Tabs } from "../../ui/Tabs";
import { Channels } from "./connections/Channels";
import { Credentials } from "./connections/Credentials";
import { Schedules } from "./connections/Schedules";
import { Webhooks } from "./connections/Webhooks";
import { Header } from "./Header";
import { Overview } from "./Overview";
import { Releases } from "./Releases";
import { Runs } from "./Runs";

/** A screen of its own, which shares the charts of this one: so they are one file. */
export { Analytics } from "../analytics/Analytics";

const tabs = [
  "workflow",
  "workflowRuns",
  "workflowReleases",
  "workflowChannels",
  "workflowWebhooks",
  "workflowCredentials",
  "workflowSchedules",
  "workflowAssistants",
  "workflowMembers",
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
      <Tabs label={t.workflow.tabsLabel} tabs={tabs.map((to) => ({ to, params: { workflowId: id }, name: t.workflow.tabs[to] }))} current={tab} />
      {tab === "workflow" && <Overview workflow={workflow} />}
      {tab === "workflowRuns" && <Runs workflow={workflow} query={query} />}
      {tab === "workflowReleases" && <Releases workflow={workflow} query={query} />}
      {tab === "workflowMembers" && <Members kind="workflow" subject={workflow} />}
      {tab === "workflowChannels" && <Channels workflow={workflow} />}
      {tab === "workflowCredentials" && <Credentials workflow={workflow} />}
      {tab === "workflowSchedules" && <Schedules workflow={workflow} />}
      {tab === "workflowAssistants" && <Assistants kind="workflow" subject={workflow} needs={listNeeds(workflow, t)} />}
      {tab === "workflowWebhooks" && <Webhooks workflow={workflow} query={query} />}
    </>
  );
}

/** What assistants need to find a workflow. The draft tells how a run starts: the release has the same trigger as a rule. */
function listNeeds({ activeRelease, state, graph }: WorkflowDetail, t: Dictionary): Need[] {
  const { published, trigger } = t.assistants.needTexts;
  return [
    { text: published, isMet: activeRelease !== null && state !== "paused" && state !== "archived" },
    { text: trigger, isMet: (graph.nodes ?? []).some(({ type }) => type === "input" || type === "message") },
  ];
}
