import { currentTexts, type Dictionary } from "../i18n/dictionaries";

/** Failures without an answer of the platform, and the texts of the console for them. */
const own = {
  connection_lost: "connection",
  unreadable_answer: "unreadable",
  screen_not_loaded: "notLoaded",
  unexpected: "unexpected",
} as const satisfies Record<string, keyof Dictionary["errors"]>;

type OwnCode = keyof typeof own;

/** An answer that is not a success, or no answer at all: then the status is 0. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    /** A sentence for people. */
    message: string,
    readonly requestId: string | null,
    /** What the browser has reported, in its own words. */
    readonly details: string | null = null,
  ) {
    super(message);
    this.name = "ApiError";
  }

  get isConnection(): boolean {
    return this.status === 0 && this.code === "connection_lost";
  }
}

/** The sentence of an error. That of a failure without an answer follows the language. */
export function sentenceOf({ status, code, message }: ApiError, texts: Dictionary): string {
  return status === 0 && code in own ? texts.errors[own[code as OwnCode]] : message;
}

/** A failure without an answer of the platform. */
export function ownError(code: OwnCode, cause: unknown): ApiError {
  const details = cause instanceof Error ? cause.message : String(cause);
  return new ApiError(0, code, currentTexts().errors[own[code]], null, details);
}

interface Envelope {
  error?: { code?: string | null; type?: string; message?: string; request_id?: string };
}

/** Reads the envelope of the builder or of the gateway. */
export function readError(status: number, requestId: string | null, body: unknown): ApiError {
  const error = (typeof body === "object" && body !== null ? (body as Envelope).error : undefined) ?? {};
  const code = error.code ?? error.type ?? `http_${status}`;
  const message = error.message ?? currentTexts().errors.withoutReason(status);
  return new ApiError(status, code, message, requestId ?? error.request_id ?? null);
}

/** The words of Chromium, Firefox and Safari for a request without an answer, or with half of one. */
const isOfConnection = (error: TypeError) => /failed to fetch|networkerror|network error|load failed/i.test(error.message);

export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof SyntaxError) return ownError("unreadable_answer", error);
  return ownError(error instanceof TypeError && isOfConnection(error) ? "connection_lost" : "unexpected", error);
}
