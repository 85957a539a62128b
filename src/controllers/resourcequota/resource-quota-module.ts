import { controllerModule } from "../controller-module.ts";
import { durationSetting, intSetting } from "../controller-setting.ts";
import { resourceQuotaController } from "./resource-quota-controller.ts";

export const resourceQuotaModule = controllerModule({
  name: "resourcequota-controller",
  aliases: ["resourcequota"],
  settings: {
    concurrency: intSetting({
      flag: "concurrent-resource-quota-syncs",
      field: "ResourceQuotaController.ConcurrentResourceQuotaSyncs",
      usage: "how many quotas are worked on at a time",
      default: 5,
    }),
    resyncMs: durationSetting({
      flag: "resource-quota-sync-period",
      field: "ResourceQuotaController.ResourceQuotaSyncPeriod",
      usage: "how often the use of all quotas is counted anew",
      default: 5 * 60_000,
    }),
  },
  create: (settings) => ({ run: [resourceQuotaController(settings)] }),
});
