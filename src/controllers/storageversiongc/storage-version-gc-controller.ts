import { StorageVersion } from "../../api/apiserverinternal/v1alpha1/storage-version.ts";
import { Lease } from "../../api/coordination/v1/lease.ts";
import { ignoreNotFound } from "../../client/ignore-not-found.ts";
import { queueController } from "../../controller-runtime/reconcile/queue-controller.ts";
import { statusOfServers } from "./status-of-servers.ts";

const namespace = "kube-system";
const byServer = "server";

/** Removes what API servers said of how they store objects once they are gone: their leases are deleted. */
export const storageVersionGcController = queueController({
  name: "storageversion-garbage-collector-controller",
  setUp(ctx) {
    const { client, clock, signal } = ctx;
    const leases = ctx.informer(Lease, { labelSelector: "apiserver.kubernetes.io/identity" });
    const versions = ctx.informer(StorageVersion, { indexers: { [byServer]: serversOf } });

    /** Asks the API server: the cache of leases may be behind that of versions. */
    const isAlive = async (name: string): Promise<boolean> =>
      isOfServer(await ignoreNotFound(client.get(Lease, { namespace, name }, { signal })));

    const queue = ctx.queue({
      name: "storage_version_garbage_collector_storageversions",
      workers: 1,
      failure: "removing servers from a storage version failed",
      logFields: (version) => ({ version }),
      async work(name) {
        const version = await ignoreNotFound(client.get(StorageVersion, { name }, { signal }));
        if (!version) return;
        const alive = new Set<string>();
        for (const server of new Set(serversOf(version)))
          if (await isAlive(server)) alive.add(server);
        const status = statusOfServers(version, alive, clock.now());
        if (status === version.status) return;
        const { uid, resourceVersion } = version.metadata;
        const preconditions = { uid, resourceVersion };
        await (status
          ? client.update(StorageVersion, { ...version, status }, { subresource: "status", signal })
          : ignoreNotFound(client.delete(StorageVersion, { name }, { preconditions, signal })));
      },
    });

    const enqueue = (version: StorageVersion): void => {
      const lease = (name: string) => leases.get({ namespace, name });
      const isComplete = serversOf(version).every((server) => isOfServer(lease(server)));
      if (!isComplete) queue.add(version.metadata.name ?? "");
    };
    ctx.onSynced(() => {
      versions.addHandler({ added: enqueue, updated: enqueue });
      leases.addHandler({
        deleted({ metadata }) {
          if (metadata.namespace !== namespace) return;
          for (const version of versions.byIndex(byServer, metadata.name ?? ""))
            queue.add(version.metadata.name ?? "");
        },
      });
    });
  },
});

const serversOf = ({ status }: StorageVersion): string[] =>
  (status.storageVersions ?? []).map(({ apiServerID = "" }) => apiServerID);

const isOfServer = (lease: Lease | undefined): boolean =>
  lease?.metadata.labels?.["apiserver.kubernetes.io/identity"] === "kube-apiserver";
