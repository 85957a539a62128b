import {
  type ReconcileContext,
  TerminalError,
} from "../../controller-runtime/reconcile/controller-definition.ts";

/** After this many failures, a key is not retried until the next event. */
const mostRetries = 15;

/** Runs a reconcile, and turns its error into a terminal one after too many failures. */
export async function limitedRetries<T>(
  { attempt }: Pick<ReconcileContext, "attempt">,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (attempt <= mostRetries) throw error;
    throw new TerminalError("it has failed too often", { cause: error });
  }
}
