import { useEffect, useState } from "react";
import { isSame } from "../model/equal";

type Read = (text: string) => { value: unknown } | null;

/** A value that is edited as a text. While the text cannot be read, the value stays. */
export function useTextValue(value: unknown, write: (value: unknown) => string, read: Read, onChange: (value: unknown) => void) {
  const [text, setText] = useState(() => write(value));
  useEffect(() => {
    setText((current) => {
      const known = read(current);
      return known !== null && isSame(known.value, value) ? current : write(value);
    });
    // A new value replaces the text, unless the text means the same.
  }, [value]);
  const current = read(text);
  return {
    text,
    isInvalid: current === null,
    setText(text: string) {
      setText(text);
      const parsed = read(text);
      if (parsed !== null && !isSame(parsed.value, value)) onChange(parsed.value);
    },
  };
}
