import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { asApiError } from "../../api/errors";
import { useTexts } from "../../i18n";
import { replaceQuery } from "../../router/history";
import { Button } from "../../ui/Button";
import { ErrorState } from "../../ui/ErrorState";
import { Section } from "../../ui/Section";
import { useToast } from "../../ui/Toast";
import { ConflictDialog } from "./ConflictDialog";
import { type Fields, fieldsOf, placeProblems, readProblems, type Stored } from "./edits";
import { FormContext, ParsedField, readNumber, SelectField, TextField, writeNumber } from "./fields";
import { useChatModels, useNames } from "./queries";
import { SourceList } from "./SourceList";
import { TeamFields } from "./TeamFields";
import { ToolList } from "./ToolList";
import type { Edits } from "./useEdits";

interface ConfigurationProps {
  stored: Stored;
  edits: Edits;
  canEdit: boolean;
  /** The name of the MCP server whose tools are listed. */
  listed: string | null;
}

/** The configuration of an agent. What is changed is saved together. */
export function Configuration({ stored, edits, canEdit, listed }: ConfigurationProps) {
  const { t } = useTexts();
  const toast = useToast();
  const form = useRef<HTMLDivElement>(null);
  // Read when the person saves, which may be before the next rendering.
  const unreadable = useRef(new Set<string>());
  const [hasUnreadable, setHasUnreadable] = useState(false);
  const setUnreadable = useCallback((path: string, isUnreadable: boolean) => {
    if (isUnreadable) unreadable.current.add(path);
    else unreadable.current.delete(path);
    setHasUnreadable(unreadable.current.size > 0);
  }, []);
  const refusal = edits.error === null ? null : asApiError(edits.error);
  const problems = useMemo(() => {
    const standing = edits.isDirty ? new Map<string, string>() : placeProblems(stored.agent);
    return refusal?.code === "invalid_body" ? new Map([...standing, ...readProblems(refusal.message)]) : standing;
  }, [stored, edits.isDirty, refusal?.code, refusal?.message]);
  const fields = edits.fields ?? fieldsOf(stored.agent);
  const { members, tools } = fields;
  const agents = useNames("agent", [...members, ...tools.flatMap((tool) => (tool.type === "agent" ? [tool.agentId] : []))]).data;
  const workflows = useNames("workflow", tools.flatMap((tool) => (tool.type === "workflow" ? [tool.workflowId] : []))).data;
  const context = useMemo(
    () => ({ problems, nameOf: (id: string) => agents?.get(id) ?? workflows?.get(id) ?? id, setUnreadable }),
    [problems, agents, workflows, setUnreadable],
  );
  const saved = () => toast(t.agents.saved);
  const save = () => {
    if (!edits.isDirty) return;
    if (unreadable.current.size === 0) return edits.save(saved);
    showFirstProblem(form.current);
  };
  const latest = useRef(save);
  latest.current = save;
  useEffect(() => {
    const handle = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "s") return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener("keydown", handle);
    return () => document.removeEventListener("keydown", handle);
  }, []);
  useEffect(() => {
    if (refusal !== null) showFirstProblem(form.current);
  }, [edits.error]);
  return (
    <FormContext value={context}>
      <div ref={form}>
        {!canEdit && <p className="muted read-only">{t.agents.readOnly}</p>}
        <fieldset className="agent-form" disabled={!canEdit}>
          <legend className="sr-only">{t.agents.configuration}</legend>
          <Basics fields={fields} edits={edits} canEdit={canEdit} />
          {fields.type === "multiple" && (
            <Section title={t.agents.members}>
              <div className="panel form-panel"><TeamFields id={stored.agent.id} fields={fields} canEdit={canEdit} onChange={edits.change} /></div>
            </Section>
          )}
          <Section title={t.agents.tools}>
            <div className="panel form-panel">
              <ToolList stored={stored} tools={fields.tools} canEdit={canEdit} listed={listed} onList={(name) => replaceQuery({ server: name ?? "" })} onChange={(tools) => edits.change({ tools })} />
            </div>
          </Section>
          <Section title={t.agents.sources}>
            <div className="panel form-panel">
              <SourceList sources={fields.sources} canEdit={canEdit} onChange={(sources) => edits.change({ sources })} />
            </div>
          </Section>
        </fieldset>
        {edits.isDirty && (
          <div className="save-bar panel" role="group" aria-label={t.unsaved.changes}>
            {edits.error ? <ErrorState error={edits.error} /> : null}
            <p>{hasUnreadable ? t.agents.fixFirst : t.unsaved.changes}</p>
            <Button onClick={edits.discard}>{t.unsaved.discard}</Button>
            <Button kind="primary" busy={edits.isSaving} onClick={save}>{edits.isSaving ? t.unsaved.saving : t.unsaved.save}</Button>
          </div>
        )}
      </div>
      {edits.conflict !== null && (
        <ConflictDialog conflict={edits.conflict} onResolve={(kept) => edits.resolve(kept, saved)} onClose={edits.postpone} />
      )}
    </FormContext>
  );
}

/** Focuses the first control that is wrong, and unfolds what it is in. */
function showFirstProblem(form: HTMLElement | null) {
  const control = form?.querySelector<HTMLElement>("[aria-invalid=true]");
  const folded = control?.closest("details");
  if (folded) folded.open = true;
  control?.focus();
}

const readTemperature = readNumber(0, 2, false);
const readTokens = readNumber(1, 2_147_483_647, true);

function Basics({ fields, edits, canEdit }: { fields: Fields; edits: Edits; canEdit: boolean }) {
  const { t } = useTexts();
  const models = useChatModels(canEdit).data ?? [];
  const { name, description, type, model, instructions, temperature, maxTokens } = fields;
  const unlisted = model !== null && !models.some(([id]) => id === model) ? [[model, model, true] as const] : [];
  return (
    <Section title={t.agents.basics}>
      <div className="panel form-panel">
        <TextField path="name" label={t.agents.name} value={name} onChange={(name) => edits.change({ name })} />
        <TextField path="description" label={t.agents.description} value={description ?? ""} onChange={(description) => edits.change({ description: description || null })} />
        <TextField path="config.instructions" label={t.agents.instructions} hint={t.agents.instructionsHint} lines={6} value={instructions} onChange={(instructions) => edits.change({ instructions })} />
        <div className="field-row even">
          <SelectField
            path="config.model"
            label={t.agents.model}
            value={model ?? ""}
            options={[["", t.agents.defaultModel], ...unlisted, ...models]}
            onChange={(model) => edits.change({ model: model || null })}
          />
          <ParsedField path="config.temperature" label={t.agents.temperature} hint={t.agents.temperatureHint} value={temperature} write={writeNumber} read={readTemperature} unreadable={t.agents.notTemperature} onChange={(value) => edits.change({ temperature: value as number | null })} />
          <ParsedField path="config.maxTokens" label={t.agents.maxTokens} hint={t.agents.maxTokensHint} value={maxTokens} write={writeNumber} read={readTokens} unreadable={t.agents.notTokens} onChange={(value) => edits.change({ maxTokens: value as number | null })} />
          <SelectField
            path="type"
            label={t.agents.type}
            value={type}
            options={[["single", t.agents.types.single], ["multiple", t.agents.types.multiple]]}
            // Only a team has members.
            onChange={(type) => edits.change(type === "single" ? { type, members: [], strategy: null } : { type })}
          />
        </div>
      </div>
    </Section>
  );
}
