// A conversation with an agent. It goes on while the person is elsewhere in the console, and is kept until the page is closed.
import { builder } from "../../api/client";
import { type ApiError, asApiError, OwnError, readError } from "../../api/errors";
import { readEvents } from "../../api/events";
import type { AgentAnswer, InvocationStep } from "../../api/types";

export interface TriedStep {
  step: string;
  action: InvocationStep["action"];
  error: { code: string; message: string } | null;
  isOver: boolean;
}

export type Turn =
  | { kind: "person"; text: string }
  | { kind: "results"; results: readonly { name: string; text: string }[] }
  | {
      kind: "agent";
      state: "running" | "answered" | "failed" | "stopped";
      text: string;
      steps: readonly TriedStep[];
      answer: AgentAnswer | null;
      error: ApiError | null;
    };
export type AgentTurn = Extract<Turn, { kind: "agent" }>;

const conversations = new Map<string, Conversation>();

export function conversationWith(agent: string): Conversation {
  const known = conversations.get(agent) ?? new Conversation(agent);
  conversations.set(agent, known);
  return known;
}

export class Conversation {
  private turns: readonly Turn[] = [];
  /** The conversation as the API knows it. */
  private messages: readonly unknown[] = [];
  private request: AbortController | null = null;
  private readonly listeners = new Set<() => void>();

  constructor(private readonly agent: string) {}

  readonly read = () => this.turns;

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  };

  say(text: string): Promise<void> {
    this.messages = [...this.messages, { role: "user", content: text }];
    return this.run({ kind: "person", text });
  }

  /** Returns the results of the functions that the agent has called. */
  giveResults(calls: readonly { id: string; name: string; text: string }[]): Promise<void> {
    const results = calls.map(({ id, text }) => ({ role: "tool", tool_call_id: id, content: text }));
    this.messages = [...this.messages, ...results];
    return this.run({ kind: "results", results: calls });
  }

  /** Asks again after a failure. */
  retry(): Promise<void> {
    this.turns = this.turns.slice(0, -1);
    return this.run();
  }

  stop() {
    this.request?.abort();
  }

  clear() {
    this.stop();
    this.request = null;
    this.messages = [];
    this.set([]);
  }

  private async run(...before: Turn[]) {
    const request = new AbortController();
    this.request = request;
    let turn: AgentTurn = { kind: "agent", state: "running", text: "", steps: [], answer: null, error: null };
    this.set([...this.turns, ...before, turn]);
    const update = (change: Partial<AgentTurn>) => {
      // The conversation may have been cleared meanwhile.
      if (this.request !== request) return;
      const next = { ...turn, ...change };
      this.set(this.turns.map((one) => (one === turn ? next : one)));
      turn = next;
    };
    try {
      const { data, error, response } = await builder.POST("/builder/v1/agents/{id}/invoke", {
        params: { path: { id: this.agent } },
        body: { messages: [...this.messages], stream: true },
        parseAs: "stream",
        signal: request.signal,
      });
      if (!data) throw readError(response.status, response.headers.get("x-request-id"), error);
      for await (const event of readEvents(data)) this.apply(event.name, event.data, turn, update);
      if (turn.state === "running") throw new OwnError("unreadable_answer", "The stream ended without an answer.");
    } catch (error) {
      if (request.signal.aborted) update({ state: "stopped" });
      else if (turn.state === "running") update({ state: "failed", error: asApiError(error) });
    }
  }

  private apply(name: string, data: unknown, turn: AgentTurn, update: (change: Partial<AgentTurn>) => void) {
    switch (name) {
      case "step": {
        const { step, action } = data as Pick<TriedStep, "step" | "action">;
        // The text before a tool is not the answer.
        return update({ text: "", steps: [...turn.steps, { step, action, error: null, isOver: false }] });
      }
      case "text":
        return update({ text: turn.text + (data as { text: string }).text });
      case "result": {
        const { step, error = null } = data as { step: string; error?: TriedStep["error"] };
        return update({ steps: turn.steps.map((one) => (one.step === step ? { ...one, error, isOver: true } : one)) });
      }
      case "done": {
        const answer = data as AgentAnswer;
        this.messages = answer.messages;
        return update({ state: "answered", text: answer.output ?? "", answer });
      }
      case "error":
        return update({ state: "failed", error: readError(0, null, "error" in (data as object) ? data : { error: data }) });
    }
  }

  private set(turns: readonly Turn[]) {
    this.turns = turns;
    for (const listener of this.listeners) listener();
  }
}
