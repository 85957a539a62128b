import { type Clock, withDeadline } from "../../base/clock.ts";
import type { EtcdCallOptions, EtcdCluster, EtcdStream } from "./etcd-cluster.ts";
import { allKeys } from "./etcd-keys.ts";
import type { WatchRequest } from "./etcd-messages.ts";
import { etcdMethods } from "./etcd-methods.ts";

/** Returns etcd's current revision, by a linearizable read. */
export async function currentRevision(
  cluster: Pick<EtcdCluster, "call">,
  options: Pick<EtcdCallOptions, "totalMs"> = {},
): Promise<number> {
  const request = { key: allKeys.key, count_only: true };
  const asked = { isRepeatable: true, ...options };
  const { header } = await cluster.call(etcdMethods.range, request, asked);
  return header?.revision ?? 0;
}

/** The timeout of the response to a watch of a compacted revision. */
const timeoutMs = 3000;

/**
 * Returns the oldest revision that etcd keeps. etcd reports it only in response to a watch from before
 * it; 0 if nothing was compacted.
 */
export async function compactedRevision(
  cluster: Pick<EtcdCluster, "stream">,
  clock: Clock,
): Promise<number> {
  let stream: EtcdStream<WatchRequest> | undefined;
  try {
    return await withDeadline({ clock, ms: timeoutMs }, () => {
      return new Promise<number>((resolve, reject) => {
        stream = cluster.stream(etcdMethods.watch, {
          message: ({ canceled, compact_revision }) => canceled && resolve(compact_revision),
          end: (error) => reject(error ?? new Error("the watch ended")),
        });
        // A key that is never written.
        stream.send({ create_request: { key: allKeys.key, start_revision: 1 } });
      });
    });
  } catch {
    return 0;
  } finally {
    stream?.cancel();
  }
}
