import { useEffect, useRef } from "react";
import { asApiError } from "../api/errors";
import { useToast } from "./Toast";

/**
 * Carries out the effect of a change, also if the part of the screen that started it is gone by then: the callbacks that
 * `mutate` takes would be lost. `isShown` is whether it is still there. The mutation keeps the error for the part that shows
 * it; once that is gone, a message does.
 */
export function useWhenDone() {
  const toast = useToast();
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return <R>(change: Promise<R>, effect: (result: R, isShown: boolean) => void): void => {
    change.then(
      (result) => effect(result, isShown.current),
      (error: unknown) => {
        if (!isShown.current) toast(asApiError(error).message);
      },
    );
  };
}
