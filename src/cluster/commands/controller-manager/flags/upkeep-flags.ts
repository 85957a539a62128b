import { intFlag, stringFlag } from "../../../../cli/flag.ts";
import { section } from "../../../flags/server-flag.ts";
import { absent, shownAt } from "./controller-flag.ts";

export const serviceAccountFlags = section("Serviceaccount-controller flags", {
  "root-ca-file": shownAt(
    "SAController.RootCAFile",
    stringFlag({
      usage:
        "the `FILE` with the CA certificates of the API server, published to pods in every namespace (default: those of the kubeconfig)",
    }),
  ),
  "service-account-private-key-file": shownAt(
    "SAController.ServiceAccountKeyFile",
    stringFlag({
      usage: "the `FILE` with the key that signs tokens in secrets; without it, none are created",
    }),
  ),
});

export const admissionPolicyFlags = section("Validatingadmissionpolicy-status-controller flags", {
  "concurrent-validating-admission-policy-status-syncs": absent(
    "validatingadmissionpolicy-status-controller",
    "ValidatingAdmissionPolicyStatusController.ConcurrentPolicySyncs",
    intFlag({ usage: "how many admission policies are checked at a time", default: 5 }),
  ),
});
