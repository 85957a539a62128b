import { controllerModule } from "../controller-module.ts";
import { tokenCleanerController } from "./token-cleaner-controller.ts";

export const tokenCleanerModule = controllerModule({
  name: "token-cleaner-controller",
  aliases: ["tokencleaner"],
  account: "token-cleaner",
  isOffByDefault: true,
  create: () => ({ run: [tokenCleanerController] }),
});
