import { createContext, type ReactNode, useContext, useEffect } from "react";
import { Field } from "../../ui/Field";
import { GrowingText } from "../../ui/GrowingText";
import { useTextValue } from "../editor/form/useTextValue";

interface Form {
  /** What is wrong, by the field that the API names, such as `config.tools[0].url`. */
  problems: ReadonlyMap<string, string>;
  /** The name of an agent or of a workflow that is used. */
  nameOf: (id: string) => string;
  /** Reports a text that cannot be read as a value. */
  setUnreadable: (path: string, isUnreadable: boolean) => void;
}

export const FormContext = createContext<Form>({ problems: new Map(), nameOf: (id) => id, setUnreadable: () => {} });

interface CommonProps {
  path: string;
  label: string;
  hint?: ReactNode;
}

interface TextFieldProps extends CommonProps {
  value: string;
  /** The least number of lines. One line is a field that does not grow. */
  lines?: number;
  example?: string;
  mono?: boolean;
  onChange: (value: string) => void;
}

export function TextField({ path, label, hint, value, lines = 1, example, mono = false, onChange }: TextFieldProps) {
  const problem = useContext(FormContext).problems.get(path);
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(ids) => {
        const common = { ...ids, value, placeholder: example, className: mono ? "mono" : undefined, spellCheck: mono ? (false as const) : undefined };
        return lines === 1 ? (
          <input {...common} type="text" autoComplete="off" onChange={(event) => onChange(event.target.value)} />
        ) : (
          <GrowingText {...common} rows={lines} onChange={(event) => onChange(event.target.value)} />
        );
      }}
    </Field>
  );
}

interface SelectFieldProps<V extends string> extends CommonProps {
  value: V;
  options: readonly (readonly [V, string, isName?: boolean])[];
  onChange: (value: V) => void;
}

export function SelectField<V extends string>({ path, label, hint, value, options, onChange }: SelectFieldProps<V>) {
  const problem = useContext(FormContext).problems.get(path);
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(ids) => (
        <select {...ids} value={value} onChange={(event) => onChange(event.target.value as V)}>
          {options.map(([value, name, isName]) => (
            <option key={value} value={value} translate={isName ? "no" : undefined}>{name}</option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface ParsedFieldProps extends CommonProps {
  value: unknown;
  write: (value: unknown) => string;
  read: (text: string) => { value: unknown } | null;
  /** What is wrong with a text that cannot be read. */
  unreadable: string;
  lines?: number;
  example?: string;
  onChange: (value: unknown) => void;
}

/** A value that is written as a text, such as a number or JSON. The last value that could be read stays. */
export function ParsedField({ path, label, hint, value, write, read, unreadable, lines = 1, example, onChange }: ParsedFieldProps) {
  const { problems, setUnreadable } = useContext(FormContext);
  const { text, setText, isInvalid } = useTextValue(value, write, read, onChange);
  useEffect(() => {
    setUnreadable(path, isInvalid);
    return () => setUnreadable(path, false);
  }, [path, isInvalid, setUnreadable]);
  return (
    <Field label={label} hint={hint} problem={isInvalid ? unreadable : problems.get(path)}>
      {(ids) =>
        lines === 1 ? (
          <input {...ids} type="text" inputMode="decimal" autoComplete="off" placeholder={example} value={text} onChange={(event) => setText(event.target.value)} />
        ) : (
          <GrowingText {...ids} className="mono" rows={lines} spellCheck={false} placeholder={example} value={text} onChange={(event) => setText(event.target.value)} />
        )
      }
    </Field>
  );
}

export const writeNumber = (value: unknown) => (typeof value === "number" ? String(value) : "");

/** Reads a number within limits. No text is no number. Whole numbers have digits only: “1,000” and “1.000” could be one. */
export const readNumber = (minimum: number, maximum: number, isWhole: boolean) => (text: string) => {
  if (text.trim() === "") return { value: null };
  if (isWhole && !/^\d+$/.test(text.trim())) return null;
  const value = Number(text.trim().replace(",", "."));
  return value >= minimum && value <= maximum ? { value } : null;
};
