import { StatusError } from "../../../api/meta/v1/status-error.ts";
import type { ObjectDraft } from "../../objects/object.ts";
import { find } from "../../objects/registry.ts";
import type { Resources } from "../../objects/resources.ts";
import { serverContext } from "../../server-context.ts";
import { create } from "../../verbs/create.ts";
import type { AdmissionPlugin } from "../admission.ts";
import type { Cluster } from "../plugins.ts";
import { refusal } from "../refusal.ts";

/** A namespace comes to be with the first object in it. */
export function namespaceAutoProvision(cluster: Cluster, resources: Resources): AdmissionPlugin {
  return {
    name: "NamespaceAutoProvision",
    operations: ["CREATE"],

    async admit(attributes) {
      const { address, context } = attributes;
      const kind = resources.find("", "v1", "namespaces");
      if (context.dryRun || address.kind.scope !== "Namespaced" || !kind) return;
      const name = address.namespace;
      if (await find(cluster(), { kind, namespace: "", name })) return;
      const draft: ObjectDraft = {
        kind: "Namespace",
        apiVersion: "v1",
        metadata: { name },
        spec: {},
      };
      try {
        // It is the server who creates it, and not whoever needs it.
        await create(cluster(), { kind, namespace: "" }, { draft, context: serverContext() });
      } catch (error) {
        if (StatusError.is(error, "AlreadyExists")) return;
        if (!(error instanceof StatusError) || error.reason === "Forbidden") throw error;
        throw refusal(attributes, error.message);
      }
    },
  };
}
