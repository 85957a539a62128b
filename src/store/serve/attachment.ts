import { field, int, int64, type MessageOf, message } from "../../base/protobuf-message.ts";
import type { Entry, Op, StoreEvent } from "../store.ts";
import type { StoreView } from "../transactor.ts";

/**
 * The prefix of internal keys that record the lease of a key. They are written in the same commit as the
 * key, and are valid only for the version with the same revision: a later write by any client ends the
 * lease. They sort after all keys of clients. The prefix itself exists as a key from the first lease on.
 */
export const attachmentPrefix = "\u{10ffff}lease/";

const Attachment = message({ lease: field(1, int64), ttl: field(2, int) });

/** A lease, with the data to continue it after a restart. */
export type Attachment = MessageOf<typeof Attachment>;

/** Decodes a lease record; throws if it is damaged. */
export const readAttachment = (value: Uint8Array): Attachment => Attachment.decode(value);

/** Returns the lease of a key's version, as read at a revision (0: the newest); 0 if it has none. */
export const leaseOf = (view: StoreView, entry: Entry, revision = 0): bigint =>
  attachmentOf(view, entry, revision)?.lease ?? 0n;

/** Like `leaseOf`, with the whole record. */
export function attachmentOf(
  view: StoreView,
  { key, modRevision }: Entry,
  revision = 0,
): Attachment | undefined {
  if (!hasAttachments(view)) return undefined;
  const place = attachmentPrefix + key;
  const newest = view.get(place);
  const attached =
    newest?.modRevision === modRevision || revision === 0 ? newest : view.get(place, revision);
  return attached?.modRevision === modRevision ? Attachment.decode(attached.value) : undefined;
}

/** Whether any key has or had a lease. */
export const hasAttachments = (view: StoreView): boolean =>
  view.get(attachmentPrefix) !== undefined;

/** Lists all keys with a lease. */
export function* attachments(view: StoreView): Generator<[key: string, Attachment]> {
  for (const { key, value, modRevision } of view.list(attachmentPrefix).entries) {
    const attachedKey = key.slice(attachmentPrefix.length);
    if (view.get(attachedKey)?.modRevision === modRevision)
      yield [attachedKey, Attachment.decode(value)];
  }
}

/** The operations to commit together with a put or delete of a key. */
export function attachmentOps(
  view: StoreView,
  key: string,
  attachment: Attachment | undefined,
): Op[] {
  const place = attachmentPrefix + key;
  if (!attachment) return view.get(place) ? [{ type: "delete", key: place }] : [];
  const put: Op = { type: "put", key: place, value: Attachment.encode(attachment) };
  if (hasAttachments(view)) return [put];
  return [put, { type: "put", key: attachmentPrefix, value: new Uint8Array(0) }];
}

/** The leases in the events of a commit, for new and previous versions. */
export function leasesIn(events: readonly StoreEvent[]): (entry: Entry) => bigint | undefined {
  const known = new Map<string, bigint>();
  for (const { key, entry, previous } of events) {
    if (!key.startsWith(attachmentPrefix) || key === attachmentPrefix) continue;
    for (const attached of [entry, previous]) {
      if (attached)
        known.set(
          `${attached.modRevision} ${key.slice(attachmentPrefix.length)}`,
          Attachment.decode(attached.value).lease,
        );
    }
  }
  return ({ key, modRevision }) => known.get(`${modRevision} ${key}`);
}
