import { controllerModule } from "../controller-module.ts";
import { durationSetting, intSetting } from "../controller-setting.ts";
import { namespaceController } from "./namespace-controller.ts";

export const namespaceModule = controllerModule({
  name: "namespace-controller",
  aliases: ["namespace"],
  rateLimit: { qps: 20, burst: 100 },
  settings: {
    concurrency: intSetting({
      flag: "concurrent-namespace-syncs",
      field: "NamespaceController.ConcurrentNamespaceSyncs",
      usage: "how many namespaces that are being deleted are worked on at a time",
      default: 10,
    }),
    resyncMs: durationSetting({
      flag: "namespace-sync-period",
      field: "NamespaceController.NamespaceSyncPeriod",
      usage: "how often all namespaces are worked on anew",
      default: 5 * 60_000,
    }),
  },
  create: (settings) => ({ run: [namespaceController(settings)] }),
});
