import { controllerModule } from "../controller-module.ts";
import { intSetting } from "../controller-setting.ts";
import { daemonSetController } from "./daemon-set-controller.ts";

export const daemonSetModule = controllerModule({
  name: "daemonset-controller",
  aliases: ["daemonset"],
  account: "daemon-set-controller",
  settings: {
    concurrency: intSetting({
      flag: "concurrent-daemonset-syncs",
      field: "DaemonSetController.ConcurrentDaemonSetSyncs",
      usage: "how many daemon sets are worked on at a time",
      default: 2,
    }),
  },
  create: () => ({ run: [daemonSetController()] }),
});
