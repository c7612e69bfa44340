import { Field } from "./Field";

interface SelectProps<V extends string> {
  label: string;
  value: V;
  options: readonly (readonly [V, string])[];
  onChange: (value: V) => void;
}

export function Select<V extends string>({ label, value, options, onChange }: SelectProps<V>) {
  return (
    <Field label={label} inline>
      {(ids) => (
        <select {...ids} value={value} onChange={(event) => onChange(event.target.value as V)}>
          {options.map(([value, name]) => (
            <option key={value} value={value}>{name}</option>
          ))}
        </select>
      )}
    </Field>
  );
}
