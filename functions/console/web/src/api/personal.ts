/**
 * What this browser keeps for one person in one organization, such as outputs that are pinned. It is removed when the
 * person signs out, and when another person signs in.
 */
const PREFIX = "console.personal.";

let own = PREFIX;

/** Says who is signed in. Returns false if another person was until now. */
export function setPerson(orgId: string, userId: string): boolean {
  const next = `${PREFIX}${orgId}.${userId}.`;
  const isSame = own === PREFIX || own === next;
  own = next;
  removeWhere((key) => !key.startsWith(own));
  return isSame;
}

/** The key under which something of the person is kept. */
export const personalKey = (name: string) => own + name;

/** The keys of the person that begin so. */
export const personalKeys = (name: string): string[] => listKeys().filter((key) => key.startsWith(own + name));

export const removePersonal = () => removeWhere(() => true);

function removeWhere(isRemoved: (key: string) => boolean) {
  for (const key of listKeys()) if (isRemoved(key)) localStorage.removeItem(key);
}

function listKeys(): string[] {
  const keys = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index) ?? "");
  return keys.filter((key) => key.startsWith(PREFIX));
}
