import type { Place } from "../../router/routes";
import { AgentList } from "./AgentList";
import { AgentScreen, type tabs } from "./AgentScreen";

/** The list of agents, or one of them. */
export default function AgentScreens({ place }: { place: Extract<Place, { name: "agents" | (typeof tabs)[number] }> }) {
  return place.name === "agents" ? (
    <AgentList query={place.query} />
  ) : (
    <AgentScreen id={place.params.agentId} tab={place.name} query={place.query} />
  );
}
