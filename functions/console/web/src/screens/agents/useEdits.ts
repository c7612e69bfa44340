import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { addChanges, type Changes, type Difference, differences, type FieldName, fieldsOf, type Stored } from "./edits";
import { agentKey, saveAgent } from "./queries";

export interface Conflict {
  theirs: Stored;
  differences: Difference[];
}

/** The unsaved changes of an agent. They are made to one version, and only that version is overwritten. */
export function useEdits(id: string, stored: Stored | undefined) {
  const queries = useQueryClient();
  const [base, setBase] = useState<Stored | null>(null);
  const [changes, setChanges] = useState<Changes>({});
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const isDirty = Object.keys(changes).length > 0;
  const version = isDirty && base !== null ? base : stored;

  const restart = (version: Stored, changes: Changes) => {
    setBase(version);
    setChanges(changes);
  };
  const store = (version: Stored) => {
    queries.setQueryData(agentKey(id), version);
    void queries.invalidateQueries({ queryKey: ["agents"] });
  };
  const save = useMutation({
    mutationFn: async ({ version, changes }: { version: Stored; changes: Changes }) => {
      const saved = await saveAgent(id, version.etag, changes);
      if (saved.kind === "saved") return saved;
      const found = differences(fieldsOf(version.agent), fieldsOf(saved.stored.agent), changes);
      // Others changed something else, such as a credential.
      return found.length === 0 ? saveAgent(id, saved.stored.etag, changes) : { ...saved, differences: found };
    },
    onSuccess: (saved, sent) => {
      store(saved.stored);
      if (saved.kind === "stale") {
        const found = "differences" in saved ? saved.differences : [];
        return setConflict({ theirs: saved.stored, differences: found });
      }
      // What was written while it was saved is the next change.
      setBase(saved.stored);
      setChanges((changes) => addChanges(fieldsOf(saved.stored.agent), {}, addChanges({ ...fieldsOf(sent.version.agent), ...sent.changes }, {}, changes)));
    },
  });

  return {
    version,
    fields: version === undefined ? undefined : { ...fieldsOf(version.agent), ...changes },
    isDirty,
    isSaving: save.isPending,
    error: save.error,
    conflict,
    change(more: Changes) {
      if (version !== undefined) restart(version, addChanges(fieldsOf(version.agent), changes, more));
    },
    save(onSaved: () => void) {
      if (version === undefined || save.isPending) return;
      save.mutate({ version, changes }, { onSuccess: (saved) => saved.kind === "saved" && onSaved() });
    },
    discard() {
      save.reset();
      setChanges({});
    },
    /** Continues with their version. `kept` are the fields of which this person's values stay. */
    resolve(kept: ReadonlySet<FieldName>, onSaved: () => void) {
      if (conflict === null) return;
      const { theirs, differences } = conflict;
      const lost = new Set(differences.map(({ field }) => field).filter((field) => !kept.has(field)));
      const mine = Object.fromEntries(Object.entries(changes).filter(([name]) => !lost.has(name as FieldName)));
      const rest = addChanges(fieldsOf(theirs.agent), {}, mine);
      setConflict(null);
      restart(theirs, rest);
      if (Object.keys(rest).length > 0) save.mutate({ version: theirs, changes: rest }, { onSuccess: (saved) => saved.kind === "saved" && onSaved() });
    },
    postpone: () => setConflict(null),
  };
}

export type Edits = ReturnType<typeof useEdits>;
