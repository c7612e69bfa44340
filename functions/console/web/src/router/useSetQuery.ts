import { useCallback } from "react";
import { replaceQuery } from "./history";

/** A stable function that sets one value of the query of the address. */
export function useSetQuery(name: string) {
  return useCallback((value: string) => replaceQuery({ [name]: value }), [name]);
}
