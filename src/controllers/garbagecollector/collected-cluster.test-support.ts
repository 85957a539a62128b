import { ConfigMap } from "../../api/core/v1/config-map.ts";
import type { OwnerReference } from "../../api/meta/v1/object-meta.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import type { Log } from "../../base/log.ts";
import { impersonationHeaders } from "../../client/impersonation.ts";
import type { KubernetesObject } from "../../client/resource-kind.ts";
import type { Transport, TransportRequest } from "../../client/transport.ts";
import { createManager } from "../../controller-runtime/controller-manager.ts";
import type { Cluster } from "../../testing/cluster.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import { garbageCollector } from "./garbage-collector.ts";

/** A cluster on a virtual clock in which garbage is collected, by the account that does it upstream. */
export interface CollectedCluster extends Cluster {
  /** What the collector has written, as `METHOD PATH`, the oldest first. */
  readonly writes: TransportRequest[];
  readonly graph: (query?: string) => string;
  /** Stops the collector alone. */
  stop(): Promise<void>;
  end(): Promise<void>;
}

export interface CollectedOptions {
  readonly log?: Log | undefined;
  /** Through what the collector and its informers call. */
  readonly through?: ((transport: Transport) => Transport) | undefined;
  readonly concurrency?: number | undefined;
}

/** Starts a collector in a cluster, or a cluster with one. */
export async function collectedCluster(
  { log, through = (transport) => transport, concurrency = 20 }: CollectedOptions = {},
  given?: Cluster,
): Promise<CollectedCluster> {
  const cluster = given ?? (await startCluster({ clock: "virtual", namespace: "default" }));
  const writes: TransportRequest[] = [];
  const transport = through(cluster.transport);
  const { runnables, debug } = garbageCollector(concurrency);
  const stopping = new AbortController();
  const manager = createManager({
    ...cluster,
    transport,
    transportOf: (account) => async (request) => {
      if (request.method !== "GET" && !request.path.includes("/events")) writes.push(request);
      const user = `system:serviceaccount:kube-system:${account}`;
      const groups = ["system:serviceaccounts", "system:authenticated"];
      const headers = { ...request.headers, ...impersonationHeaders({ user, groups }) };
      return transport({ ...request, headers });
    },
    runnables,
    ...(log && { log }),
  });
  const running = manager.run({ signal: stopping.signal });
  await cluster.settled();
  const stop = async (): Promise<void> => {
    stopping.abort();
    await cluster.advance("1s");
    await running;
  };
  return {
    ...cluster,
    writes,
    graph: (query = "") => debug?.("/graph", new URLSearchParams(query)).body ?? "",
    stop,
    async end() {
      await stop();
      await cluster.close();
    },
  };
}

/** A reference to an object as an owner. */
export const ownerRef = (
  { apiVersion, kind, metadata }: KubernetesObject,
  changes: Partial<OwnerReference> = {},
): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name ?? "",
  uid: metadata.uid ?? "",
  ...changes,
});

/** Config maps of a namespace: they own and are owned as anything else. */
export function configMapsIn(
  { client, settled }: Pick<Cluster, "client" | "settled">,
  namespace: string,
) {
  const create = (
    name: string,
    owners: readonly OwnerReference[] = [],
    finalizers: readonly string[] = [],
  ): Promise<ConfigMap> =>
    client.create(ConfigMap, {
      metadata: { name, namespace, ownerReferences: [...owners], finalizers: [...finalizers] },
    });
  const find = (name: string): Promise<ConfigMap | undefined> =>
    client.get(ConfigMap, { namespace, name }).catch((error: unknown) => {
      if (StatusError.is(error, "NotFound")) return undefined;
      throw error;
    });
  return {
    create,
    find,
    delete: (name: string, propagationPolicy: "Orphan" | "Background" | "Foreground") =>
      client.delete(ConfigMap, { namespace, name }, { propagationPolicy }),
    /** The names of those that are left when all is done. */
    async left(): Promise<readonly string[]> {
      await settled();
      const { items } = await client.list(ConfigMap, { namespace });
      return items.map(({ metadata }) => metadata.name ?? "").sort();
    },
    release: (name: string) =>
      client.patch(ConfigMap, { namespace, name }, { merge: { metadata: { finalizers: null } } }),
  };
}
