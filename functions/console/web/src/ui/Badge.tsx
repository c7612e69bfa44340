import { useTexts } from "../i18n";

export type Tone = "neutral" | "progress" | "good" | "bad" | "warn";

const marks: Record<Tone, string> = { neutral: "○", progress: "◐", good: "✓", bad: "✕", warn: "!" };

/** A state: a word, a mark and a color, so that the color is never alone. */
export function Badge({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className={`badge ${tone}`}>
      <span aria-hidden="true">{marks[tone]}</span>
      {children}
    </span>
  );
}

const tones: Record<string, Tone> = {
  draft: "neutral",
  archived: "neutral",
  cancelled: "neutral",
  canceled: "neutral",
  skipped: "neutral",
  queued: "progress",
  running: "progress",
  published: "good",
  completed: "good",
  failed: "bad",
  paused: "warn",
  waiting: "warn",
  needs_attention: "warn",
  permissions_required: "warn",
  interrupted: "bad",
  mapped: "good",
  partial: "warn",
  unsupported: "bad",
};

/** The mark of a state, where there is no room for its word. */
export function markOf(state: string): string {
  return marks[tones[state] ?? "neutral"];
}

/** The state of a run, of a call, or of anything else: languages with genders have other words for them. */
export function StateBadge({ state, of }: { state: string; of?: "run" | "call" }) {
  const { t } = useTexts();
  const names: Record<string, string> = of === "run" ? t.runStates : of === "call" ? t.callStates : t.states;
  return <Badge tone={tones[state] ?? "neutral"}>{names[state] ?? state}</Badge>;
}
