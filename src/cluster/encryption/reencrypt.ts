import type { Store } from "../../store/store.ts";
import { everyEntry } from "../store/every-entry.ts";

export interface Reencrypted {
  /** How many values were looked at. */
  readonly seen: number;
  /** How many were written again. */
  readonly written: number;
}

/** Values of these keys expire soon: written again, they would stay. */
const expiring = ["/registry/events/", "/registry/masterleases/"];

/**
 * Writes every value again that is not stored as new values are. Others may write meanwhile: a value that they have
 * changed is left, because they have stored it as a new one.
 */
export async function reencrypt(
  store: Store,
  {
    prefix = "/registry/",
    signal,
    onProgress = () => {},
  }: {
    readonly prefix?: string;
    readonly signal?: AbortSignal;
    readonly onProgress?: (done: Reencrypted) => void;
  } = {},
): Promise<Reencrypted> {
  let [seen, written] = [0, 0];
  for await (const { key, value, modRevision: ifRevision } of everyEntry(store, prefix)) {
    signal?.throwIfAborted();
    seen++;
    const isKept = expiring.some((one) => key.startsWith(one));
    if (!isKept && (await store.isStale?.(key))) {
      const outcome = await store.commit([{ type: "put", key, value, ifRevision }]);
      if (outcome.ok) written++;
    }
    if (seen % 500 === 0) onProgress({ seen, written });
  }
  return { seen, written };
}
