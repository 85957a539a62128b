import { controllerModule } from "../controller-module.ts";
import { intSetting } from "../controller-setting.ts";
import { deviceTaintEvictionController } from "./device-taint-eviction-controller.ts";

export const deviceTaintEvictionModule = controllerModule({
  name: "device-taint-eviction-controller",
  settings: {
    concurrency: intSetting({
      flag: "concurrent-device-taint-eviction-syncs",
      field: "DeviceTaintEvictionController.ConcurrentSyncs",
      usage: "how many pods are evicted at a time",
      default: 8,
    }),
  },
  create: ({ concurrency }, { features }) => ({
    run: [
      deviceTaintEvictionController({
        workers: concurrency,
        heedsRules: features.has("DRADeviceTaintRules"),
      }),
    ],
  }),
});
