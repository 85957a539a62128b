import { controllerModule } from "../controller-module.ts";
import { taintEvictionController } from "./taint-eviction-controller.ts";

export const taintEvictionModule = controllerModule({
  name: "taint-eviction-controller",
  account: "node-controller",
  create: () => ({ run: [taintEvictionController] }),
});
