import { controllerModule } from "../controller-module.ts";
import { intSetting } from "../controller-setting.ts";
import { podGcController } from "./pod-gc-controller.ts";

export const podGcModule = controllerModule({
  name: "pod-garbage-collector-controller",
  aliases: ["podgc"],
  account: "pod-garbage-collector",
  settings: {
    terminatedPodThreshold: intSetting({
      flag: "terminated-pod-gc-threshold",
      field: "PodGCController.TerminatedPodGCThreshold",
      usage: "how many terminated pods are kept; any number if 0 or less",
      default: 12_500,
    }),
  },
  create: (settings) => ({ run: [podGcController(settings)] }),
});
