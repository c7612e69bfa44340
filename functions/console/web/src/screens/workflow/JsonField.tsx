import { useState } from "react";
import { useTexts } from "../../i18n";
import { Field } from "../../ui/Field";

/** The text of a JSON value that the person writes. `read` returns null, and the field says why, if it is not JSON. */
export function useJsonText(suggested: () => string) {
  const { t } = useTexts();
  const [text, setText] = useState(suggested);
  const [problem, setProblem] = useState<string | null>(null);
  return {
    text,
    problem,
    change(text: string) {
      setText(text);
      setProblem(null);
    },
    read(): { value: unknown } | null {
      try {
        const value: unknown = JSON.parse(text);
        setProblem(null);
        return { value };
      } catch (error) {
        setProblem(`${t.workflow.notJson} ${error instanceof Error ? error.message : ""}`);
        return null;
      }
    },
  };
}

interface JsonFieldProps {
  label: string;
  hint: string;
  json: ReturnType<typeof useJsonText>;
}

export function JsonField({ label, hint, json: { text, problem, change } }: JsonFieldProps) {
  return (
    <>
      <Field label={label} hint={hint}>
        {(ids) => (
          <textarea
            {...ids}
            className="mono code-input"
            rows={Math.min(16, Math.max(6, text.split("\n").length + 1))}
            spellCheck={false}
            autoComplete="off"
            aria-invalid={problem !== null}
            value={text}
            onChange={(event) => change(event.target.value)}
          />
        )}
      </Field>
      {problem !== null && <p className="problem-line" role="alert">{problem}</p>}
    </>
  );
}
