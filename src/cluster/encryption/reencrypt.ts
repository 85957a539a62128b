import { isEncrypted } from "../../store/encryption/transformer.ts";
import type { Entry, Store } from "../../store/store.ts";
import { everyEntry } from "../store/every-entry.ts";

export interface Reencrypted {
  /** How many values were looked at. */
  readonly seen: number;
  /** How many were written again. */
  readonly written: number;
  /** The keys of values that could not be decrypted, and so are as they were. */
  readonly unreadable: readonly string[];
}

/** Values of these keys expire soon: written again, they would stay. */
const expiring = ["/registry/events/", "/registry/masterleases/"];

/** Whether the value of a key expires by itself, and is left as it is. */
export const isExpiring = (key: string): boolean => expiring.some((one) => key.startsWith(one));

/** Writes every value of an encrypted store again that is not stored as new values are. Others may write meanwhile. */
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
  const unreadable: string[] = [];
  for await (const entry of everyEntry(store, prefix)) {
    signal?.throwIfAborted();
    seen++;
    const outcome = isExpiring(entry.key) ? "kept" : await rewrite(store, entry);
    if (outcome === "written") written++;
    if (outcome === "unreadable") unreadable.push(entry.key);
    if (seen % 500 === 0) onProgress({ seen, written, unreadable });
  }
  return { seen, written, unreadable };
}

/** A value that another client changes meanwhile is looked at again: that client may still use the older key. */
async function rewrite(store: Store, entry: Entry): Promise<"kept" | "written" | "unreadable"> {
  const { key } = entry;
  for (let now: Entry | undefined = entry; now; now = await store.get(key)) {
    const { value, modRevision: ifRevision } = now;
    // The store gives what it cannot decrypt as it is stored.
    if (isEncrypted(value)) return "unreadable";
    if (!(await store.isStale?.(key))) return "kept";
    const outcome = await store.commit([{ type: "put", key, value, ifRevision }]);
    if (outcome.ok) return "written";
  }
  return "kept";
}
