import { controllerModule } from "../controller-module.ts";
import { intSetting } from "../controller-setting.ts";
import { claimReleaseController } from "./claim-release-controller.ts";
import { podClaimsController } from "./pod-claims-controller.ts";

export const resourceClaimModule = controllerModule({
  name: "resourceclaim-controller",
  aliases: ["resource-claim-controller"],
  account: "resource-claim-controller",
  settings: {
    concurrency: intSetting({
      flag: "concurrent-resourceclaim-syncs",
      field: "ResourceClaimController.ConcurrentSyncs",
      usage: "how many claims are reconciled at a time",
      default: 50,
    }),
  },
  create: () => ({ run: [podClaimsController, claimReleaseController] }),
});
