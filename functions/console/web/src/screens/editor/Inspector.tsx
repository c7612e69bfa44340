import { useEffect, useRef, useState } from "react";
import { useTexts } from "../../i18n";
import { Button } from "../../ui/Button";
import { CopyButton } from "../../ui/CopyButton";
import { useToast } from "../../ui/Toast";
import { type Draft, useDraft } from "./draft";
import { FormContext, shortMessage } from "./form/context";
import { Folded } from "./form/Folded";
import { focusField } from "./form/focus";
import { isRare, type Schema } from "./form/schema";
import { Properties } from "./form/SchemaField";
import { readJson, writeJson } from "../../values/json";
import { useTextValue } from "./form/useTextValue";
import { Glyph, PinIcon } from "./Glyph";
import { disconnect, setConfig, updateNode } from "./model/graph";
import { connectionKey } from "./model/merge";
import type { Config, GraphNode, NodeType } from "./model/types";
import { useNames } from "./texts";
import { WithCode } from "../../ui/WithCode";

export interface Focus {
  nodeId: string;
  field: string | null;
}

interface InspectorProps {
  draft: Draft;
  node: GraphNode;
  type: NodeType | undefined;
  canEdit: boolean;
  /** The field to focus, after a click on a problem. */
  focus: Focus | null;
  onTry: (kind: "until" | "from") => void;
  onPin: () => void;
  onConnect: () => void;
  onDuplicate: () => void;
  onRemove: () => void;
}

/** What the selected node is, and what can be changed. */
export function Inspector({ draft, node, type, canEdit, focus, onTry, onPin, onConnect, onDuplicate, onRemove }: InspectorProps) {
  const { t } = useTexts();
  const names = useNames();
  const problems = useDraft(draft, (state) => state.problems);
  const [isRaw, setIsRaw] = useState(false);
  const body = useRef<HTMLDivElement>(null);
  const own = problems.filter((problem) => problem.nodeId === node.id);
  useEffect(() => {
    if (focus?.nodeId !== node.id || focus.field === null) return;
    focusField(body.current, focus.field);
  }, [focus, node.id]);
  const change = (config: unknown, group: string) =>
    draft.change((graph) => setConfig(graph, node.id, (config ?? {}) as Config), { group: `config ${node.id} ${group}` });
  return (
    <div className="inspector" ref={body}>
      <header className="inspector-head">
        <Glyph category={type?.category} />
        <div>
          <h2>{names.type(node.type)}</h2>
          <Description text={type?.description ?? t.editor.unknownType} />
        </div>
      </header>
      <div className="field">
        <label htmlFor="node-name">{t.editor.name}</label>
        <input
          id="node-name"
          data-field="name"
          type="text"
          maxLength={200}
          disabled={!canEdit}
          placeholder={names.type(node.type)}
          autoComplete="off"
          value={node.name ?? ""}
          onChange={(event) => draft.change((graph) => updateNode(graph, node.id, { name: event.target.value }), { group: `name ${node.id}` })}
        />
        <p className="hint">ID: <code>{node.id}</code> <CopyButton text={node.id} what="ID" /></p>
      </div>
      <ul className="field-problems">
        {own.filter((problem) => problem.field === null || isRaw).map((problem) => (
          <li key={problem.code + problem.message} data-severity={problem.severity}><WithCode text={shortMessage(problem)} /></li>
        ))}
      </ul>
      {canEdit && <Partial draft={draft} node={node} onTry={onTry} onPin={onPin} />}
      <div className="inspector-bar">
        <h3>{t.editor.settings}</h3>
        <Button kind="quiet" aria-pressed={isRaw} onClick={() => setIsRaw(!isRaw)}>JSON</Button>
      </div>
      <FormContext value={{ workflowId: draft.id, node, problems, canEdit }}>
        {isRaw || type === undefined ? (
          <RawConfig key={node.id} node={node} canEdit={canEdit} onChange={(config) => change(config, "raw")} />
        ) : (
          <ConfigForm key={node.id} node={node} schema={type.configSchema as Schema} onChange={(config) => change(config, "form")} />
        )}
      </FormContext>
      <Connections draft={draft} node={node} canEdit={canEdit} onConnect={onConnect} />
      {canEdit && (
        <footer className="inspector-foot">
          <Button onClick={onDuplicate}>{t.editor.duplicate}</Button>
          <Button kind="danger" onClick={onRemove}>{t.editor.remove}</Button>
        </footer>
      )}
    </div>
  );
}

/** The first sentence, and the others on request. */
function Description({ text }: { text: string }) {
  const { t } = useTexts();
  const [first = "", ...rest] = text.split(/(?<=\.)\s+/);
  return (
    <div className="muted about">
      <p><WithCode text={first} /></p>
      {rest.length > 0 && (
        <details>
          <summary>{t.more}</summary>
          <p><WithCode text={rest.join(" ")} /></p>
        </details>
      )}
    </div>
  );
}

/** The fields that make a node run several times. Each has a section of its own. */
const REPETITIONS = ["each", "itemMode"];

