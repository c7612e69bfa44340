import { Menu } from "./Menu";

interface MultiSelectProps<V extends string> {
  label: string;
  /** What is said if nothing is chosen, such as “All states”. */
  none: string;
  options: readonly (readonly [V, string])[];
  chosen: readonly V[];
  onChange: (chosen: V[]) => void;
}

/** Chooses any number of values. */
export function MultiSelect<V extends string>({ label, none, options, chosen, onChange }: MultiSelectProps<V>) {
  const names = options.filter(([value]) => chosen.includes(value)).map(([, name]) => name);
  const which = names.length === 0 ? none : names.join(", ");
  return (
    <div className="field inline">
      <span className="label" aria-hidden="true">{label}</span>
      <Menu label={`${label}: ${which}`} button={<span>{which}</span>} className="multi-select">
        {() => (
          <fieldset>
            <legend className="sr-only">{label}</legend>
            {options.map(([value, name]) => (
              <label key={value} className="check">
                <input
                  type="checkbox"
                  checked={chosen.includes(value)}
                  onChange={({ target: { checked } }) =>
                    onChange(options.map(([one]) => one).filter((one) => (one === value ? checked : chosen.includes(one))))
                  }
                />
                {name}
              </label>
            ))}
          </fieldset>
        )}
      </Menu>
    </div>
  );
}
