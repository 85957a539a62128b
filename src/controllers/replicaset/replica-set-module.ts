import { controllerModule } from "../controller-module.ts";
import { intSetting } from "../controller-setting.ts";
import { replicaSetController } from "./replica-set-controller.ts";

export const replicaSetModule = controllerModule({
  name: "replicaset-controller",
  aliases: ["replicaset"],
  settings: {
    concurrency: intSetting({
      flag: "concurrent-replicaset-syncs",
      field: "ReplicaSetController.ConcurrentRSSyncs",
      usage: "how many replica sets are worked on at a time",
      default: 5,
    }),
  },
  create: () => ({ run: [replicaSetController] }),
});
