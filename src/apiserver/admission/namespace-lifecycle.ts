import { forbidden, notFound, StatusError } from "../../api/meta/v1/status-error.ts";
import { find, resourceName } from "../registry.ts";
import type { Resources } from "../resources.ts";
import type { AdmissionPlugin } from "./admission.ts";
import type { Cluster } from "./plugins.ts";

const immortal = ["default", "kube-system", "kube-public"];

/** Objects live in namespaces that exist; nothing new comes into one that ends. */
export function namespaceLifecycle(cluster: Cluster, resources: Resources): AdmissionPlugin {
  return {
    name: "NamespaceLifecycle",

    validate({ operation, address }) {
      if (
        operation !== "DELETE" ||
        address.kind.plural !== "namespaces" ||
        address.kind.group !== ""
      )
        return;
      if (immortal.includes(address.name))
        throw forbidden(resourceName(address), "this namespace may not be deleted");
    },

    async admit({ operation, address }) {
      const { kind, namespace } = address;
      if (operation === "DELETE" || operation === "CONNECT" || kind.scope !== "Namespaced") return;
      const namespaces = resources.find("", "v1", "namespaces");
      if (!namespaces) return;
      const found = await find(cluster(), { kind: namespaces, namespace: "", name: namespace });
      if (!found) throw notFound({ group: "", resource: "namespaces", name: namespace });
      const { phase } = (found.object.status ?? {}) as { phase?: string };
      if (operation === "CREATE" && phase === "Terminating") {
        const error = forbidden(
          resourceName(address),
          `unable to create new content in namespace ${namespace} because it is being terminated`,
        );
        const cause = {
          reason: "NamespaceTerminating",
          message: `namespace ${namespace} is being terminated`,
          field: "metadata.namespace",
        };
        throw new StatusError("Forbidden", error.message, {
          details: { ...error.details, causes: [cause] },
        });
      }
    },
  };
}
