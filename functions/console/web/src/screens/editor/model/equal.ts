function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Compares two JSON values. The order of keys is ignored, and a missing key equals null. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b || (a ?? null) === (b ?? null)) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isSame(item, b[index]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) if (!isSame(a[key], b[key])) return false;
  return true;
}
