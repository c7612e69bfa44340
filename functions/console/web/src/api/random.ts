/** A key for a request, so that its repetition changes nothing. `randomUUID` exists only with HTTPS and on this machine. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
