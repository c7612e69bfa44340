import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { builder } from "../../../api/client";
import { readError } from "../../../api/errors";
import type { Channel, ChannelConfig } from "../../../api/types";

/** The channels of the draft, and the version of the workflow in which they are so. */
export interface Channels {
  inputs: Channel[];
  outputs: Channel[];
  etag: string;
}

async function loadChannels(id: string): Promise<Channels> {
  const { data, error, response } = await builder.GET("/builder/v1/workflows/{id}/connections", { params: { path: { id } } });
  if (data === undefined) throw readError(response.status, response.headers.get("x-request-id"), error);
  return { ...data.data, etag: response.headers.get("etag") ?? "" };
}

const channelsKey = (id: string) => ["workflow", id, "channels"];

export function useChannels(id: string) {
  return useQuery({ queryKey: channelsKey(id), queryFn: () => loadChannels(id) });
}

export const findChannel = ({ inputs, outputs }: Channels, nodeId: string) =>
  [...inputs, ...outputs].find((channel) => channel.nodeId === nodeId);

const isSameConfig = (one: ChannelConfig, other: ChannelConfig) =>
  one.webhookId === other.webhookId && one.provider === other.provider && one.credentialId === other.credentialId;

/** `stale`: another person changed the same channel, or removed its node. These are the channels as they are now. */
export type SavedChannel = { kind: "saved" } | { kind: "stale"; channels: Channels };

/** How often a save begins again because others change other parts of the draft. */
const ATTEMPTS = 4;

/** Sets one channel of the version that the person has seen. What others changed at other nodes stays. */
async function saveChannel(id: string, seen: Channels, nodeId: string, config: ChannelConfig): Promise<SavedChannel> {
  const before = findChannel(seen, nodeId)?.config ?? {};
  for (let attempt = 1, channels = seen; ; attempt++) {
    const change = (channel: Channel) => ({ nodeId: channel.nodeId, config: channel.nodeId === nodeId ? config : channel.config });
    const { error, response } = await builder.PUT("/builder/v1/workflows/{id}/connections", {
      params: { path: { id }, header: { "If-Match": channels.etag } },
      body: { inputs: channels.inputs.map(change), outputs: channels.outputs.map(change) },
    });
    if (response.ok) return { kind: "saved" };
    const refused = readError(response.status, response.headers.get("x-request-id"), error);
    if (response.status >= 500 || attempt === ATTEMPTS) throw refused;
    // 412 is not the only sign: the channel of a removed node is refused before the versions are compared.
    const current = await loadChannels(id);
    if (current.etag === channels.etag) throw refused;
    const now = findChannel(current, nodeId);
    if (now === undefined || !isSameConfig(now.config, before)) return { kind: "stale", channels: current };
    channels = current;
  }
}

export function useSaveChannel(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ seen, nodeId, config }: { seen: Channels; nodeId: string; config: ChannelConfig }) =>
      saveChannel(id, seen, nodeId, config),
    onSettled: () => queries.invalidateQueries({ queryKey: ["workflow", id] }),
  });
}
