import { useEffect, useRef, useState } from "react";
import { prefix } from "../../api/place";
import type { RunEvent } from "../../api/types";
import { follow, isBehind, nothing } from "./follow";
import type { RunId } from "./queries";

export type Connection = "off" | "connecting" | "live" | "lost";

/** Events may arrive in hundreds a second. The screen follows at this pace, or slower if the reads are slow. */
const PACE_MS = 700;
const REOPEN_MS = 3_000;
/** A stream that is refused again and again, such as after the session has ended, is opened more and more rarely. */
const LONGEST_REOPEN_MS = 60_000;
/** What no event announces is read again after longer and longer pauses, up to this. */
const LONGEST_MS = 15_000;

interface LiveOptions {
  /** Whether there is something to follow. What was begun is followed to its end. */
  isOn: boolean;
  /** What happened before this time is on the screen: the stream begins with the events so far. */
  shownUntil: number;
  /** Reads the run again. */
  onChange: () => Promise<unknown>;
  /** Whether what was read fits together. Otherwise something has changed without an event, and it is read again. */
  isSettled: () => boolean;
}

/** The connection, and the events that have arrived, from the first one on. */
interface Live {
  connection: Connection;
  events: readonly RunEvent[];
}

/** Follows the events of a run. `follow` decides when the run is read again. */
export function useLive({ workflowId, runId }: RunId, { isOn, shownUntil, onChange, isSettled }: LiveOptions): Live {
  const [connection, setConnection] = useState<Connection>("off");
  const [events, setEvents] = useState<readonly RunEvent[]>([]);
  // Null before it begins. It begins once.
  const [isFollowing, setIsFollowing] = useState<boolean | null>(null);
  if (isOn && isFollowing === null) setIsFollowing(true);
  const latest = useRef({ shownUntil, onChange, isSettled });
  latest.current = { shownUntil, onChange, isSettled };

  useEffect(() => {
    if (!isFollowing) return;
    let source: EventSource | undefined;
    let reopening: ReturnType<typeof setTimeout> | undefined;
    let pending: ReturnType<typeof setTimeout> | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    let state = nothing;
    let hasEnded = false;
    let isClosed = false;
    let failures = 0;
    let refusals = 0;
    let pace = PACE_MS;
    let patience = PACE_MS;
    const received: RunEvent[] = [];

    const update = async () => {
      setEvents(received.slice());
      const isRepeated = !isBehind(state);
      if (!isRepeated || !latest.current.isSettled()) {
        state = follow(state, { type: "read" });
        const begun = performance.now();
        try {
          await latest.current.onChange();
          state = follow(state, { type: "done" });
          pace = Math.max(PACE_MS, 2 * (performance.now() - begun));
        } catch {
          state = follow(state, { type: "failed" });
          pace = REOPEN_MS;
        }
      }
      pending = undefined;
      if (isClosed) return;
      patience = isRepeated ? Math.min(2 * patience, LONGEST_MS) : PACE_MS;
      if (isBehind(state)) schedule();
      else if (!latest.current.isSettled()) again = setTimeout(schedule, patience);
      else if (hasEnded) finish();
    };
    const schedule = () => {
      clearTimeout(again);
      pending ??= setTimeout(update, pace);
    };
    const finish = () => {
      setConnection("off");
      setIsFollowing(false);
    };
    setConnection("connecting");
    const open = () => {
      const url = `${prefix}/builder/v1/workflows/${encodeURIComponent(workflowId)}/runs/${encodeURIComponent(runId)}/events?follow=true`;
      const opened = new EventSource(url);
      source = opened;
      opened.onopen = () => {
        failures = 0;
        refusals = 0;
        setConnection("live");
      };
      opened.onmessage = (message: MessageEvent<string>) => {
        const event = JSON.parse(message.data) as RunEvent;
        // Values may be large, and the trace has them.
        delete event.value;
        if (event.number > state.last) received.push(event);
        state = follow(state, { type: "event", number: event.number, at: event.at, before: latest.current.shownUntil });
        schedule();
      };
      opened.addEventListener("end", () => {
        opened.close();
        hasEnded = true;
        schedule();
      });
      opened.onerror = () => {
        // A stream lasts some minutes, and its end is no loss: the browser opens the next one.
        failures += 1;
        setConnection(failures > 1 ? "lost" : "connecting");
        if (opened.readyState !== EventSource.CLOSED) return;
        // The browser gives up after a refusal, and when there is nothing left to follow.
        reopening = setTimeout(open, Math.min(REOPEN_MS * 2 ** refusals, LONGEST_REOPEN_MS));
        refusals += 1;
      };
    };
    open();
    return () => {
      isClosed = true;
      source?.close();
      clearTimeout(reopening);
      clearTimeout(pending);
      clearTimeout(again);
    };
  }, [workflowId, runId, isFollowing]);
  return { connection, events };
}
