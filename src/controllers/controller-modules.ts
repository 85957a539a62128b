import type { ControllerModule } from "./controller-module.ts";
import { replicaSetController } from "./replicaset/replica-set-controller.ts";
import { resourceQuotaController } from "./resourcequota/resource-quota-controller.ts";
import { rootCaController } from "./rootca/root-ca-controller.ts";
import { serviceAccountController } from "./serviceaccount/service-account-controller.ts";

/** All controllers that there are, by name. */
export const controllerModules: readonly ControllerModule[] = [
  {
    name: "replicaset-controller",
    aliases: ["replicaset"],
    parts: ({ concurrentReplicaSetSyncs: concurrency }) => ({
      controllers: [{ ...replicaSetController, concurrency }],
    }),
  },
  {
    name: "resourcequota-controller",
    aliases: ["resourcequota"],
    parts: ({
      concurrentResourceQuotaSyncs: concurrency,
      resourceQuotaSyncPeriodMs: resyncMs,
    }) => ({
      runnables: [resourceQuotaController({ concurrency, resyncMs })],
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
