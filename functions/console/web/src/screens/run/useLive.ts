import { useEffect, useRef, useState } from "react";
import { prefix } from "../../api/place";
import type { RunEvent } from "../../api/types";
import type { RunId } from "./queries";

export type Connection = "off" | "connecting" | "live" | "lost";

/** Events may arrive in hundreds a second. The screen follows at this pace. */
const PACE_MS = 700;
const REOPEN_MS = 3_000;

/**
 * Follows the events of a run that has not ended. `knownUntil` is the time of the last change on the screen: the stream
 * begins with the events so far, and those need no update.
 */
export function useLive({ workflowId, runId }: RunId, isOn: boolean, knownUntil: string, onChange: () => Promise<void>): Connection {
  const [connection, setConnection] = useState<Connection>("off");
  const latest = useRef({ knownUntil, onChange });
  latest.current = { knownUntil, onChange };

  useEffect(() => {
    if (!isOn) return setConnection("off");
    let source: EventSource | undefined;
    let reopening: ReturnType<typeof setTimeout> | undefined;
    let pending: ReturnType<typeof setTimeout> | undefined;
    let isBusy = false;
    let isBehind = false;
    // An update that takes longer than the pace is not cut off by the next event: that one follows it.
    const change = () => {
      if (isBusy) {
        isBehind = true;
        return;
      }
      isBusy = true;
      pending = setTimeout(async () => {
        isBehind = false;
        await latest.current.onChange();
        isBusy = false;
        if (isBehind) change();
      }, PACE_MS);
    };
    const open = () => {
      setConnection("connecting");
      const url = `${prefix}/builder/v1/workflows/${encodeURIComponent(workflowId)}/runs/${encodeURIComponent(runId)}/events?follow=true`;
      const opened = new EventSource(url);
      source = opened;
      opened.onopen = () => setConnection("live");
      opened.onmessage = (message: MessageEvent<string>) => {
        const event = JSON.parse(message.data) as RunEvent;
        if (event.at > latest.current.knownUntil) change();
      };
      opened.addEventListener("end", () => {
        opened.close();
        setConnection("off");
        change();
      });
      opened.onerror = () => {
        setConnection("lost");
        if (opened.readyState !== EventSource.CLOSED) return;
        // The browser gives up after a refusal, and when there is nothing left to follow.
        change();
        reopening = setTimeout(open, REOPEN_MS);
      };
    };
    open();
    return () => {
      source?.close();
      clearTimeout(reopening);
      clearTimeout(pending);
    };
  }, [workflowId, runId, isOn]);
  return connection;
}
