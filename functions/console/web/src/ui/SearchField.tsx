import { useEffect, useState } from "react";
import { useTexts } from "../i18n";
import { Field } from "./Field";

interface SearchFieldProps {
  /** “Search” by default. */
  label?: string;
  value: string;
  onSearch: (text: string) => void;
  /** The field that the key `/` focuses. One on a screen. */
  main?: boolean;
}

/** Searches a moment after the last key. */
export function SearchField({ label, value, onSearch, main = false }: SearchFieldProps) {
  const { t } = useTexts();
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onSearch(text), 250);
    return () => clearTimeout(timer);
  }, [text, value, onSearch]);
  return (
    <Field label={label ?? t.search} inline>
      {(ids) => (
        <input
          {...ids}
          type="search"
          data-main-search={main || undefined}
          value={text}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setText(event.target.value)}
        />
      )}
    </Field>
  );
}
