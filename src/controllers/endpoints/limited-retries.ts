import {
  type ReconcileContext,
  TerminalError,
} from "../../controller-runtime/reconcile/controller-definition.ts";

/** After so many failures a key waits until something happens to it. */
const mostRetries = 15;

/** Does what a reconcile does, and gives it up when it has failed too often. */
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
