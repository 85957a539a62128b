import { controllerModule } from "../controller-module.ts";
import { pvcProtectionController } from "./pvc-protection-controller.ts";

export const pvcProtectionModule = controllerModule({
  name: "persistentvolumeclaim-protection-controller",
  aliases: ["pvc-protection"],
  account: "pvc-protection-controller",
  create: () => ({ run: [pvcProtectionController] }),
});
