import createClient from "openapi-fetch";
import { currentLanguage } from "../i18n/language";
import { reportConnection } from "./connection";
import { asApiError, OwnError, readError } from "./errors";
import type { paths as BuilderPaths } from "./generated/builder";
import type { paths as GatewayPaths } from "./generated/gateway";
import type { paths as WorkbenchPaths } from "./generated/workbenches";
import { prefix } from "./place";
import { confirmSession, leaveForSignIn } from "./session";

/** Sends a request with the session and the language of the person. */
async function send(request: Request): Promise<Response> {
  request.headers.set("Accept-Language", currentLanguage());
  let response: Response;
  try {
    response = await fetch(request);
  } catch (error) {
    if (request.signal.aborted) throw error;
    reportConnection(true);
    throw new OwnError("connection_lost", error);
  }
  reportConnection(false);
  if (response.status !== 401) {
    confirmSession();
  } else if (leaveForSignIn(request.method)) {
    // The page is left. Nothing should flicker until then.
    return new Promise(() => {});
  }
  return response;
}

const options = {
  baseUrl: prefix,
  credentials: "same-origin",
  fetch: send,
  // Lists of states are separated by commas.
  querySerializer: { array: { style: "form", explode: false } },
} as const;

export const builder = createClient<BuilderPaths>(options);
export const gateway = createClient<GatewayPaths>(options);
export const workbenches = createClient<WorkbenchPaths>(options);

const isAbort = (failure: unknown) => failure instanceof DOMException && failure.name === "AbortError";

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** Returns the body of a success. All other answers are thrown as an `ApiError`. */
export async function answer<T>(sent: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await sent.catch((failure: unknown) => {
    throw isAbort(failure) ? failure : asApiError(failure);
  });
  if (!response.ok) throw readError(response.status, response.headers.get("x-request-id"), error);
  return data as T;
}

/** Returns the body of a success with its version. */
export async function versioned<T>(sent: Promise<Answer<T>>): Promise<{ body: T; etag: string }> {
  const { response } = await sent;
  return { body: await answer(sent), etag: response.headers.get("etag") ?? "" };
}

/**
 * Also returns a time of the platform's clock before the answer was read: what happened until then is part of it. Without
 * such a time, nothing is known to be.
 */
export async function timedAnswer<T>(sent: Promise<Answer<T>>): Promise<{ body: T; readAt: number }> {
  const begun = performance.now();
  const { response } = await sent;
  const body = await answer(sent);
  // The header has whole seconds.
  const date = Date.parse(response.headers.get("date") ?? "");
  return { body, readAt: Number.isNaN(date) ? Number.NEGATIVE_INFINITY : date - 1000 - (performance.now() - begun) };
}
