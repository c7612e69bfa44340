// The pinned outputs of each workflow, in this browser alone and for this person alone. They are no part of the draft.
import { personalKey, personalKeys } from "../../api/personal";
import type { Pin, Pins } from "./model/partial";

const PREFIX = "pins.";
/** The platform accepts values of 1 MiB. The browser has a few megabytes for all workflows. */
const MAX_CHARACTERS = 1_000_000;
const MAX_WORKFLOWS = 20;

interface Stored {
  at: number;
  pins: Record<string, Pin>;
}

function read(key: string): Stored | null {
  try {
    const stored = JSON.parse(localStorage.getItem(key) ?? "null") as Partial<Stored> | null;
    if (typeof stored?.pins !== "object" || stored.pins === null) return null;
    return { at: Number(stored.at) || 0, pins: stored.pins };
  } catch {
    return null;
  }
}

/** The pins of a workflow, as far as their nodes still exist. */
export function loadPins(workflowId: string, nodeIds: ReadonlySet<string>): Pins {
  const stored = read(personalKey(PREFIX + workflowId))?.pins ?? {};
  const isPin = (pin: Partial<Pin> | null): pin is Pin => typeof pin === "object" && pin !== null && "value" in pin;
  return new Map(
    Object.entries(stored).flatMap(([id, pin]) =>
      nodeIds.has(id) && isPin(pin) ? [[id, { port: typeof pin.port === "string" ? pin.port : null, value: pin.value }] as const] : [],
    ),
  );
}

/** Stores the pins of a workflow. Returns false if they are too large. The oldest ones of other workflows make room. */
export function storePins(workflowId: string, pins: Pins): boolean {
  const key = personalKey(PREFIX + workflowId);
  if (pins.size === 0) {
    remove(key);
    return true;
  }
  const text = JSON.stringify({ at: Date.now(), pins: Object.fromEntries(pins) } satisfies Stored);
  if (text.length > MAX_CHARACTERS) return false;
  const others = otherKeys(key);
  while (others.length >= MAX_WORKFLOWS) remove(others.shift() ?? "");
  for (;;) {
    try {
      localStorage.setItem(key, text);
      return true;
    } catch {
      const oldest = others.shift();
      if (oldest === undefined) return false;
      remove(oldest);
    }
  }
}

/** The keys of other workflows, the oldest first. */
function otherKeys(own: string): string[] {
  const others = personalKeys(PREFIX).filter((key) => key !== own);
  return others.map((key) => [key, read(key)?.at ?? 0] as const).sort((a, b) => a[1] - b[1]).map(([key]) => key);
}

function remove(key: string) {
  try {
    localStorage.removeItem(key);
  } catch {
    // Without a storage, there is nothing to remove.
  }
}
