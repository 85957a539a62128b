import { Namespace } from "../../../api/core/v1/namespace.ts";
import { notFoundAt } from "../../objects/address.ts";
import { addressOf } from "../../objects/reader.ts";
import type { AdmissionPlugin } from "../admission.ts";
import type { PluginSetup } from "../plugins.ts";

/** Namespaced objects are written and deleted only while their namespace exists. */
export function namespaceExists({ reader }: Pick<PluginSetup, "reader">): AdmissionPlugin {
  return {
    name: "NamespaceExists",
    operations: ["CREATE", "UPDATE", "DELETE"],

    async validate({ address: { kind, namespace: name } }) {
      if (kind.scope !== "Namespaced" || !reader.serves(Namespace)) return;
      if (await reader.get(Namespace, { name })) return;
      throw notFoundAt(addressOf(Namespace, { name }));
    },
  };
}
