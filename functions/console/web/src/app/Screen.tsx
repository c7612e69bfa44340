import { Component, type ReactNode } from "react";
import { useConnectionLost } from "../api/connection";
import { ApiError } from "../api/errors";
import { useTexts } from "../i18n";
import { Link } from "../router/Link";
import type { Place } from "../router/routes";
import { Home } from "../screens/home/Home";
import { Runs } from "../screens/runs/Runs";
import { EmptyState } from "../ui/EmptyState";
import { PageTitle } from "../ui/PageTitle";
import { ScreenError } from "../ui/ScreenError";
import { lazyScreen, retryScreens } from "./lazyScreen";

const Analytics = lazyScreen(async () => ({ default: (await import("../screens/workflow/workflow")).Analytics }));
const Agents = lazyScreen(() => import("../screens/agents/agents"));
const Editor = lazyScreen(() => import("../screens/editor/editor"));
const Run = lazyScreen(() => import("../screens/run/run"));
const Workflow = lazyScreen(() => import("../screens/workflow/workflow"));
const Workflows = lazyScreen(() => import("../screens/workflows/workflows"));

/** Loads the other screens once the first one is shown, so that a click opens them at once. */
export function preloadScreens() {
  for (const screen of [Workflows, Workflow, Run, Agents]) screen.preload();
}

/** The tabs of a workflow, or of an agent, are one screen: its header stays when the tab changes. */
function screenName(name: Place["name"]): string {
  return /^(workflow|agent)(?!s$)/.exec(name)?.[1] ?? name;
}

/** The screen of a place. A screen that fails leaves the navigation usable. */
export function Screen({ place }: { place: Place | null }) {
  const key = place === null ? "none" : screenName(place.name) + JSON.stringify(place.params);
  const isLost = useConnectionLost();
  return <Boundary key={key} isLost={isLost}>{place === null ? <NoScreen /> : <Named place={place} />}</Boundary>;
}

function Named({ place }: { place: Place }) {
  switch (place.name) {
    case "home":
      return <Home />;
    case "runs":
      return <Runs query={place.query} />;
    case "run":
      return <Run id={place.params} />;
    case "workflows":
      return <Workflows query={place.query} />;
    case "analytics":
      return <Analytics query={place.query} />;
    case "agents":
    case "agent":
    case "agentTry":
    case "agentCalls":
    case "agentAssistants":
    case "agentMembers":
      return <Agents place={place} />;
    case "workflow":
    case "workflowRuns":
    case "workflowReleases":
    case "workflowMembers":
    case "workflowChannels":
    case "workflowWebhooks":
    case "workflowCredentials":
    case "workflowSchedules":
    case "workflowAssistants":
      return <Workflow id={place.params.workflowId} tab={place.name} query={place.query} />;
    case "editor":
      return <Editor id={place.params.workflowId} query={place.query} />;
  }
}

function NoScreen() {
  const { t } = useTexts();
  return (
    <>
      <PageTitle title={t.errors.noScreen} />
      <EmptyState title={t.errors.noScreenText}>
        <Link to="home">{t.errors.goHome}</Link>
      </EmptyState>
    </>
  );
}

class Boundary extends Component<{ children: ReactNode; isLost: boolean }, { error: unknown }> {
  override state = { error: null as unknown };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  /** A screen that could not be loaded is loaded once the connection is back. */
  override componentDidUpdate(before: { isLost: boolean }) {
    const { error } = this.state;
    if (before.isLost && !this.props.isLost && error instanceof ApiError && error.code === "screen_not_loaded") void this.retry();
  }

  retry = async () => {
    await retryScreens();
    this.setState({ error: null });
  };

  override render() {
    if (this.state.error === null) return this.props.children;
    return <ScreenError error={this.state.error} onRetry={this.retry} />;
  }
}
