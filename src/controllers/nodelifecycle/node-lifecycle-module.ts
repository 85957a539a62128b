import { controllerModule } from "../controller-module.ts";
import { nodeLifecycleController } from "./node-lifecycle-controller.ts";
import { nodeLifecycleSettings } from "./node-lifecycle-settings.ts";

export const nodeLifecycleModule = controllerModule({
  name: "node-lifecycle-controller",
  aliases: ["nodelifecycle"],
  account: "node-controller",
  settings: nodeLifecycleSettings,
  create: (settings) => ({ run: [nodeLifecycleController(settings)] }),
});
