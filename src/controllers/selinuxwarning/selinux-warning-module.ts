import { controllerModule } from "../controller-module.ts";
import { seLinuxWarningController } from "./selinux-warning-controller.ts";

export const seLinuxWarningModule = controllerModule({
  name: "selinux-warning-controller",
  isOffByDefault: true,
  create: () => ({ run: [seLinuxWarningController] }),
});
