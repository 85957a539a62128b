import { controllerModule } from "../controller-module.ts";
import { rootCaController } from "./root-ca-controller.ts";

export const rootCaModule = controllerModule({
  name: "root-ca-certificate-publisher-controller",
  aliases: ["root-ca-cert-publisher"],
  account: "root-ca-cert-publisher",
  create: (_, { rootCa }) => ({ run: [rootCaController(rootCa)] }),
});
