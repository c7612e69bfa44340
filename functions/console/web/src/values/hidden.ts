/**
 * Characters without a shape of their own: a foreign text can hide in them what a model reads and a person does not see.
 * Line breaks and tabs are seen, and U+FE0F only chooses the shape of an emoji.
 */
const hidden = /[^\P{C}\n\r\t]|[\u{FE00}-\u{FE0E}\u{E0100}-\u{E01EF}]/gu;

/** A foreign text in which hidden characters are visible. */
export function showHidden(text: string): string {
  return text.replace(hidden, (character) => `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** The same for all texts in a value of JSON. */
export function showHiddenIn<T>(value: T): T {
  return JSON.parse(showHidden(JSON.stringify(value ?? null))) as T;
}
