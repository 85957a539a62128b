import { controllerModule } from "../controller-module.ts";
import { pvProtectionController } from "./pv-protection-controller.ts";

export const pvProtectionModule = controllerModule({
  name: "persistentvolume-protection-controller",
  aliases: ["pv-protection"],
  account: "pv-protection-controller",
  create: () => ({ run: [pvProtectionController] }),
});
