export interface Change {
  /** Empty for the value as a whole. */
  path: string;
  before: unknown;
  after: unknown;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The smallest parts in which two values differ. An undefined side has no such part. */
export function findChanges(before: unknown, after: unknown, path = ""): Change[] {
  if (Object.is(before, after)) return [];
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) => findChanges(before[name], after[name], path ? `${path}.${name}` : name));
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, index) => index).flatMap((index) =>
      findChanges(before[index], after[index], `${path}[${index}]`),
    );
  }
  return [{ path, before, after }];
}
