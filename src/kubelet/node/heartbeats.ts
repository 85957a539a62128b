import { Lease } from "../../api/coordination/v1/lease.ts";
import type { Node } from "../../api/core/v1/node/node.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Client } from "../../client/client.ts";
import { formatMicroTime, timeFromMillis } from "../../schema/values/time.ts";

/** Renews the leases of all nodes of a process together. */
export interface Heartbeats {
  /** Starts at once, and continues until the returned function is called. */
  add(beating: Beating): () => void;
  close(): void;
}

export interface Beating {
  readonly nodeName: string;
  readonly client: Client;
  readonly node: () => Node | undefined;
  /** Called with every beat. */
  readonly beat?: (() => Promise<void>) | undefined;
}

export interface HeartbeatsOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** By default ten seconds. */
  readonly periodMs?: number | undefined;
  /** The duration of a lease; by default 40 seconds. */
  readonly leaseSeconds?: number | undefined;
}

export function createHeartbeats(options: HeartbeatsOptions): Heartbeats {
  const { clock, log, periodMs = 10_000, leaseSeconds = 40 } = options;
  const all = new Set<NodeLease>();
  let timer: Timer | undefined;

  const renew = async (lease: NodeLease): Promise<void> => {
    if (lease.isBusy) return;
    lease.isBusy = true;
    try {
      await renewLease(lease, { clock, leaseSeconds });
      await lease.beating.beat?.();
    } catch (error) {
      log.warn("renewing the node lease failed", { node: lease.beating.nodeName, error });
    } finally {
      lease.isBusy = false;
    }
  };
  const tick = (): void => {
    timer = clock.setTimer(periodMs, () => {
      tick();
      for (const lease of all) void renew(lease);
    });
  };

  return {
    add(beating) {
      const lease: NodeLease = { beating, latest: undefined, isBusy: false };
      all.add(lease);
      void renew(lease);
      if (!timer) tick();
      return () => all.delete(lease);
    },
    close() {
      timer?.cancel();
      all.clear();
    },
  };
}

interface NodeLease {
  readonly beating: Beating;
  latest: Lease | undefined;
  isBusy: boolean;
}

const namespace = "kube-node-lease";

async function renewLease(
  lease: NodeLease,
  { clock, leaseSeconds }: { readonly clock: Clock; readonly leaseSeconds: number },
): Promise<void> {
  const { client, nodeName, node } = lease.beating;
  const key = { name: nodeName, namespace };
  const spec = (): object => ({
    leaseDurationSeconds: leaseSeconds,
    renewTime: formatMicroTime(timeFromMillis(clock.now())),
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

const ownedBy = ({ metadata }: Node) => ({
  apiVersion: "v1",
  kind: "Node",
  name: metadata.name ?? "",
  uid: metadata.uid ?? "",
});
