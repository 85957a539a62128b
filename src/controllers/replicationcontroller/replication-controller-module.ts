import { controllerModule } from "../controller-module.ts";
import { intSetting } from "../controller-setting.ts";
import { replicationController } from "./replication-controller.ts";

export const replicationControllerModule = controllerModule({
  name: "replicationcontroller-controller",
  aliases: ["replicationcontroller"],
  account: "replication-controller",
  settings: {
    concurrency: intSetting({
      flag: "concurrent-rc-syncs",
      field: "ReplicationController.ConcurrentRCSyncs",
      usage: "how many replication controllers are worked on at a time",
      default: 5,
    }),
  },
  create: () => ({ run: [replicationController] }),
});
