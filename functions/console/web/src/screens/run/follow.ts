/**
 * Which events of a run the screen shows. The events have numbers without gaps. A read of the run shows all events that
 * the screen knew when the read began, and perhaps later ones: those are read again.
 */
export interface Following {
  /** The last event that has arrived. */
  last: number;
  /** All events until this one are shown. */
  shown: number;
  /** The last event that had arrived when the read that goes on began. Null if none goes on. */
  reading: number | null;
}

export type FollowAction =
  /** An event. `before` is a time before the reads of the screen: what happened until then is shown. */
  | { type: "event"; number: number; at: string; before: number }
  | { type: "read" }
  | { type: "done" }
  | { type: "failed" };

export const nothing: Following = { last: 0, shown: 0, reading: null };

export function follow(state: Following, action: FollowAction): Following {
  switch (action.type) {
    case "event": {
      // A stream that was opened again may begin with what is known.
      if (action.number <= state.last) return state;
      const isShown = state.shown === state.last && Date.parse(action.at) < action.before;
      return { ...state, last: action.number, shown: isShown ? action.number : state.shown };
    }
    case "read":
      return { ...state, reading: state.last };
    case "done":
      return { ...state, shown: Math.max(state.shown, state.reading ?? 0), reading: null };
    case "failed":
      return { ...state, reading: null };
  }
}

/** Whether the screen lacks an event that no read fetches yet. */
export function isBehind({ last, shown, reading }: Following): boolean {
  return reading === null && last > shown;
}
