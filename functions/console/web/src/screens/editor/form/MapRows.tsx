import { useEffect, useState } from "react";
import { useTexts } from "../../../i18n";
import { Button } from "../../../ui/Button";
import { isSame } from "../model/equal";
import { useForm } from "./context";
import { ExpressionControl, LanguageChoice } from "./ExpressionControl";
import { FieldProblems, type FieldProps } from "./SchemaField";

/** A value is a text, or `{"js": "…"}`. */
type Row = [key: string, value: unknown];

function readRows(value: unknown): Row[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value);
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

const toMap = (rows: readonly Row[]) => Object.fromEntries(rows.filter(([key]) => key !== ""));

/** Names and texts, such as the headers of a request. */
export function MapRows({ path, label, value, onChange, required, schema }: FieldProps) {
  const { t } = useTexts();
  const { canEdit } = useForm();
  const valueSchema = typeof schema.additionalProperties === "object" ? schema.additionalProperties : {};
  const ofField = valueSchema["x-language"];
  // A row without a name is not part of the value yet.
  const [rows, setRows] = useState(() => readRows(value));
  useEffect(() => setRows((rows) => (isSame(toMap(rows), value ?? {}) ? rows : readRows(value))), [value]);
  const set = (rows: Row[]) => {
    setRows(rows);
    const map = toMap(rows);
    onChange(Object.keys(map).length === 0 && !required ? undefined : map);
  };
  const attributesOf = (key: string, index: number) => ({
    "data-field": `${path}.${key}`,
    "aria-label": `${label} ${index + 1}: ${t.editor.value}`,
    placeholder: t.editor.value,
  });
  return (
    <>
      {rows.map(([key, item], index) => (
        <div key={index} className="map-row">
          <input
            type="text"
            aria-label={`${label} ${index + 1}: ${t.editor.key}`}
            placeholder={t.editor.key}
            autoComplete="off"
            disabled={!canEdit}
            value={key}
            onChange={(event) => set(rows.with(index, [event.target.value, item]))}
          />
          {ofField !== undefined && (
            <LanguageChoice
              schema={valueSchema}
              ofField={ofField}
              label={`${label} ${index + 1}`}
              value={item}
              onChange={(item) => set(rows.with(index, [key, item]))}
            />
          )}
          {ofField === undefined ? (
            <textarea
              {...attributesOf(key, index)}
              rows={Math.min(6, Math.max(1, textOf(item).split("\n").length))}
              spellCheck={false}
              disabled={!canEdit}
              value={textOf(item)}
              onChange={(event) => set(rows.with(index, [key, event.target.value]))}
            />
          ) : (
            <ExpressionControl
              attributes={attributesOf(key, index)}
              ofField={ofField}
              value={item}
              onChange={(item) => set(rows.with(index, [key, item]))}
            />
          )}
          {canEdit && (
            <button type="button" className="icon-button" aria-label={t.editor.removeNamed(key || `${label} ${index + 1}`)} onClick={() => set(rows.toSpliced(index, 1))}>
              <svg viewBox="0 0 16 16" aria-hidden="true"><path d="m4 4 8 8M12 4l-8 8" /></svg>
            </button>
          )}
          <FieldProblems path={`${path}.${key}`} />
          {ofField !== undefined && <FieldProblems path={`${path}.${key}.js`} />}
        </div>
      ))}
      {canEdit && <Button className="add" aria-label={t.editor.addNamed(label)} onClick={() => setRows([...rows, ["", ""]])}>+ {t.editor.add}</Button>}
    </>
  );
}
