import { boolFlag } from "../../../cli/flag.ts";

export const allNamespacesFlags = {
  "all-namespaces": boolFlag({
    short: "A",
    usage:
      "If present, list the requested objects across all namespaces. The namespace of the context and --namespace are ignored.",
  }),
};
