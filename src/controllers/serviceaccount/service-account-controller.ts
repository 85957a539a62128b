import { Namespace } from "../../api/core/v1/namespace.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import { isNamespaceGoing } from "../namespace-going.ts";

/** The service accounts of every namespace. */
const accounts = ["default"];

/** Creates the service accounts of every namespace, and creates them again after a deletion. */
export const serviceAccountController = controller({
  name: "serviceaccount-controller",
  for: Namespace,
  watches: [
    {
      kind: ServiceAccount,
      predicates: [({ type }) => type === "deleted"],
      map: ({ metadata }) => [{ name: metadata.namespace ?? "" }],
    },
  ],

  async reconcile({ name: namespace }, { cache, client, signal }) {
    const found = await cache.get(Namespace, { name: namespace });
    if (found?.status.phase !== "Active") return;
    const faults: unknown[] = [];
    for (const name of accounts) {
      if (await cache.get(ServiceAccount, { namespace, name })) continue;
      try {
        await client.create(ServiceAccount, { metadata: { name, namespace } }, { signal });
      } catch (error) {
        if (!StatusError.is(error, "AlreadyExists") && !isNamespaceGoing(error)) faults.push(error);
      }
    }
    if (faults.length > 0) throw faults[0];
  },
});
