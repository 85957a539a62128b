import { Lease } from "../../api/coordination/v1/lease.ts";
import type { Node } from "../../api/core/v1/node/node.ts";
import { timeOf } from "../../api/core/v1/pod/pod-state.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import type { Client } from "../../client/client.ts";
import { formatMicroTime, timeFromMillis } from "../../schema/values/time.ts";

/** Renews the leases of all nodes of a process together, and has their statuses refreshed. */
export interface Heartbeats {
  /** Starts at once, and continues until the returned function is called. */
  add(beating: Beating): () => void;
  close(): void;
}

export interface Beating {
  readonly nodeName: string;
  readonly client: Client;
  readonly node: () => Node | undefined;
  /** Refreshes the status of the node. A slow one does not delay the lease. */
  readonly beat?: (() => Promise<void>) | undefined;
}

export interface HeartbeatsOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** How often statuses are refreshed; by default every ten seconds. */
  readonly periodMs?: number | undefined;
  /** The duration of a lease, which is renewed four times in it; by default 40 seconds. */
  readonly leaseSeconds?: number | undefined;
  /** Spreads the requests of many machines: periods are up to 4 % longer. */
  readonly random?: Random | undefined;
}

export function createHeartbeats(options: HeartbeatsOptions): Heartbeats {
  const { clock, log, periodMs = 10_000, leaseSeconds = 40, random } = options;
  const all = new Set<NodeLease>();
  const timers = new Map<Work, Timer>();

  const once = async (lease: NodeLease, work: Work): Promise<void> => {
    if (lease.busy.has(work)) return;
    lease.busy.add(work);
    try {
      if (work === "lease") await renewLease(lease, { clock, leaseSeconds });
      else await lease.beating.beat?.();
    } catch (error) {
      log.warn(failures[work], { node: lease.beating.nodeName, error });
    } finally {
      lease.busy.delete(work);
    }
  };
  const repeat = (work: Work, ms: number): void => {
    const wait = random ? ms * (1 + jitter * random.next()) : ms;
    const timer = clock.setTimer(wait, () => {
      repeat(work, ms);
      for (const lease of all) void once(lease, work);
    });
    timers.set(work, timer);
  };

  return {
    add(beating) {
      const lease: NodeLease = { beating, latest: undefined, busy: new Set() };
      all.add(lease);
      void once(lease, "lease");
      void once(lease, "status");
      if (timers.size === 0) {
        repeat("lease", (leaseSeconds * 1000) / renewalsPerLease);
        repeat("status", periodMs);
      }
      return () => all.delete(lease);
    },
    close() {
      for (const timer of timers.values()) timer.cancel();
      all.clear();
    },
  };
}

/** The two parts of a heartbeat, each of which is done by one caller at a time. */
type Work = "lease" | "status";

const failures = {
  lease: "renewing the node lease failed",
  status: "refreshing the node status failed",
};
const renewalsPerLease = 4;
const jitter = 0.04;

interface NodeLease {
  readonly beating: Beating;
  latest: Lease | undefined;
  readonly busy: Set<Work>;
}

const namespace = "kube-node-lease";

async function renewLease(
  lease: NodeLease,
  { clock, leaseSeconds }: { readonly clock: Clock; readonly leaseSeconds: number },
): Promise<void> {
  const { client, nodeName, node } = lease.beating;
  const key = { name: nodeName, namespace };
  // Whoever watches the lease waits for a later time: it grows although the clock was set back.
  const spec = (): object => ({
    leaseDurationSeconds: leaseSeconds,
    renewTime: formatMicroTime(
      timeFromMillis(Math.max(clock.now(), renewedAt(lease.latest) + leastStepMs)),
    ),
  });
  for (let tries = 0; tries < mostTries; tries++) {
    try {
      if (!lease.latest) lease.latest = await client.get(Lease, key);
      const { latest } = lease;
      const fresh = { ...latest, spec: { ...latest.spec, holderIdentity: nodeName, ...spec() } };
      lease.latest = await client.update(Lease, fresh);
      return;
    } catch (error) {
      lease.latest = undefined;
      if (StatusError.is(error, "Conflict")) continue;
      if (!StatusError.is(error, "NotFound")) throw error;
    }
    // The node owns its lease; a deleted node has none.
    const owner = node();
    if (!owner) return;
    const metadata = { ...key, ownerReferences: [ownedBy(owner)] };
    const created = { metadata, spec: { holderIdentity: nodeName, ...spec() } };
    lease.latest = await client.create(Lease, created as never);
    return;
  }
}

const mostTries = 5;
const leastStepMs = 1;

const renewedAt = (lease: Lease | undefined): number =>
  timeOf(lease?.spec?.renewTime ?? undefined) ?? 0;

const ownedBy = ({ metadata }: Node) => ({
  apiVersion: "v1",
  kind: "Node",
  name: metadata.name ?? "",
  uid: metadata.uid ?? "",
});
