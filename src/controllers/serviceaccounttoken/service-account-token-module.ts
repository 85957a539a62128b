import { controllerModule } from "../controller-module.ts";
import { intSetting } from "../controller-setting.ts";
import { serviceAccountTokenController } from "./service-account-token-controller.ts";

export const serviceAccountTokenModule = controllerModule({
  name: "serviceaccount-token-controller",
  aliases: ["serviceaccount-token"],
  account: "",
  settings: {
    concurrency: intSetting({
      flag: "concurrent-serviceaccount-token-syncs",
      field: "SAController.ConcurrentSATokenSyncs",
      usage: "how many tokens kept in secrets are worked on at a time",
      default: 5,
      section: "Serviceaccount-controller",
    }),
  },
  create: (_, { tokenSigner: signer, rootCa }) =>
    signer && { run: [serviceAccountTokenController({ signer, rootCa })] },
});
