import type { Clock, Timer } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { EtcdCluster } from "./etcd-cluster.ts";
import { isCompacted } from "./etcd-fault.ts";
import { compareResults, compareTargets } from "./etcd-messages.ts";
import { etcdMethods } from "./etcd-methods.ts";

export interface EtcdCompactionOptions {
  readonly cluster: Pick<EtcdCluster, "call">;
  readonly clock: Clock;
  readonly log: Log;
  /** The interval; 0 disables compaction. */
  readonly intervalMs: number;
}

/** The state of a server's compaction, which it compares with the shared key. */
export interface CompactionRound {
  /** The version of the key at the last round, which is the number of rounds. */
  readonly version: number;
  /** The revision that was current then; 0 before the first round. */
  readonly revision: number;
}

/** The key by which all servers of one etcd, upstream's included, coordinate compaction. */
const compactionKey = new TextEncoder().encode("compact_rev_key");

/**
 * Compacts periodically to the revision that was current in the previous round. Among several servers,
 * one does it: a server that finds the key unchanged writes it and compacts; one that finds a newer
 * version only remembers it and waits for the next round.
 */
export function startEtcdCompaction(options: EtcdCompactionOptions): { close(): void } {
  const { cluster, clock, log, intervalMs } = options;
  if (intervalMs === 0) return { close: () => undefined };
  let isClosed = false;
  let timer: Timer | undefined;
  let known: CompactionRound = { version: 0, revision: 0 };
  const round = async (): Promise<void> => {
    try {
      known = await compactionRound(cluster, known);
    } catch (error) {
      if (!isClosed) log.error("compaction failed", error);
    }
    wait();
  };
  const wait = (): void => {
    if (!isClosed) timer = clock.setTimer(intervalMs, () => void round());
  };
  wait();
  return {
    close() {
      isClosed = true;
      timer?.cancel();
    },
  };
}

/**
 * Runs one round: compacts if no other server did since the last; resolves with the state for the next.
 */
export async function compactionRound(
  cluster: Pick<EtcdCluster, "call">,
  known: CompactionRound,
): Promise<CompactionRound> {
  const value = new TextEncoder().encode(String(known.revision));
  const request = {
    compare: [
      {
        result: compareResults.equal,
        target: compareTargets.version,
        key: compactionKey,
        version: known.version,
      },
    ],
    success: [{ request_put: { key: compactionKey, value } }],
    failure: [{ request_range: { key: compactionKey } }],
  };
  const answer = await cluster.call(etcdMethods.txn, request, { isRepeatable: false });
  const revision = answer.header?.revision ?? 0;
  if (!answer.succeeded) {
    const version = answer.responses[0]?.response_range?.kvs[0]?.version ?? 0;
    return { version, revision };
  }
  if (known.revision > 0) await compact(cluster, known.revision);
  return { version: known.version + 1, revision };
}

async function compact(cluster: Pick<EtcdCluster, "call">, revision: number): Promise<void> {
  try {
    await cluster.call(etcdMethods.compact, { revision }, { isRepeatable: true });
  } catch (error) {
    // An administrator has compacted a later revision.
    if (!isCompacted(error)) throw error;
  }
}
