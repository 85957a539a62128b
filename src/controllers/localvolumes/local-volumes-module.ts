import { controllerModule } from "../controller-module.ts";
import { localProvisioner } from "./local-provisioner.ts";
import { localReclaimer } from "./local-reclaimer.ts";

export const localVolumesModule = controllerModule({
  name: "local-volume-provisioner-controller",
  account: "local-volume-provisioner",
  isOffByDefault: true,
  create: () => ({ run: [localProvisioner, localReclaimer] }),
});
