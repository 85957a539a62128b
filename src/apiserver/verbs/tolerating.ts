import { StatusError } from "../../api/meta/v1/status-error.ts";

/** Awaits work, and ignores errors of these reasons: another client or server has done the work. */
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
