import { useState } from "react";
import { asApiError } from "./errors";
import { randomKey } from "./random";

/**
 * Carries out creations with a key for each. While the answer to one is lost, the same creation keeps its key: trying again
 * creates nothing twice.
 */
export function keepKeys() {
  let lost: { what: string; key: string } | null = null;
  return async <R>(what: string, create: (key: string) => Promise<R>): Promise<R> => {
    const key = lost?.what === what ? lost.key : randomKey();
    lost = null;
    try {
      return await create(key);
    } catch (error) {
      const { status } = asApiError(error);
      if (status === 0 || status >= 500) lost = { what, key };
      throw error;
    }
  };
}

export function useOnce() {
  return useState(keepKeys)[0];
}
