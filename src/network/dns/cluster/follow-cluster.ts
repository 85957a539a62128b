import { Namespace } from "../../../api/core/v1/namespace.ts";
import { Service } from "../../../api/core/v1/service/service.ts";
import { EndpointSlice } from "../../../api/discovery/v1/endpoint-slice.ts";
import type { CallOptions } from "../../../client/call-options.ts";
import type { Informers } from "../../../client/informer/informers.ts";
import type { ClusterRecords } from "./cluster-records.ts";

/** Keeps records up to date with a cluster. */
export interface FollowedCluster {
  readonly hasSynced: boolean;
  synced(options?: CallOptions): Promise<void>;
  close(): void;
}

/** Follows the objects of a cluster that have names. What is known stays known while the API server is away. */
export function followCluster(informers: Informers, records: ClusterRecords): FollowedCluster {
  const namespaces = informers.of(Namespace);
  const services = informers.of(Service);
  const slices = informers.of(EndpointSlice);
  const registrations = [
    namespaces.addHandler({
      added: ({ metadata }) => records.setNamespace(metadata.name ?? ""),
      deleted: ({ metadata }) => records.removeNamespace(metadata.name ?? ""),
    }),
    services.addHandler({
      added: (service) => records.setService(service),
      updated: (service) => records.setService(service),
      deleted: ({ metadata: { namespace = "", name = "" } }) =>
        records.removeService(namespace, name),
    }),
    slices.addHandler({
      added: (slice) => records.setSlice(slice),
      updated: (slice) => records.setSlice(slice),
      deleted: ({ metadata: { namespace = "", name = "" } }) =>
        records.removeSlice(namespace, name),
    }),
  ];
  return {
    get hasSynced() {
      return registrations.every(({ hasSynced }) => hasSynced);
    },
    async synced(options) {
      await Promise.all(registrations.map((one) => one.synced(options)));
    },
    close() {
      for (const informer of [namespaces, services, slices]) informer.close();
    },
  };
}
