import { controllerModule } from "../controller-module.ts";
import { serviceAccountController } from "./service-account-controller.ts";

export const serviceAccountModule = controllerModule({
  name: "serviceaccount-controller",
  aliases: ["serviceaccount"],
  account: "service-account-controller",
  create: () => ({ run: [serviceAccountController] }),
});
