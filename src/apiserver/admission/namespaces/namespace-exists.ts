import { read } from "../../objects/registry.ts";
import type { Resources } from "../../objects/resources.ts";
import type { AdmissionPlugin } from "../admission.ts";
import type { Cluster } from "../plugins.ts";

/** What is in a namespace is written and deleted only while the namespace exists. */
export function namespaceExists(cluster: Cluster, resources: Resources): AdmissionPlugin {
  return {
    name: "NamespaceExists",
    operations: ["CREATE", "UPDATE", "DELETE"],

    async validate({ address }) {
      const kind = resources.find("", "v1", "namespaces");
      if (address.kind.scope !== "Namespaced" || !kind) return;
      await read(cluster(), { kind, namespace: "", name: address.namespace });
    },
  };
}
