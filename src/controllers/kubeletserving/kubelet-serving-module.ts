import { controllerModule } from "../controller-module.ts";
import { kubeletServingController } from "./kubelet-serving-controller.ts";

export const kubeletServingModule = controllerModule({
  name: "kubelet-serving-approving-controller",
  account: "kubelet-serving-approver",
  isOffByDefault: true,
  create: () => ({ run: [kubeletServingController] }),
});
