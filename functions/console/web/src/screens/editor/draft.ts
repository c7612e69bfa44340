import { useSyncExternalStore } from "react";
import { type ApiError, asApiError, OwnError } from "../../api/errors";
import { moveItems, noteKey, removeItems } from "./model/graph";
import { placeNodes } from "./model/layout";
import type { Pin, Pins } from "./model/partial";
import { type Choose, type Conflict, connectionKey, mergeGraphs, mergeNames, shareItems } from "./model/merge";
import type { Graph, NodeType, Position, PreviewNode, PreviewResult, Problem } from "./model/types";
import { loadPins, storePins } from "./pins";
import { type Head, loadWorkflow, saveWorkflow, type Stored, validateWorkflow } from "./queries";

const SAVE_MS = 800;
const RETRY_MS = 5000;
const GROUP_MS = 1500;
const KEPT_STEPS = 100;

export type SaveState =
  | { kind: "saved" | "changed" | "saving" | "conflict" }
  | { kind: "failed"; error: ApiError };

/** A preview with its input. */
export interface Tried {
  at: string;
  input: unknown;
  result: PreviewResult;
}

/** What a node did in the last preview that carried it out. */
export interface Previewed {
  at: string;
  steps: readonly PreviewNode[];
}

export interface DraftState {
  head: Head;
  graph: Graph;
  /** The keys of the selected nodes and notes, and of the selected connections. */
  selection: ReadonlySet<string>;
  connections: ReadonlySet<string>;
  canUndo: boolean;
  canRedo: boolean;
  save: SaveState;
  problems: readonly Problem[];
  /** What both people changed. The person chooses. */
  conflicts: readonly Conflict[];
  /** The last preview, whose states the canvas shows. */
  tried: Tried | null;
  /** The steps of each node in the previews so far. */
  previewed: ReadonlyMap<string, Previewed>;
  /** The nodes whose outputs are pinned in previews. */
  pins: Pins;
}

const NOTHING: ReadonlySet<string> = new Set();

/** The draft in the editor: its graph, its history, and its way to the platform. */
export class Draft {
  private state: DraftState;
  private readonly listeners = new Set<() => void>();
  private past: Graph[] = [];
  private future: Graph[] = [];
  private group = { name: "", until: 0 };
  /** The graph and the name as they are stored, and their version. */
  private base: Graph;
  private baseName: string;
  private etag: string;
  private pending: Stored | null = null;
  /** What was sent without an answer. It may be stored. */
  private sent: { graph: Graph; name: string } | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private sending: Promise<void> | null = null;
  private checks = 0;
  /** Whether it is on the screen, where the person can decide about conflicts. */
  isOpen = false;

  constructor(
    stored: Stored,
    private readonly types: ReadonlyMap<string, NodeType>,
    readonly canEdit: boolean,
  ) {
    this.base = stored.graph;
    this.baseName = stored.head.name;
    this.etag = stored.etag;
    this.state = {
      head: stored.head,
      graph: stored.graph,
      selection: NOTHING,
      connections: NOTHING,
      canUndo: false,
      canRedo: false,
      save: { kind: "saved" },
      problems: stored.problems,
      conflicts: [],
      tried: null,
      previewed: new Map(),
      pins: loadPins(stored.head.id, new Set(stored.graph.nodes.map((node) => node.id))),
    };
  }

  get id(): string {
    return this.state.head.id;
  }

  read = () => this.state;

  subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  private set(changes: Partial<DraftState>) {
    const before = this.state;
    this.state = { ...before, ...changes };
    if (this.state.graph.nodes !== before.graph.nodes) this.forgetRemovedNodes();
    for (const listener of this.listeners) listener();
  }

  /** Another node can get the id of a removed one. It must not get its values. */
  private forgetRemovedNodes() {
    const { graph, pins, previewed } = this.state;
    const ids = new Set(graph.nodes.map((node) => node.id));
    const keep = <T>(values: ReadonlyMap<string, T>) =>
      [...values.keys()].every((id) => ids.has(id)) ? values : new Map([...values].filter(([id]) => ids.has(id)));
    this.state = { ...this.state, pins: keep(pins), previewed: keep(previewed) };
    if (this.state.pins !== pins) storePins(this.id, this.state.pins);
  }

  private historyState = () => ({ canUndo: this.past.length > 0, canRedo: this.future.length > 0 });

  /** Changes the graph. Changes of one group that follow each other quickly are undone together. */
  change(update: (graph: Graph) => Graph, options: { group?: string; select?: ReadonlySet<string> } = {}) {
    if (!this.canEdit) return;
    const { graph } = this.state;
    const changed = update(graph);
    if (changed !== graph) {
      const now = Date.now();
      const continues = options.group !== undefined && options.group === this.group.name && now < this.group.until;
      if (!continues) this.past = [...this.past.slice(1 - KEPT_STEPS), graph];
      this.future = [];
      this.group = { name: options.group ?? "", until: now + GROUP_MS };
    }
    this.set({
      graph: changed,
      ...this.historyState(),
      ...(options.select && { selection: options.select, connections: NOTHING }),
    });
    this.scheduleSave();
  }

