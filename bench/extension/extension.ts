import { runParts } from "../run-parts.ts";
import { benchCustom } from "./extension-custom.ts";
import { benchDefinitions } from "./extension-definitions.ts";
import { benchPolicies } from "./extension-policies.ts";
import { benchRule } from "./extension-rule.ts";
import { benchWebhook } from "./extension-webhook.ts";

// npm run bench extension -- [PART…]: all parts, or those that are named.
await runParts({
  custom: benchCustom,
  definitions: benchDefinitions,
  rule: benchRule,
  policies: benchPolicies,
  webhook: benchWebhook,
});
