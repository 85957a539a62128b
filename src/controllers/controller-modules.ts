import type { ControllerModule } from "./controller-module.ts";
import { disruptionController } from "./disruption/disruption-controller.ts";
import { staleDisruptionController } from "./disruption/stale-disruption-controller.ts";
import { endpointsController } from "./endpoints/endpoints-controller.ts";
import { endpointSliceController } from "./endpointslice/endpoint-slice-controller.ts";
import {
  defaultMirroring,
  endpointSliceMirroringController,
} from "./endpointslicemirroring/endpoint-slice-mirroring-controller.ts";
import { replicaSetController } from "./replicaset/replica-set-controller.ts";
import { rootCaController } from "./rootca/root-ca-controller.ts";
import { serviceAccountController } from "./serviceaccount/service-account-controller.ts";

/** All controllers that there are, by name. */
export const controllerModules: readonly ControllerModule[] = [
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
    parts: () => ({ controllers: [endpointSliceMirroringController(defaultMirroring)] }),
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