  rename(name: string) {
    this.set({ head: { ...this.state.head, name } });
    this.scheduleSave();
  }

  move(positions: ReadonlyMap<string, Position>) {
    this.change((graph) => moveItems(graph, positions), { group: `move ${[...positions.keys()].join(" ")}` });
  }

  removeSelected() {
    const { selection, connections } = this.state;
    if (selection.size + connections.size === 0) return;
    this.change((graph) => removeItems(graph, selection, connections), { select: NOTHING });
  }

  select(selection: ReadonlySet<string>, connections: ReadonlySet<string> = NOTHING) {
    this.set({ selection, connections });
  }

  selectAll() {
    const { nodes, notes } = this.state.graph;
    this.select(new Set([...nodes.map((node) => node.id), ...notes.map((note) => noteKey(note.id))]));
  }

  undo() {
    this.step(this.past, this.future);
  }

  redo() {
    this.step(this.future, this.past);
  }

  private step(from: Graph[], to: Graph[]) {
    const graph = from.pop();
    if (graph === undefined || !this.canEdit) return;
    to.push(this.state.graph);
    this.group = { name: "", until: 0 };
    const keys = new Set([...graph.nodes.map((node) => node.id), ...graph.notes.map((note) => noteKey(note.id))]);
    const edges = new Set(graph.connections.map(connectionKey));
    this.set({
      graph,
      selection: new Set([...this.state.selection].filter((key) => keys.has(key))),
      connections: new Set([...this.state.connections].filter((key) => edges.has(key))),
      ...this.historyState(),
    });
    this.scheduleSave();
  }

  /** Keeps the result of a preview. What it did not carry out keeps its earlier values. */
  setTried(tried: Tried) {
    const previewed = new Map(this.state.previewed);
    const steps = new Map<string, PreviewNode[]>();
    const ids = new Set(this.state.graph.nodes.map((node) => node.id));
    for (const step of tried.result.nodes) {
      if (ids.has(step.nodeId)) steps.set(step.nodeId, [...(steps.get(step.nodeId) ?? []), step]);
    }
    for (const [id, of] of steps) previewed.set(id, { at: tried.at, steps: of });
    this.set({ tried, previewed });
  }

  /** Takes the states of the last preview from the canvas. */
  hideTried() {
    this.set({ tried: null });
  }

  /** Pins the output of a node, or removes its pin. Returns false if this browser has no room to store it. */
  pin(nodeId: string, pin: Pin | null): boolean {
    const pins = new Map(this.state.pins);
    if (pin === null) pins.delete(nodeId);
    else pins.set(nodeId, pin);
    if (!storePins(this.id, pins)) return false;
    this.set({ pins });
    return true;
  }

  /** Takes what has changed on the platform, apart from the name: the person may be changing it. */
  setHead(head: Head) {
    this.set({ head: { ...head, name: this.state.head.name } });
  }

  private get isDirty(): boolean {
    return this.canEdit && (this.state.graph !== this.base || this.state.head.name !== this.baseName);
  }

  get isSettled(): boolean {
    return !this.isDirty && this.sending === null;
  }

