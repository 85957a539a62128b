import { forbidden, notFound, StatusError } from "../../../api/meta/v1/status-error.ts";
import { findKnown, resourceName } from "../../objects/registry.ts";
import type { Resources } from "../../objects/resources.ts";
import type { AdmissionPlugin } from "../admission.ts";
import type { Cluster } from "../plugins.ts";
import { refusal } from "../refusal.ts";

const immortal = ["default", "kube-system", "kube-public"];

/** Objects live in namespaces that exist; nothing new comes into one that ends. */
export function namespaceLifecycle(cluster: Cluster, resources: Resources): AdmissionPlugin {
  return {
    name: "NamespaceLifecycle",
    operations: ["CREATE", "UPDATE", "DELETE"],

    async admit(attributes) {
      const { operation, address } = attributes;
      const { kind, namespace } = address;
      if (operation === "DELETE") {
        const isNamespace = kind.plural === "namespaces" && kind.group === "";
        if (isNamespace && immortal.includes(address.name))
          throw forbidden(resourceName(address), "this namespace may not be deleted");
        return;
      }
      // What is said of a namespace in a review would tell who asks whether there is one.
      if (kind.scope !== "Namespaced" || isAccessReview(kind)) return;
      const namespaces = resources.find("", "v1", "namespaces");
      if (!namespaces) return;
      const found = await findKnown(cluster(), {
        kind: namespaces,
        namespace: "",
        name: namespace,
      });
      if (!found) throw notFound({ group: "", resource: "namespaces", name: namespace });
      const { phase } = (found.object.status ?? {}) as { phase?: string };
      if (operation === "CREATE" && phase === "Terminating") {
        const error = refusal(
          attributes,
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

const isAccessReview = ({ group, plural }: { readonly group: string; readonly plural: string }) =>
  group === "authorization.k8s.io" && plural === "localsubjectaccessreviews";
