import { useEffect } from "react";

/** The keys of the current screen, for the dialog that shows all keys. */
export type KeyRow = readonly [keys: readonly string[], what: string];

let current: readonly KeyRow[] = [];

export const screenKeys = () => current;

/** Registers the keys of a screen while it is open. */
export function useScreenKeys(rows: readonly KeyRow[]) {
  useEffect(() => {
    current = rows;
    return () => {
      current = [];
    };
  }, [rows]);
}
