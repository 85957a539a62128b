import { controllerModule } from "../controller-module.ts";
import { boolSetting, intSetting } from "../controller-setting.ts";
import { garbageCollector } from "./garbage-collector.ts";

export const garbageCollectorModule = controllerModule({
  name: "garbage-collector-controller",
  aliases: ["garbagecollector"],
  account: "generic-garbage-collector",
  rateLimit: { qps: 2, burst: 1 },
  settings: {
    concurrency: intSetting({
      flag: "concurrent-gc-syncs",
      field: "GarbageCollectorController.ConcurrentGCSyncs",
      usage: "how many objects the garbage collector works on at a time",
      default: 20,
    }),
    isEnabled: boolSetting({
      flag: "enable-garbage-collector",
      field: "GarbageCollectorController.EnableGarbageCollector",
      usage: "whether objects are deleted whose owners are gone",
      default: true,
    }),
  },
  create({ concurrency, isEnabled }) {
    if (!isEnabled) return undefined;
    const { runnable, debug } = garbageCollector({ concurrency });
    return { run: [runnable], debug };
  },
});
