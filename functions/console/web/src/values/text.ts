/** Values are drawn in blocks. The browser lays out only those that are visible. */
const BLOCK_LINES = 100;
const BLOCK_CHARACTERS = 8_000;

export interface Block {
  text: string;
  lines: number;
}

/** A value as a person reads it: a text as it is, all else as indented JSON. */
export function showValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/** Splits a text into blocks, at the ends of lines as far as the lines are not too long. */
export function splitText(text: string): Block[] {
  const blocks: Block[] = [];
  let start = 0;
  while (start < text.length) {
    let end = start;
    let lines = 0;
    while (lines < BLOCK_LINES && end < text.length && end - start < BLOCK_CHARACTERS) {
      const next = text.indexOf("\n", end);
      end = next === -1 ? text.length : next + 1;
      lines += 1;
    }
    if (end - start > 2 * BLOCK_CHARACTERS) end = start + BLOCK_CHARACTERS;
    // The end of a block is already a new line.
    blocks.push({ text: text.slice(start, end).replace(/\n$/, ""), lines });
    start = end;
  }
  return blocks;
}