function ConfigForm({ node, schema, onChange }: { node: GraphNode; schema: Schema; onChange: (config: unknown) => void }) {
  const { t } = useTexts();
  const names = useNames();
  const config = node.config ?? {};
  const fields = Object.keys(schema.properties ?? {});
  const common = { schema, path: "config", required: true, value: config, onChange };
  return (
    <>
      {schema.description && <p className="muted"><WithCode text={schema.description} /></p>}
      <Properties {...common} only={(name) => !isRare(name) && !REPETITIONS.includes(name)} />
      {REPETITIONS.map((name) => {
        const repetition = schema.properties?.[name];
        return repetition !== undefined && (
          <Folded key={name} title={names.field(name)} isUsed={config[name] !== undefined}>
            {repetition.description && <p className="hint"><WithCode text={repetition.description} /></p>}
            <Properties
              schema={repetition}
              path={`config.${name}`}
              required={false}
              value={config[name]}
              onChange={(changed) => {
                const { [name]: _, ...rest } = config;
                onChange(changed === undefined ? rest : { ...config, [name]: changed });
              }}
            />
          </Folded>
        );
      })}
      {fields.some(isRare) && (
        <Folded title={t.editor.advanced} isUsed={fields.some((name) => isRare(name) && config[name] !== undefined)}>
          <Properties {...common} only={isRare} />
        </Folded>
      )}
    </>
  );
}

function RawConfig({ node, canEdit, onChange }: { node: GraphNode; canEdit: boolean; onChange: (config: unknown) => void }) {
  const { t } = useTexts();
  const read = (text: string) => {
    const parsed = readJson(text);
    const isObject = typeof parsed?.value === "object" && parsed.value !== null && !Array.isArray(parsed.value);
    return isObject ? parsed : null;
  };
  const { text, setText, isInvalid } = useTextValue(node.config ?? {}, writeJson, read, onChange);
  return (
    <div className="field">
      <textarea
        className="mono"
        aria-label={t.editor.rawLabel}
        aria-invalid={isInvalid || undefined}
        rows={Math.min(30, Math.max(8, text.split("\n").length + 1))}
        spellCheck={false}
        disabled={!canEdit}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {isInvalid && <p className="field-problem">{t.editor.notObject}</p>}
    </div>
  );
}

function Connections({ draft, node, canEdit, onConnect }: { draft: Draft; node: GraphNode; canEdit: boolean; onConnect: () => void }) {
  const { t } = useTexts();
  const names = useNames();
  const graph = useDraft(draft, (state) => state.graph);
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  const nameOf = (id: string) => {
    const found = byId.get(id);
    return found === undefined ? id : names.node(found);
  };
  const toast = useToast();
  const section = useRef<HTMLElement>(null);
  const remove = (key: string, button: HTMLElement) => {
    const buttons = [...(section.current?.querySelectorAll<HTMLElement>(".icon-button") ?? [])];
    const index = buttons.indexOf(button);
    // The focus stays in the list: the button goes away with its connection.
    (buttons[index + 1] ?? buttons[index - 1] ?? section.current?.querySelector("button"))?.focus();
    draft.change((graph) => disconnect(graph, new Set([key])));
    toast(t.editor.connectionRemoved);
  };
  const around = graph.connections.filter(({ from, to }) => from.node === node.id || to.node === node.id);
  return (
    <section ref={section} className="connections" aria-label={t.editor.connections}>
      <div className="inspector-bar">
        <h3>{t.editor.connections}</h3>
        {canEdit && <Button kind="quiet" onClick={onConnect}>{t.editor.connectTo}…</Button>}
      </div>
      {around.length === 0 && <p className="muted">{t.editor.noConnections}</p>}
      <ul>
        {around.map((connection) => {
          const { from, to } = connection;
          const key = connectionKey(connection);
          const isOut = from.node === node.id;
          const other = isOut ? to : from;
          return (
            <li key={key}>
              <span>
                <code>{isOut ? from.port : to.port}</code> {isOut ? "→" : "←"}{" "}
                <button type="button" className="node-link" onClick={() => draft.select(new Set([other.node]))}>{nameOf(other.node)}</button>{" "}
                <code>{other.port}</code>
              </span>
              {canEdit && (
                <button
                  type="button"
                  className="icon-button"
                  aria-label={t.editor.removeConnection(nameOf(from.node), from.port, nameOf(to.node), to.port)}
                  title={t.editor.remove}
                  onClick={(event) => remove(key, event.currentTarget)}
                >
                  <svg viewBox="0 0 16 16" aria-hidden="true"><path d="m4 4 8 8M12 4l-8 8" /></svg>
                </button>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Previews of a part of the graph, and the pinned output. */
function Partial({ draft, node, onTry, onPin }: { draft: Draft; node: GraphNode; onTry: (kind: "until" | "from") => void; onPin: () => void }) {
  const { t } = useTexts();
  const isPinned = useDraft(draft, (state) => state.pins.has(node.id));
  return (
    <section className="partial" aria-label={t.editor.tryDraft}>
      <Button onClick={() => onTry("until")}>{t.preview.until}</Button>
      <Button onClick={() => onTry("from")}>{t.preview.from}</Button>
      <Button title={t.preview.pin} onClick={onPin}>{isPinned ? t.preview.editPin : t.preview.pinShort}</Button>
      {isPinned && <p className="pin-tag"><PinIcon /> {t.preview.pinnedText}</p>}
    </section>
  );
}
