import { StatusError } from "../api/meta/v1/status-error.ts";

/** Resolves with undefined if a request is rejected with a `StatusError` of the reason `NotFound`. */
export async function ignoreNotFound<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (StatusError.is(error, "NotFound")) return undefined;
    throw error;
  }
}
