import { useState } from "react";
import { useTexts } from "../../i18n";
import { Field } from "../../ui/Field";

/** The text of a JSON value that the person writes. `read` returns null, and the field says why, if it is not JSON. */
export function useJsonText(suggested: () => string) {
  const [text, setText] = useState(suggested);
  const [isInvalid, setIsInvalid] = useState(false);
  return {
    text,
    isInvalid,
    change(text: string) {
      setText(text);
      setIsInvalid(false);
    },
    read(): { value: unknown } | null {
      try {
        const value: unknown = JSON.parse(text);
        setIsInvalid(false);
        return { value };
      } catch {
        setIsInvalid(true);
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

export function JsonField({ label, hint, json: { text, isInvalid, change } }: JsonFieldProps) {
  const { t } = useTexts();
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
            aria-invalid={isInvalid || undefined}
            value={text}
            onChange={(event) => change(event.target.value)}
          />
        )}
      </Field>
      {isInvalid && <p className="problem-line" role="alert">{t.workflow.notJson}</p>}
    </>
  );
}
