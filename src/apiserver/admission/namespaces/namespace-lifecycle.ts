import { Namespace } from "../../../api/core/v1/namespace.ts";
import { forbidden, notFound, StatusError } from "../../../api/meta/v1/status-error.ts";
import { resourceName } from "../../objects/address.ts";
import type { AdmissionPlugin } from "../admission.ts";
import { rejection } from "../rejection.ts";

const immortal = ["default", "kube-system", "kube-public"];

/** Knows the namespaces of a cluster. */
export interface NamespaceReader {
  /** Whether there are namespaces. */
  serves(kind: typeof Namespace): boolean;
  getCachedFirst(
    kind: typeof Namespace,
    key: { readonly name: string },
  ): Promise<Namespace | undefined>;
}

/** Objects are written only in namespaces that exist, and created only in those that are not being deleted. */
export function namespaceLifecycle({
  reader,
}: {
  readonly reader: NamespaceReader;
}): AdmissionPlugin {
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
      // An access review must not reveal whether a namespace exists.
      if (kind.scope !== "Namespaced" || isAccessReview(kind)) return;
      if (!reader.serves(Namespace)) return;
      const found = await reader.getCachedFirst(Namespace, { name: namespace });
      if (!found) throw notFound({ group: "", resource: "namespaces", name: namespace });
      if (operation === "CREATE" && found.status?.phase === "Terminating") {
        const error = rejection(
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
