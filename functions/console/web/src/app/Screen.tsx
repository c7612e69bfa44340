import { Component, lazy, type ReactNode } from "react";
import { useTexts } from "../i18n";
import { Link } from "../router/Link";
import type { Place } from "../router/routes";
import { Home } from "../screens/home/Home";
import { Runs } from "../screens/runs/Runs";
import { EmptyState } from "../ui/EmptyState";
import { ErrorState } from "../ui/ErrorState";
import { PageTitle } from "../ui/PageTitle";

const loadAgents = () => import("../screens/agents/agents");
const loadEditor = () => import("../screens/editor/editor");
const loadRun = () => import("../screens/run/run");
const loadWorkflow = () => import("../screens/workflow/workflow");
const loadWorkflows = () => import("../screens/workflows/workflows");

const Agents = lazy(loadAgents);
const Editor = lazy(loadEditor);
const Run = lazy(loadRun);
const Workflow = lazy(loadWorkflow);
const Workflows = lazy(loadWorkflows);

/** Loads the other screens once the first one is shown, so that a click opens them at once. */
export function preloadScreens() {
  for (const load of [loadWorkflows, loadWorkflow, loadRun, loadAgents]) load().catch(() => {});
}

/** The tabs of a workflow are one screen: its header stays when the tab changes. */
function screenName(name: Place["name"]): string {
  return name.startsWith("workflow") && name !== "workflows" ? "workflow" : name;
}

/** The screen of a place. A screen that fails leaves the navigation usable. */
export function Screen({ place }: { place: Place | null }) {
  const key = place === null ? "none" : screenName(place.name) + JSON.stringify(place.params);
  return <Boundary key={key}>{place === null ? <NoScreen /> : <Named place={place} />}</Boundary>;
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
    case "agents":
    case "agent":
      return <Agents place={place} />;
    case "workflow":
    case "workflowRuns":
    case "workflowReleases":
    case "workflowMembers":
    case "workflowWebhooks":
      return <Workflow id={place.params.workflowId} tab={place.name} query={place.query} />;
    case "editor":
      return <Editor id={place.params.workflowId} />;
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

class Boundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state = { error: null as unknown };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    return <ErrorState error={this.state.error} onRetry={() => this.setState({ error: null })} />;
  }
}
