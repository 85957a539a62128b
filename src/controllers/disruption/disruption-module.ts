import { controllerModule } from "../controller-module.ts";
import { disruptionController } from "./disruption-controller.ts";
import { staleDisruptionController } from "./stale-disruption-controller.ts";

export const disruptionModule = controllerModule({
  name: "disruption-controller",
  aliases: ["disruption"],
  create: () => ({ run: [disruptionController(), staleDisruptionController] }),
});