  private scheduleSave() {
    if (!this.isDirty) {
      clearTimeout(this.timer);
      if (this.state.save.kind === "changed" || this.state.save.kind === "failed") this.set({ save: { kind: "saved" } });
      return;
    }
    if (this.state.save.kind === "saved" || this.state.save.kind === "failed") this.set({ save: { kind: "changed" } });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.save(), SAVE_MS);
  }

  /** Saves now. Returns whether everything is stored. */
  async save(): Promise<boolean> {
    clearTimeout(this.timer);
    while (this.sending !== null) await this.sending;
    if (this.isDirty && this.state.conflicts.length === 0) {
      this.sending = this.send().finally(() => {
        this.sending = null;
      });
      await this.sending;
    }
    return !this.isDirty;
  }

  /** Saves until everything is stored, also what is changed meanwhile. */
  async flush(): Promise<boolean> {
    for (let attempt = 0; attempt < 3; attempt += 1) if (await this.save()) return true;
    return false;
  }

  /** Saves everything, or throws what prevents it. */
  async store(): Promise<void> {
    if (await this.flush()) return;
    const { save } = this.state;
    throw save.kind === "failed" ? save.error : new OwnError("draft_not_saved", save.kind);
  }

  private async send() {
    try {
      while (this.isDirty && this.state.conflicts.length === 0) {
        const { graph, head } = this.state;
        this.set({ save: { kind: "saving" } });
        const sentBefore = this.sent;
        this.sent = { graph, name: head.name };
        const saved = await saveWorkflow(this.id, this.etag, {
          ...(head.name !== this.baseName && { name: head.name }),
          ...(graph !== this.base && { graph }),
        });
        if (saved.kind === "saved") {
          this.sent = null;
          this.base = graph;
          this.baseName = head.name;
          this.etag = saved.stored.etag;
          this.checks += 1;
          this.set({ head: { ...saved.stored.head, name: this.state.head.name }, problems: saved.stored.problems });
          // What was changed meanwhile waits for its own moment.
          if (this.isDirty) break;
        } else {
          this.sent = sentBefore;
          await this.receive(saved.stored);
        }
      }
      if (this.state.conflicts.length > 0) return;
      this.set({ save: { kind: this.isDirty ? "changed" : "saved" } });
      if (this.isDirty) this.timer = setTimeout(() => void this.save(), SAVE_MS);
    } catch (error) {
      const failure = asApiError(error);
      this.set({ save: { kind: "failed", error: failure } });
      if (failure.isConnection || failure.status >= 500) this.timer = setTimeout(() => void this.save(), RETRY_MS);
    }
  }

  /** Merges what another person stored. */
  private async receive(stored: Stored) {
    const placed = await placeNodes(stored.graph, this.types);
    const { sent } = this;
    this.sent = null;
    if (sent !== null && stored.head.name === sent.name && isSameItems(shareItems(sent.graph, placed), sent.graph)) {
      // It is the person's own change, whose answer was lost.
      this.base = sent.graph;
      this.baseName = sent.name;
    }
    this.merge({ ...stored, graph: shareItems(this.base, placed) });
  }

  private merge(stored: Stored, choose?: Choose) {
    const { graph, conflicts: inGraph } = mergeGraphs(this.base, this.state.graph, stored.graph, choose);
    const { name, conflicts: ofName } = mergeNames(this.baseName, this.state.head.name, stored.head.name, choose);
    const conflicts = [...ofName, ...inGraph];
    if (conflicts.length > 0) {
      this.pending = stored;
      this.set({ conflicts, save: { kind: "conflict" } });
      return;
    }
    // Undoing a change must not undo those of the other person.
    const rebase = (step: Graph) => mergeGraphs(this.base, step, stored.graph, () => "mine").graph;
    this.past = this.past.map(rebase);
    this.future = this.future.map(rebase);
    const isStored = isSameItems(graph, stored.graph);
    this.pending = null;
    this.base = stored.graph;
    this.baseName = stored.head.name;
    this.etag = stored.etag;
    this.set({ head: { ...stored.head, name }, graph: isStored ? stored.graph : graph, conflicts: [] });
  }

  /** Ends a conflict with what the person chose for each item. */
  resolve(choose: Choose) {
    if (this.pending === null) return;
    this.merge(this.pending, choose);
    this.set({ save: { kind: this.isDirty ? "changed" : "saved" } });
    void this.save();
    this.checkSoon();
  }

  /** Loads what others changed since, such as when the person comes back to the page. */
  async refresh() {
    if (this.sending !== null || this.state.conflicts.length > 0) return;
    const { etag } = this;
    try {
      const stored = await loadWorkflow(this.id, this.types);
      // A save that began meanwhile has a newer version.
      if (stored.etag === etag || this.etag !== etag || this.sending !== null) return;
      await this.receive(stored);
      if (this.state.conflicts.length > 0) return;
      this.scheduleSave();
      await this.check();
    } catch {
      // The next save reports what is wrong.
    }
  }

  /** Checks the draft. If that fails, the known problems stay. */
  checkSoon() {
    this.check().catch(() => {});
  }

  /** Asks for all problems of the stored draft. */
  async check(): Promise<void> {
    this.checks += 1;
    const check = this.checks;
    const problems = await validateWorkflow(this.id);
    // A save that happened meanwhile has newer ones.
    if (check === this.checks) this.set({ problems });
  }
}

/** Drafts that the person left before they were stored. A draft stays here until it is. */
const left = new Map<string, Draft>();

export function keepLeft(draft: Draft) {
  left.set(draft.id, draft);
}

/** The draft that was left, if it is still not stored. */
export function findLeft(id: string): Draft | null {
  const draft = left.get(id);
  if (draft === undefined || !draft.isSettled) return draft ?? null;
  left.delete(id);
  return null;
}

window.addEventListener("beforeunload", (event) => {
  if ([...left.values()].some((draft) => !draft.isSettled)) event.preventDefault();
});

function isSameItems(a: Graph, b: Graph): boolean {
  const equal = (one: readonly unknown[], other: readonly unknown[]) =>
    one.length === other.length && one.every((item, index) => item === other[index]);
  return equal(a.nodes, b.nodes) && equal(a.notes, b.notes) && equal(a.connections, b.connections);
}

export function useDraft<T>(draft: Draft, select: (state: DraftState) => T): T {
  return useSyncExternalStore(draft.subscribe, () => select(draft.read()));
}
