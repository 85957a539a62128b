import { boolFlag } from "../../cli/flag.ts";
import { attachmentPrefix, readAttachment } from "../../store/serve/attachment.ts";
import type { Entry } from "../../store/store.ts";

/** The flag that shows internal keys. */
export const internalFlags = {
  internal: boolFlag({ usage: "also show the keys that record leases of etcd's API" }),
};

/** A key that records the lease of etcd's API to which another key is attached. */
export const isLeaseKey = (key: string): boolean => key.startsWith(attachmentPrefix);

/** Whether to show a key: internal keys are shown only on request, or if the prefix names them. */
export const isShown = (key: string, prefix: string, internal: boolean): boolean =>
  internal || isLeaseKey(prefix) || !isLeaseKey(key);

/** The lease that an internal key records. */
export interface KeptLease {
  /** The attached key; absent in the marker key for the whole prefix. */
  readonly key?: string;
  /** The lease's id as etcdctl prints it. */
  readonly lease?: string;
  readonly ttlSeconds?: number;
}

/** Decodes a lease key; undefined for other keys. Throws if it is damaged. */
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
