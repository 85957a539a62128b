import { controllerModule } from "../controller-module.ts";
import { boolSetting } from "../controller-setting.ts";
import { attachDetachController } from "./attach-detach-controller.ts";

export const attachDetachModule = controllerModule({
  name: "persistentvolume-attach-detach-controller",
  aliases: ["attachdetach"],
  account: "attachdetach-controller",
  settings: {
    isForceDisabled: boolSetting({
      flag: "disable-force-detach-on-timeout",
      field: "AttachDetachController.disableForceDetachOnTimeout",
      usage: "whether to never force the detachment of volumes",
      default: false,
    }),
  },
  create: ({ isForceDisabled }) => ({
    run: [attachDetachController({ forcesOnTimeout: !isForceDisabled })],
  }),
});
