import { controllerModule } from "../controller-module.ts";
import { durationSetting } from "../controller-setting.ts";
import { legacyTokenCleanerController } from "./legacy-token-cleaner-controller.ts";

const yearMs = 365 * 24 * 3_600_000;

export const legacyTokenCleanerModule = controllerModule({
  name: "legacy-serviceaccount-token-cleaner-controller",
  aliases: ["legacy-service-account-token-cleaner"],
  account: "legacy-service-account-token-cleaner",
  settings: {
    cleanUpPeriod: durationSetting({
      flag: "legacy-service-account-token-clean-up-period",
      field: "LegacySATokenCleaner.CleanUpPeriod",
      usage: "for how long an unused auto-generated token is kept",
      default: yearMs,
    }),
  },
  create: (settings) => ({ run: [legacyTokenCleanerController(settings)] }),
});
