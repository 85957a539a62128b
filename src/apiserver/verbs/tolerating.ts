import { StatusError } from "../../api/meta/v1/status-error.ts";

/** Waits for work that may find, for these reasons, that there is nothing left to do. */
export async function tolerating(
  reasons: Parameters<typeof StatusError.is>[1][],
  work: Promise<unknown>,
): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!StatusError.is(error, ...reasons)) throw error;
  }
}
