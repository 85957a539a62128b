import { controllerModule } from "../controller-module.ts";
import { intSetting } from "../controller-setting.ts";
import { ephemeralVolumeController } from "./ephemeral-volume-controller.ts";

export const ephemeralVolumeModule = controllerModule({
  name: "ephemeral-volume-controller",
  aliases: ["ephemeral-volume"],
  settings: {
    concurrency: intSetting({
      flag: "concurrent-ephemeralvolume-syncs",
      field: "EphemeralVolumeController.ConcurrentEphemeralVolumeSyncs",
      usage: "how many pods with ephemeral volumes are reconciled at a time",
      default: 5,
    }),
  },
  create: () => ({ run: [ephemeralVolumeController] }),
});
