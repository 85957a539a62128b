import { controllerModule } from "../controller-module.ts";
import { csrCleanerController } from "./csr-cleaner-controller.ts";

export const csrCleanerModule = controllerModule({
  name: "certificatesigningrequest-cleaner-controller",
  aliases: ["csrcleaner"],
  account: "certificate-controller",
  create: () => ({ run: [csrCleanerController] }),
});
