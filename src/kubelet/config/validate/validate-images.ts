import { quote } from "../../../schema/values/quote.ts";
import { imagePatternProblem } from "../image-pattern.ts";
import type { Validation } from "./validation.ts";

const policies = [
  "NeverVerify",
  "NeverVerifyPreloadedImages",
  "NeverVerifyAllowlistedImages",
  "AlwaysVerify",
];

/** Who may use images that are on the node already. */
export function validateImages({ config, features, invalid }: Validation): void {
  const { imagePullCredentialsVerificationPolicy: policy = "" } = config;
  const { preloadedImagesVerificationAllowlist: allowed = [] } = config;
  if (!features.has("KubeletEnsureSecretPulledImages")) {
    const given = {
      imagePullCredentialsVerificationPolicy: policy,
      preloadedImagesVerificationAllowlist: allowed,
    };
    for (const [name, { length }] of Object.entries(given))
      if (length > 0)
        invalid(
          `\`${name}\` must not be set if KubeletEnsureSecretPulledImages feature gate is not enabled`,
        );
    return;
  }
  if (!policies.includes(policy))
    invalid(
      `option ${quote(policy)} specified for imagePullCredentialsVerificationPolicy. Valid options are "NeverVerify", "NeverVerifyPreloadedImages", "NeverVerifyAllowlistedImages" or "AlwaysVerify"`,
    );
  if (allowed.length > 0 && policy !== "NeverVerifyAllowlistedImages") {
    invalid(
      'can\'t set `preloadedImagesVerificationAllowlist` if `imagePullCredentialsVertificationPolicy` is not "NeverVerifyAllowlistedImages"',
    );
    return;
  }
  for (const pattern of allowed) {
    const problem = imagePatternProblem(pattern);
    if (problem === undefined) continue;
    invalid(`invalid image pattern in \`preloadedImagesVerificationAllowlist\`: ${problem}`);
    return;
  }
}
