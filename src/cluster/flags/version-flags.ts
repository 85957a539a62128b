import { stringsFlag } from "../../cli/flag.ts";
import { featureGatesFlag } from "./feature-gates-flag.ts";
import { only } from "./server-flag.ts";

/** The flags for feature gates and emulated versions. */
export const versionFlags = {
  "feature-gates": featureGatesFlag,
  "emulated-version": only(
    [[], ["1.36"], ["kube=1.36"]] as readonly (readonly string[])[],
    {
      because:
        "kinds, fields and defaults are those of 1.36 alone, so that no older version can be emulated",
    },
    stringsFlag({ usage: "the version to emulate" }),
  ),
  "min-compatibility-version": only(
    [[], ["1.35"], ["kube=1.35"]] as readonly (readonly string[])[],
    { because: "stored objects are compatible with version 1.35 and later" },
    stringsFlag({ usage: "the oldest version to be compatible with" }),
  ),
};
