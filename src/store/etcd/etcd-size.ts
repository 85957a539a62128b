import type { Clock, Timer } from "../../base/clock.ts";
import type { EtcdCluster } from "./etcd-cluster.ts";
import { etcdMethods } from "./etcd-methods.ts";

export interface EtcdSizeOptions {
  readonly cluster: Pick<EtcdCluster, "call">;
  readonly clock: Clock;
  /** How often etcd is asked; 0 for never. */
  readonly intervalMs: number;
}

/** Knows how many bytes etcd takes on disk, as of the last time it was asked. */
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
      // It is as large as it was, for all that is known.
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
