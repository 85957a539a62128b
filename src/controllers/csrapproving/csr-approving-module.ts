import { controllerModule } from "../controller-module.ts";
import { csrApprovingController } from "./csr-approving-controller.ts";

export const csrApprovingModule = controllerModule({
  name: "certificatesigningrequest-approving-controller",
  aliases: ["csrapproving"],
  account: "certificate-controller",
  create: () => ({ run: [csrApprovingController] }),
});
