import type { Place } from "../../router/routes";
import { AgentList } from "./AgentList";
import { AgentScreen } from "./AgentScreen";

/** The list of agents, or one of them. */
export default function AgentScreens({ place }: { place: Extract<Place, { name: "agents" | "agent" }> }) {
  return place.name === "agents" ? (
    <AgentList query={place.query} />
  ) : (
    <AgentScreen id={place.params.agentId} query={place.query} />
  );
}
