import { Namespace } from "../../../api/core/v1/namespace.ts";
import { StatusError } from "../../../api/meta/v1/status-error.ts";
import type { AdmissionPlugin } from "../admission.ts";
import type { PluginSetup } from "../plugins.ts";
import { rejection } from "../rejection.ts";

/** Creates the namespace of an object that is created in one that does not exist. */
export function namespaceAutoProvision({
  reader,
  createNamespace,
}: Pick<PluginSetup, "reader" | "createNamespace">): AdmissionPlugin {
  return {
    name: "NamespaceAutoProvision",
    operations: ["CREATE"],

    async admit(attributes) {
      const { address, context } = attributes;
      const name = address.namespace;
      if (context.dryRun || address.kind.scope !== "Namespaced" || !reader.serves(Namespace))
        return;
      if (await reader.get(Namespace, { name })) return;
      try {
        // The server creates it as itself: the caller may not be allowed to create namespaces.
        await createNamespace(name);
      } catch (error) {
        if (StatusError.is(error, "AlreadyExists")) return;
        if (!(error instanceof StatusError) || error.reason === "Forbidden") throw error;
        throw rejection(attributes, error.message);
      }
    },
  };
}
