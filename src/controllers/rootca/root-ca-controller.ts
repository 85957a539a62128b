import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { withChanges } from "../../client/with-changes.ts";
import type { ChangingValue } from "../../controller-runtime/reconcile/changing-value.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import type { Controller } from "../../controller-runtime/reconcile/controller-definition.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import { isNamespaceGoing } from "../namespace-going.ts";

const name = "kube-root-ca.crt";
const descriptionKey = "kubernetes.io/description";
const description =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/** Publishes the certificates with which pods verify the API server in every namespace, even if there are none. */
export function rootCaController(rootCa: ChangingValue<string>): Controller {
  const annotations = { [descriptionKey]: description };
  return controller({
    name: "root-ca-certificate-publisher-controller",
    for: Namespace,
    dependsOn: rootCa,
    watches: [
      {
        kind: ConfigMap,
        predicates: [({ type, object }) => type !== "added" && object.metadata.name === name],
        map: ({ metadata }) => [{ name: metadata.namespace ?? "" }],
      },
    ],

    async reconcile({ name: namespace }, { cache, client, signal }) {
      if (!(await cache.get(Namespace, { name: namespace }))) return;
      const data = { "ca.crt": rootCa.current };
      const there = await cache.get(ConfigMap, { namespace, name });
      if (!there) {
        try {
          const metadata = { name, namespace, annotations };
          await client.create(ConfigMap, { metadata, data }, { signal });
        } catch (error) {
          if (!StatusError.is(error, "NotFound") && !isNamespaceGoing(error)) throw error;
        }
        return;
      }
      const isDescribed = (there.metadata.annotations?.[descriptionKey] ?? "") !== "";
      if (isDescribed && sameJson(there.data ?? {}, data)) return;
      const changed = withChanges(there, (draft) => {
        draft.data = data;
        draft.metadata.annotations = { ...draft.metadata.annotations, ...annotations };
      });
      await client.update(ConfigMap, changed, { signal });
    },
  });
}
