import { controllerModule } from "../controller-module.ts";
import { ttlController } from "./ttl-controller.ts";

export const ttlModule = controllerModule({
  name: "ttl-controller",
  aliases: ["ttl"],
  create: () => ({ run: [ttlController()] }),
});
