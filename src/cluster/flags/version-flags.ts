import { stringsFlag } from "../../cli/flag.ts";
import { featureGatesFlag } from "./feature-gates-flag.ts";
import { only } from "./server-flag.ts";

/** Which features a server has: those of one version. */
export const versionFlags = {
  "feature-gates": featureGatesFlag,
  "emulated-version": only(
    [[], ["1.36"], ["kube=1.36"]] as readonly (readonly string[])[],
    { because: "this is version 1.36, and no other" },
    stringsFlag({ usage: "the version whose features are offered" }),
  ),
  "min-compatibility-version": only(
    [[], ["1.35"], ["kube=1.35"]] as readonly (readonly string[])[],
    { because: "what is stored can be read by version 1.35 and later" },
    stringsFlag({ usage: "the oldest version that works together with this one" }),
  ),
};
