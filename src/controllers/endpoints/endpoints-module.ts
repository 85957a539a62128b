import { controllerModule } from "../controller-module.ts";
import { durationSetting, intSetting } from "../controller-setting.ts";
import { endpointsController } from "./endpoints-controller.ts";

export const endpointsModule = controllerModule({
  name: "endpoints-controller",
  aliases: ["endpoint"],
  account: "endpoint-controller",
  settings: {
    concurrency: intSetting({
      flag: "concurrent-endpoint-syncs",
      field: "EndpointController.ConcurrentEndpointSyncs",
      usage: "how many services' Endpoints are worked on at a time",
      default: 5,
    }),
    batchMs: durationSetting({
      flag: "endpoint-updates-batch-period",
      field: "EndpointController.EndpointUpdatesBatchPeriod",
      usage: "how long changes of pods are collected before Endpoints follow",
      default: 0,
    }),
  },
  create: (settings) => ({ run: [endpointsController(settings)] }),
});
