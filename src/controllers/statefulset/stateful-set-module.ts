import { controllerModule } from "../controller-module.ts";
import { intSetting } from "../controller-setting.ts";
import { statefulSetController } from "./stateful-set-controller.ts";

export const statefulSetModule = controllerModule({
  name: "statefulset-controller",
  aliases: ["statefulset"],
  settings: {
    concurrency: intSetting({
      flag: "concurrent-statefulset-syncs",
      field: "StatefulSetController.ConcurrentStatefulSetSyncs",
      usage: "how many stateful sets are worked on at a time",
      default: 5,
    }),
  },
  create: (_, { features }) => ({
    run: [
      statefulSetController({ heedsMaxUnavailable: features.has("MaxUnavailableStatefulSet") }),
    ],
  }),
});
