import { errorMessage } from "../../../../base/error-message.ts";

/** An error of the plugin, as upstream marks it. */
export const csiError = (text: string): Error => new Error(`kubernetes.io/csi: ${text}`);

/** Does work whose errors begin with what has failed then. */
export async function saying<T>(failed: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw csiError(`${failed}: ${errorMessage(error)}`);
  }
}
