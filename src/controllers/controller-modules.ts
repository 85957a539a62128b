import type { ControllerModule } from "./controller-module.ts";
import { garbageCollector } from "./garbagecollector/garbage-collector.ts";
import { namespaceController } from "./namespace/namespace-controller.ts";
import { replicaSetController } from "./replicaset/replica-set-controller.ts";
import { rootCaController } from "./rootca/root-ca-controller.ts";
import { serviceAccountController } from "./serviceaccount/service-account-controller.ts";

/** All controllers that there are, by name. */
export const controllerModules: readonly ControllerModule[] = [
  {
    name: "garbage-collector-controller",
    aliases: ["garbagecollector"],
    account: "generic-garbage-collector",
    parts: ({ enableGarbageCollector, concurrentGarbageCollectorSyncs }) =>
      enableGarbageCollector ? garbageCollector(concurrentGarbageCollectorSyncs) : undefined,
  },
  {
    name: "namespace-controller",
    aliases: ["namespace"],
    parts: ({ concurrentNamespaceSyncs: concurrency, namespaceSyncPeriodMs: resyncMs }) => ({
      runnables: [namespaceController({ concurrency, resyncMs })],
    }),
  },
  {
    name: "replicaset-controller",
    aliases: ["replicaset"],
    parts: ({ concurrentReplicaSetSyncs: concurrency }) => ({
      controllers: [{ ...replicaSetController, concurrency }],
    }),
  },
  {
    name: "root-ca-certificate-publisher-controller",
    aliases: ["root-ca-cert-publisher"],
    account: "root-ca-cert-publisher",
    parts: ({ rootCa }) =>
      rootCa === "" ? undefined : { controllers: [rootCaController(rootCa)] },
  },
  {
    name: "serviceaccount-controller",
    aliases: ["serviceaccount"],
    account: "service-account-controller",
    parts: () => ({ controllers: [serviceAccountController] }),
  },
];
