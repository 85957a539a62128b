import { controllerModule } from "../controller-module.ts";
import { durationSetting, intSetting } from "../controller-setting.ts";
import { endpointSliceController } from "./endpoint-slice-controller.ts";

export const endpointSliceModule = controllerModule({
  name: "endpointslice-controller",
  aliases: ["endpointslice"],
  settings: {
    concurrency: intSetting({
      flag: "concurrent-service-endpoint-syncs",
      field: "EndpointSliceController.ConcurrentServiceEndpointSyncs",
      usage: "how many services' slices are worked on at a time, 1 to 50",
      default: 5,
      range: [1, 50],
    }),
    capacity: intSetting({
      flag: "max-endpoints-per-slice",
      field: "EndpointSliceController.MaxEndpointsPerSlice",
      usage: "how many endpoints a slice holds at most, 1 to 1000",
      default: 100,
      range: [1, 1000],
    }),
    batchMs: durationSetting({
      flag: "endpointslice-updates-batch-period",
      field: "EndpointSliceController.EndpointUpdatesBatchPeriod",
      usage: "how long changes of pods are collected before slices follow",
      default: 0,
    }),
  },
  create: (settings) => ({ run: [endpointSliceController(settings)] }),
});
