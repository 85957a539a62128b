import { controllerModule } from "../controller-module.ts";
import { intSetting } from "../controller-setting.ts";
import { ttlAfterFinishedController } from "./ttl-after-finished-controller.ts";

export const ttlAfterFinishedModule = controllerModule({
  name: "ttl-after-finished-controller",
  aliases: ["ttl-after-finished"],
  settings: {
    concurrency: intSetting({
      flag: "concurrent-ttl-after-finished-syncs",
      field: "TTLAfterFinishedController.ConcurrentTTLSyncs",
      usage: "how many jobs that have ended are reconciled at a time",
      default: 5,
    }),
  },
  create: () => ({ run: [ttlAfterFinishedController] }),
});
