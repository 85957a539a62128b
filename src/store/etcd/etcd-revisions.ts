import { type Clock, withDeadline } from "../../base/clock.ts";
import type { EtcdCallOptions, EtcdCluster, EtcdStream } from "./etcd-cluster.ts";
import { allKeys } from "./etcd-keys.ts";
import type { WatchRequest } from "./etcd-messages.ts";
import { etcdMethods } from "./etcd-methods.ts";

/** The revision that etcd is at, as a majority of its members agrees. */
export async function currentRevision(
  cluster: Pick<EtcdCluster, "call">,
  options: Pick<EtcdCallOptions, "totalMs"> = {},
): Promise<number> {
  const request = { key: allKeys.key, count_only: true };
  const asked = { isRepeatable: true, ...options };
  const { header } = await cluster.call(etcdMethods.range, request, asked);
  return header?.revision ?? 0;
}

/** How long etcd may take to say that a watch cannot be had. */
const patienceMs = 3000;

/**
 * The oldest revision that etcd keeps. It is told only to who watches from before it; where nothing
 * was compacted, nobody is told, and it is 0.
 */
export async function compactedRevision(
  cluster: Pick<EtcdCluster, "stream">,
  clock: Clock,
): Promise<number> {
  let stream: EtcdStream<WatchRequest> | undefined;
  try {
    return await withDeadline({ clock, ms: patienceMs }, () => {
      return new Promise<number>((resolve, reject) => {
        stream = cluster.stream(etcdMethods.watch, {
          message: ({ canceled, compact_revision }) => canceled && resolve(compact_revision),
          end: (error) => reject(error ?? new Error("the watch ended")),
        });
        // Nobody writes to this key.
        stream.send({ create_request: { key: allKeys.key, start_revision: 1 } });
      });
    });
  } catch {
    return 0;
  } finally {
    stream?.cancel();
  }
}
