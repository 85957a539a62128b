import { createHash } from "node:crypto";
import { type GrpcHandler, streamHandler, unaryHandler } from "../../platform/grpc/grpc-server.ts";
import { alarmActions } from "../etcd/etcd-messages.ts";
import { etcdMethods } from "../etcd/etcd-methods.ts";
import { etcdErrors } from "./etcd-errors.ts";
import { hashKeys } from "./hash-keys.ts";
import { headerOf, term } from "./header.ts";
import { type Served, translated } from "./kv-handlers.ts";
import { reportedVersion } from "./reported-version.ts";
import { snapshotFile } from "./snapshot-file.ts";

export interface MaintenanceServing extends Served {
  /** The size of the store on disk. */
  storeBytes(): number;
}

/** The size of a snapshot message. */
const pieceBytes = 32 * 1024;

/** etcd's Maintenance and Cluster services, for a single member. */
export function maintenanceHandlers(served: MaintenanceServing): GrpcHandler[] {
  const { store, member } = served;
  const header = () => headerOf(member, store.view().revision);
  return [
    unaryHandler(etcdMethods.status, async () => {
      const { revision } = store.view();
      const bytes = served.storeBytes();
      return {
        header: header(),
        version: reportedVersion,
        dbSize: bytes,
        dbSizeInUse: bytes,
        leader: member.memberId,
        raftIndex: revision,
        raftAppliedIndex: revision,
        raftTerm: term,
      };
    }),
    unaryHandler(etcdMethods.alarm, async ({ action }) => {
      if (action === alarmActions.activate) throw etcdErrors.notSupported("alarms to raise");
      return { header: header() };
    }),
    // Free pages are reused: there is nothing to defragment.
    unaryHandler(etcdMethods.defragment, async () => ({})),
    unaryHandler(etcdMethods.hash, async () =>
      translated(async () => ({ header: header(), hash: hashKeys(store.view(), 0).hash })),
    ),
    unaryHandler(etcdMethods.hashKV, async ({ revision }) =>
      translated(async () => ({ header: header(), ...hashKeys(store.view(), revision) })),
    ),
    streamHandler(etcdMethods.snapshot, async (requests, { send }) => {
      for await (const _ of requests) {
        await translated(async () => {
          const file = await snapshotFile(store);
          const hash = createHash("sha256");
          let remaining_bytes = file.bytes;
          for (const blob of pieces(file.pages(), pieceBytes)) {
            hash.update(blob);
            remaining_bytes -= blob.length;
            await send({ remaining_bytes, blob });
          }
          await send({ blob: hash.digest() });
        });
        return;
      }
    }),
    unaryHandler(etcdMethods.memberList, async () => ({
      // The member list has no revision.
      header: headerOf(member, 0),
      members: [{ ID: member.memberId, name: member.name, clientURLs: [member.url] }],
    })),
  ];
}

/** Splits bytes into messages of at most this size. */
function* pieces(pages: Iterable<Buffer>, most: number): Generator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for (const page of pages) {
    for (let at = 0; at < page.length; at += most) {
      const part = page.subarray(at, at + most);
      if (bytes + part.length > most) {
        yield Buffer.concat(waiting);
        [waiting, bytes] = [[], 0];
      }
      waiting.push(part);
      bytes += part.length;
    }
  }
  yield Buffer.concat(waiting);
}
