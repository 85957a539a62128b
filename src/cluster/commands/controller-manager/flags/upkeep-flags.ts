import { stringFlag } from "../../../../cli/flag.ts";
import { section } from "../../../flags/server-flag.ts";
import { shownAt } from "./controller-flag.ts";

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
