import type { ControllerModule } from "./controller-module.ts";
import { deploymentController } from "./deployment/deployment-controller.ts";
import { disruptionController } from "./disruption/disruption-controller.ts";
import { staleDisruptionController } from "./disruption/stale-disruption-controller.ts";
import { endpointsController } from "./endpoints/endpoints-controller.ts";
import { endpointSliceController } from "./endpointslice/endpoint-slice-controller.ts";
import { endpointSliceMirroringController } from "./endpointslicemirroring/endpoint-slice-mirroring-controller.ts";
import { garbageCollector } from "./garbagecollector/garbage-collector.ts";
import { namespaceController } from "./namespace/namespace-controller.ts";
import { nodeLifecycleController } from "./nodelifecycle/node-lifecycle-controller.ts";
import { podGcController } from "./podgc/pod-gc-controller.ts";
import { replicaSetController } from "./replicaset/replica-set-controller.ts";
import { resourceQuotaController } from "./resourcequota/resource-quota-controller.ts";
import { rootCaController } from "./rootca/root-ca-controller.ts";
import { serviceAccountController } from "./serviceaccount/service-account-controller.ts";
import { serviceAccountTokenController } from "./serviceaccounttoken/service-account-token-controller.ts";
import { taintEvictionController } from "./tainteviction/taint-eviction-controller.ts";
import { ttlController } from "./ttl/ttl-controller.ts";

/** All controllers that there are, by name. */
export const controllerModules: readonly ControllerModule[] = [
  {
    name: "deployment-controller",
    aliases: ["deployment"],
    parts: ({ concurrentDeploymentSyncs: concurrency }) => ({
      controllers: [{ ...deploymentController, concurrency }],
    }),
  },
  {
    name: "disruption-controller",
    aliases: ["disruption"],
    parts: () => ({ controllers: [disruptionController(), staleDisruptionController] }),
  },
  {
    name: "endpoints-controller",
    aliases: ["endpoint"],
    account: "endpoint-controller",
    parts: (settings) => ({ controllers: [endpointsController(settings)] }),
  },
  {
    name: "endpointslice-controller",
    aliases: ["endpointslice"],
    parts: (settings) => ({ controllers: [endpointSliceController(settings)] }),
  },
  {
    name: "endpointslice-mirroring-controller",
    aliases: ["endpointslicemirroring"],
    account: "endpointslicemirroring-controller",
    parts: (settings) => ({ controllers: [endpointSliceMirroringController(settings)] }),
  },
  {
    name: "garbage-collector-controller",
    aliases: ["garbagecollector"],
    account: "generic-garbage-collector",
    calls: { qps: 2, burst: 1 },
    parts: ({ enableGarbageCollector, concurrentGarbageCollectorSyncs }) =>
      enableGarbageCollector ? garbageCollector(concurrentGarbageCollectorSyncs) : undefined,
  },
  {
    name: "namespace-controller",
    aliases: ["namespace"],
    calls: { qps: 20, burst: 100 },
    parts: ({ concurrentNamespaceSyncs: concurrency, namespaceSyncPeriodMs: resyncMs }) => ({
      runnables: [namespaceController({ concurrency, resyncMs })],
    }),
  },
  {
    name: "node-lifecycle-controller",
    aliases: ["nodelifecycle"],
    account: "node-controller",
    parts: (settings) => ({ runnables: [nodeLifecycleController(settings)] }),
  },
  {
    name: "pod-garbage-collector-controller",
    aliases: ["podgc"],
    account: "pod-garbage-collector",
    parts: (settings) => ({ runnables: [podGcController(settings)] }),
  },
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
  {
    name: "serviceaccount-token-controller",
    aliases: ["serviceaccount-token"],
    account: "",
    parts: ({ tokenSigner: signer, rootCa, concurrentServiceAccountTokenSyncs: concurrency }) =>
      signer && {
        controllers: [serviceAccountTokenController({ signer, rootCa, concurrency })],
      },
  },
  {
    name: "taint-eviction-controller",
    account: "node-controller",
    parts: () => ({ runnables: [taintEvictionController] }),
  },
  {
    name: "ttl-controller",
    aliases: ["ttl"],
    parts: () => ({ controllers: [ttlController()] }),
  },
];
