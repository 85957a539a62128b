import { ConfigMap } from "../../api/core/v1/config-map.ts";
import type { OwnerReference } from "../../api/meta/v1/object-meta.ts";
import { ignoreNotFound } from "../../client/ignore-not-found.ts";
import type { KubernetesObject } from "../../client/resource-kind.ts";
import type { Runnable } from "../../controller-runtime/manager/manager-options.ts";
import type { Cluster } from "../../testing/cluster.ts";
import {
  type AccountedCluster,
  type AccountedOptions,
  accountedCluster,
} from "../accounted-cluster.test-support.ts";
import { createParts } from "../controller-module.ts";
import { garbageCollectorModule } from "./garbage-collector-module.ts";

/** A cluster in which garbage is collected. */
export interface CollectedCluster extends AccountedCluster {
  /** The graph, of all or as the query says. */
  readonly graph: (query?: string) => string;
}

/** Starts a collector in a cluster, or a cluster with one. */
export async function collectedCluster(
  options: Omit<AccountedOptions, "runnables"> = {},
  given?: Cluster,
): Promise<CollectedCluster> {
  const { run = [], debug } = createParts(garbageCollectorModule) ?? {};
  const cluster = await accountedCluster({ ...options, runnables: run as Runnable[] }, given);
  const graph = (query = "") => debug?.("/graph", new URLSearchParams(query)).body ?? "";
  return { ...cluster, graph };
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
    ignoreNotFound(client.get(ConfigMap, { namespace, name }));
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
