/** Something that the user has to change; the message is what kubectl prints after `error: `. */
export class KustomizeError extends Error {
  override readonly name: string = "KustomizeError";
}

/** A program that took too long. */
export class TimeoutError extends KustomizeError {}

/** Does something; what goes wrong there is told with a prefix in front. */
export function inContext<T>(prefix: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    throw prefixed(prefix, cause);
  }
}

/** As `inContext`, for what takes time. */
export async function inContextAsync<T>(prefix: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    throw prefixed(prefix, cause);
  }
}

/** An error with a prefix in front of its message; faults of the program pass unchanged. */
export function prefixed(prefix: string, cause: unknown): unknown {
  if (!isUserError(cause)) return cause;
  return new KustomizeError(`${prefix}: ${cause.message}`, { cause });
}

/** Whether an error is one of what was read, and not of the program. */
export function isUserError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return !(
    error instanceof TypeError ||
    error instanceof RangeError ||
    error instanceof ReferenceError
  );
}

/** The error of a class among an error and its causes. */
export function causeOf<T>(error: unknown, type: new (...args: never[]) => T): T | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof type) return at;
  return undefined;
}
