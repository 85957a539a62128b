import { controllerModule } from "../controller-module.ts";
import { bootstrapSignerController } from "./bootstrap-signer-controller.ts";

export const bootstrapSignerModule = controllerModule({
  name: "bootstrap-signer-controller",
  aliases: ["bootstrapsigner"],
  account: "bootstrap-signer",
  isOffByDefault: true,
  create: (_, { hmacSha256 }) => hmacSha256 && { run: [bootstrapSignerController(hmacSha256)] },
});
