import { controllerModule } from "../controller-module.ts";
import { serviceCidrController } from "./service-cidr-controller.ts";

export const serviceCidrModule = controllerModule({
  name: "service-cidr-controller",
  account: "service-cidrs-controller",
  create: () => ({ run: [serviceCidrController] }),
});
