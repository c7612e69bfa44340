import { currentTexts, type Dictionary } from "../i18n/dictionaries";

/** The texts of the console for failures without an answer of the platform. */
const sentences = {
  connection_lost: "connection",
  unreadable_answer: "unreadable",
  screen_not_loaded: "notLoaded",
  draft_not_saved: "notSaved",
  unexpected: "unexpected",
} as const satisfies Record<string, keyof Dictionary["errors"]>;

type OwnCode = keyof typeof sentences;

/** An answer that is not a success, or no answer at all: then the status is 0. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string | null,
    /** What the API adds for programs, such as the stored version after a conflict. */
    readonly details: unknown = null,
  ) {
    super(message);
    this.name = "ApiError";
  }

  get isConnection(): boolean {
    return this instanceof OwnError && this.code === "connection_lost";
  }
}

/** A failure without an answer of the platform. */
export class OwnError extends ApiError {
  /** What the browser has reported, in its own words. */
  readonly technical: string;

  constructor(
    override readonly code: OwnCode,
    cause: unknown,
  ) {
    super(0, code, currentTexts().errors[sentences[code]], null);
    this.technical = cause instanceof Error ? cause.message : String(cause);
  }
}

/** The sentence of an error. One of the console follows the language. */
export function sentenceOf(error: ApiError, texts: Dictionary): string {
  return error instanceof OwnError ? texts.errors[sentences[error.code]] : error.message;
}

interface Envelope {
  error?: { code?: string | null; type?: string; message?: string; request_id?: string; details?: unknown };
}

/** Reads the envelope of the builder or of the gateway. */
export function readError(status: number, requestId: string | null, body: unknown): ApiError {
  const error = (typeof body === "object" && body !== null ? (body as Envelope).error : undefined) ?? {};
  const code = error.code ?? error.type ?? `http_${status}`;
  return new ApiError(status, code, readMessage(status, error.message), requestId ?? error.request_id ?? null, error.details);
}

/** A person does not send tokens: the API's sentence about a missing session is for programs. */
function readMessage(status: number, message: string | undefined): string {
  const { errors, session } = currentTexts();
  return status === 401 ? session.refused : (message ?? errors.withoutReason(status));
}

/** The words of Chromium, Firefox and Safari for a request without an answer, or with half of one. */
const isOfConnection = (error: TypeError) => /failed to fetch|networkerror|network error|load failed/i.test(error.message);

export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof SyntaxError) return new OwnError("unreadable_answer", error);
  return new OwnError(error instanceof TypeError && isOfConnection(error) ? "connection_lost" : "unexpected", error);
}
