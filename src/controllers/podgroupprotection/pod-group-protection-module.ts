import { PodGroup } from "../../api/scheduling/v1alpha2/pod-group.ts";
import { controllerModule } from "../controller-module.ts";
import { whereServed } from "../where-served.ts";
import { podGroupProtectionController } from "./pod-group-protection-controller.ts";

export const podGroupProtectionModule = controllerModule({
  name: "podgroup-protection-controller",
  create: () => ({
    run: [
      whereServed({
        name: "podgroup-protection-controller",
        kinds: [PodGroup],
        create: () => podGroupProtectionController,
      }),
    ],
  }),
});
