import { controllerModule } from "../controller-module.ts";
import { vacProtectionController } from "./vac-protection-controller.ts";

export const vacProtectionModule = controllerModule({
  name: "volumeattributesclass-protection-controller",
  create: () => ({ run: [vacProtectionController] }),
});
