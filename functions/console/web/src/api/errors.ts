/** The code of a request that got no answer. */
export const CONNECTION_LOST = "connection_lost";

/** An answer that is not a success, or no answer at all: then the status is 0. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string | null,
  ) {
    super(message);
    this.name = "ApiError";
  }

  get isConnection(): boolean {
    return this.code === CONNECTION_LOST;
  }
}

interface Envelope {
  error?: { code?: string | null; type?: string; message?: string; request_id?: string };
}

/** Reads the envelope of the builder or of the gateway. */
export function readError(status: number, requestId: string | null, body: unknown): ApiError {
  const error = (typeof body === "object" && body !== null ? (body as Envelope).error : undefined) ?? {};
  const code = error.code ?? error.type ?? `http_${status}`;
  return new ApiError(status, code, error.message ?? `HTTP ${status}`, requestId ?? error.request_id ?? null);
}

export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(0, "unexpected", error instanceof Error ? error.message : String(error), null);
}
