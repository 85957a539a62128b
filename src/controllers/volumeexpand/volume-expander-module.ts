import { controllerModule } from "../controller-module.ts";
import { volumeExpander } from "./volume-expander.ts";

export const volumeExpanderModule = controllerModule({
  name: "persistentvolume-expander-controller",
  aliases: ["persistentvolume-expander"],
  account: "expand-controller",
  create: () => ({ run: [volumeExpander] }),
});
