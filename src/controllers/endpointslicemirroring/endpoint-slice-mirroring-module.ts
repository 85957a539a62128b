import { controllerModule } from "../controller-module.ts";
import { durationSetting, intSetting } from "../controller-setting.ts";
import { endpointSliceMirroringController } from "./endpoint-slice-mirroring-controller.ts";

export const endpointSliceMirroringModule = controllerModule({
  name: "endpointslice-mirroring-controller",
  aliases: ["endpointslicemirroring"],
  account: "endpointslicemirroring-controller",
  settings: {
    concurrency: intSetting({
      flag: "mirroring-concurrent-service-endpoint-syncs",
      field: "EndpointSliceMirroringController.MirroringConcurrentServiceEndpointSyncs",
      usage: "how many Endpoints are mirrored at a time, 1 to 50",
      default: 5,
      range: [1, 50],
    }),
    capacity: intSetting({
      flag: "mirroring-max-endpoints-per-subset",
      field: "EndpointSliceMirroringController.MirroringMaxEndpointsPerSubset",
      usage: "how many endpoints of a subset are mirrored at most, 1 to 1000",
      default: 1000,
      range: [1, 1000],
    }),
    batchMs: durationSetting({
      flag: "mirroring-endpointslice-updates-batch-period",
      field: "EndpointSliceMirroringController.MirroringEndpointUpdatesBatchPeriod",
      usage: "how long changes are collected before slices follow",
      default: 0,
    }),
  },
  create: (settings) => ({ run: [endpointSliceMirroringController(settings)] }),
});
