import { boolFlag } from "../../cli/flag.ts";
import { attachmentPrefix, readAttachment } from "../../store/serve/attachment.ts";
import type { Entry } from "../../store/store.ts";

/** What shows keys that are no user's. */
export const internalFlags = {
  internal: boolFlag({ usage: "show also the keys in which leases of etcd's API are kept" }),
};

/** A key beside another, which says on which lease of etcd's API that one hangs. */
export const isLeaseKey = (key: string): boolean => key.startsWith(attachmentPrefix);

/** Whether a key is shown to who asked for what is below a prefix. */
export const isShown = (key: string, prefix: string, internal: boolean): boolean =>
  internal || isLeaseKey(prefix) || !isLeaseKey(key);

/** What a key of a lease says. */
export interface KeptLease {
  /** The key that hangs on it; not there in the key that says that there are such. */
  readonly key?: string;
  /** As etcdctl writes it. */
  readonly lease?: string;
  readonly ttlSeconds?: number;
}

/** Reads a key of a lease; undefined where it is another key. Throws where it is damaged. */
export function keptLease({ key, value }: Pick<Entry, "key" | "value">): KeptLease | undefined {
  if (!isLeaseKey(key)) return undefined;
  if (key === attachmentPrefix) return {};
  const { lease, ttl } = readAttachment(value);
  return {
    key: key.slice(attachmentPrefix.length),
    lease: BigInt.asUintN(64, lease).toString(16),
    ttlSeconds: ttl,
  };
}
