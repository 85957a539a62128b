import { controllerModule } from "../controller-module.ts";
import { boolSetting, durationSetting } from "../controller-setting.ts";
import { claimBinder } from "./claim-binder.ts";
import { volumeBinder } from "./volume-binder.ts";

export const persistentVolumeBinderModule = controllerModule({
  name: "persistentvolume-binder-controller",
  aliases: ["persistentvolume-binder"],
  account: "persistent-volume-binder",
  settings: {
    resyncMs: durationSetting({
      flag: "pvclaimbinder-sync-period",
      field: "PersistentVolumeBinderController.PVClaimBinderSyncPeriod",
      usage: "how often claims without a volume are reconciled",
      default: 15_000,
    }),
    provisions: boolSetting({
      flag: "enable-dynamic-provisioning",
      field: "PersistentVolumeBinderController.VolumeConfiguration.EnableDynamicProvisioning",
      usage: "whether to provision volumes for claims",
      default: true,
    }),
  },
  create: (settings) => ({ run: [claimBinder(settings), volumeBinder] }),
});
