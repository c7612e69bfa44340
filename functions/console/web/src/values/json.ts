export const writeJson = (value: unknown) => (value === undefined ? "" : JSON.stringify(value, null, 2));

/** Null if the text is not JSON. No text is no value. */
export function readJson(text: string): { value: unknown } | null {
  if (text.trim() === "") return { value: undefined };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return null;
  }
}
