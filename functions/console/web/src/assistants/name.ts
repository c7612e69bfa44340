/** Leaves room for a number in the 64 characters that models accept. */
const MOST = 60;

/** The name of a tool that is suggested for the name that a person gave. The platform makes the same one by default. */
export function suggestName(name: string): string {
  const cleaned = Array.from(name, (character) => (/[a-z0-9-]/i.test(character) ? character : "_")).slice(0, MOST).join("");
  return cleaned.replace(/^_+|_+$/g, "") || "tool";
}

/** What a browser accepts as the name of a tool. */
export const NAME_PATTERN = "[a-zA-Z0-9_\\-]{1,64}";
