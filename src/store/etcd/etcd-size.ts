import type { Clock, Timer } from "../../base/clock.ts";
import type { EtcdCluster } from "./etcd-cluster.ts";
import { etcdMethods } from "./etcd-methods.ts";

export interface EtcdSizeOptions {
  readonly cluster: Pick<EtcdCluster, "call">;
  readonly clock: Clock;
  /** The interval of requests; 0 disables them. */
  readonly intervalMs: number;
}

/** Knows etcd's size on disk, as of the last request. */
export function followEtcdSize({ cluster, clock, intervalMs }: EtcdSizeOptions): {
  bytes(): number;
  close(): void;
} {
  let bytes = 0;
  let timer: Timer | undefined;
  let isClosed = false;
  const ask = async (): Promise<void> => {
    try {
      ({ dbSize: bytes } = await cluster.call(etcdMethods.status, {}, { isRepeatable: true }));
    } catch {
      // Keep the last known size.
    }
    if (!isClosed) timer = clock.setTimer(intervalMs, () => void ask());
  };
  if (intervalMs > 0) void ask();
  return {
    bytes: () => bytes,
    close() {
      isClosed = true;
      timer?.cancel();
    },
  };
}
