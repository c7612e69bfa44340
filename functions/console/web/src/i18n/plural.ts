/**
 * Chooses between the words for one and for several. The count may already be written in the format of the language: one is
 * “1” in both of them.
 */
export function plural(count: number | string, one: string, several: string): string {
  return String(count) === "1" ? one : several;
}
