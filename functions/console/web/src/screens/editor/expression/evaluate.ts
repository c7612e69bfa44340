import { useEffect, useMemo, useState } from "react";
import { type ApiError, asApiError } from "../../../api/errors";
import { answer, builder } from "../../../api/client";
import type { Data, Needs } from "./needs";
import type { ExpressionLanguage } from "./tokens";

const WAIT_MS = 300;
/** What the platform shows instead of a masked part. */
const MASK = '"***"';

export interface Evaluation {
  /** The expression that it is of. The person may have written on since. */
  expression: string;
  /** Whether parts of the values are masked, as the nodes say. Then the result differs from that of a run. */
  isMasked: boolean;
  outcome: { value: unknown; type: string } | { error: ApiError };
}

export async function evaluate(expression: string, language: ExpressionLanguage, data: Data, signal?: AbortSignal) {
  const body = { expression, language, data };
  const { data: found } = await answer(builder.POST("/builder/v1/workflows/expression/preview", { body, ...(signal && { signal }) }));
  return { value: found.result as unknown, type: found.type };
}

/** Evaluates an expression shortly after it was written. A newer one replaces it, and a half-written one is not sent. */
export function useEvaluation(expression: string, language: ExpressionLanguage, needs: Needs | null, isPaused: boolean): Evaluation | null {
  const [evaluation, setEvaluation] = useState<Evaluation | null>(null);
  // The graph changes with every letter. The values mostly stay.
  const text = useMemo(() => needs && JSON.stringify(needs.data), [needs]);
  useEffect(() => {
    if (text === null) {
      setEvaluation(null);
      return;
    }
    if (isPaused) return;
    const isMasked = text.includes(MASK);
    const controller = new AbortController();
    const timer = setTimeout(() => {
      evaluate(expression, language, JSON.parse(text) as Data, controller.signal).then(
        (outcome) => setEvaluation({ expression, isMasked, outcome }),
        (error: unknown) => {
          if (!controller.signal.aborted) setEvaluation({ expression, isMasked, outcome: { error: asApiError(error) } });
        },
      );
    }, WAIT_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [expression, language, text, isPaused]);
  return evaluation;
}
