import type { ReviewField } from "../../api/types";
import { useTexts } from "../../i18n";
import { Field } from "../../ui/Field";

interface FieldInputProps {
  field: ReviewField;
  text: string;
  onChange: (text: string) => void;
}

/** The control of a field of a review, by its type. */
export function FieldInput({ field, text, onChange }: FieldInputProps) {
  const { t } = useTexts();
  const { type } = field;
  return (
    <Field label={<span translate="no">{field.label || field.name}</span>} hint={field.required ? t.review.required : undefined}>
      {(ids) => {
        if (type === "boolean") {
          return (
            <select {...ids} value={text} onChange={(event) => onChange(event.target.value)}>
              <option value="">{t.review.unset}</option>
              <option value="true">{t.review.yes}</option>
              <option value="false">{t.review.no}</option>
            </select>
          );
        }
        if (type === "number") {
          return <input {...ids} inputMode="decimal" value={text} onChange={(event) => onChange(event.target.value)} />;
        }
        const rows = Math.min(14, Math.max(2, Math.ceil(text.length / 60), text.split("\n").length));
        return (
          <textarea
            {...ids}
            rows={rows}
            className={type === "json" ? "mono" : undefined}
            spellCheck={type !== "json"}
            value={text}
            onChange={(event) => onChange(event.target.value)}
          />
        );
      }}
    </Field>
  );
}
