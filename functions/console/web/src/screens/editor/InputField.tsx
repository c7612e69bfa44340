import { useState } from "react";
import { useTexts } from "../../i18n";
import { Field } from "../../ui/Field";
import { type Draft, useDraft } from "./draft";
import { readJson, writeJson } from "../../values/json";
import { exampleInput } from "./model/example";

/** The last input of each workflow, for the next time. */
const inputs = new Map<string, string>();

/** The input of a run or of a preview, as it is written. */
export function useInput(draft: Draft) {
  const graph = useDraft(draft, (state) => state.graph);
  const [text, setText] = useState(() => inputs.get(draft.id) ?? writeJson(exampleInput(graph)));
  return {
    text,
    read: readJson(text),
    setText(text: string) {
      setText(text);
      inputs.set(draft.id, text);
    },
  };
}

export function InputField({ input: { text, read, setText } }: { input: ReturnType<typeof useInput> }) {
  const { t } = useTexts();
  return (
    <Field label={t.editor.input} hint={t.editor.inputHint} problem={read === null ? t.editor.notJson : undefined}>
      {(ids) => (
        <textarea {...ids} className="mono" rows={8} spellCheck={false} value={text} onChange={(event) => setText(event.target.value)} />
      )}
    </Field>
  );
}
