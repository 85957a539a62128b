import { ReplicaSet } from "../../../api/apps/v1/replica-set.ts";
import { StatefulSet } from "../../../api/apps/v1/stateful-set.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { ReplicationController } from "../../../api/core/v1/replication-controller.ts";
import { Service } from "../../../api/core/v1/service/service.ts";
import type { KubernetesObject, ResourceKind } from "../../../client/resource-kind.ts";
import { controllerOf } from "../../../controller-runtime/objects/owner-references.ts";
import {
  labelSelector,
  type Selector,
  selectorFromSet,
  selectorOf,
} from "../../../schema/selectors/label-selector.ts";
import type { Handle } from "../../framework/handle.ts";

/**
 * Returns the selector for the default constraints of a pod: that of its services and its controller
 * combined. Without any, the selector has no requirements.
 */
export function defaultSelectors(handle: Pick<Handle, "informer">): (pod: Pod) => Selector {
  const services = handle.informer(Service, { transform: justSelector });
  const controllers = handle.informer(ReplicationController, { transform: justSelector });
  const replicaSets = handle.informer(ReplicaSet, { transform: justSelector });
  const statefulSets = handle.informer(StatefulSet, { transform: justSelector });

  const servicesOf = ({ metadata: { namespace, labels = {} } }: Pod): Record<string, string> => {
    const all: Record<string, string> = {};
    for (const { spec } of services.list({ namespace })) {
      const wanted = Object.entries(spec.selector ?? {});
      if (spec.selector && wanted.every(([key, value]) => labels[key] === value))
        Object.assign(all, spec.selector);
    }
    return all;
  };

  return (pod) => {
    const labels = servicesOf(pod);
    const owner = controllerOf(pod);
    const { namespace } = pod.metadata;
    if (!owner) return selectorFromSet(labels);
    const key = { namespace, name: owner.name };
    if (isKind(owner, "v1", ReplicationController)) {
      const own = controllers.get(key)?.spec.selector ?? {};
      return selectorFromSet({ ...labels, ...own });
    }
    const set = isKind(owner, "apps/v1", ReplicaSet)
      ? replicaSets.get(key)
      : isKind(owner, "apps/v1", StatefulSet)
        ? statefulSets.get(key)
        : undefined;
    const { requirements } = labelSelector(set?.spec.selector ?? {});
    return selectorOf([...selectorFromSet(labels).requirements, ...requirements]);
  };
}

const isKind = (
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  version: string,
  { kind: wanted }: ResourceKind,
): boolean => apiVersion === version && kind === wanted;

/** Informers cache only the selector: there are thousands of objects. */
function justSelector<O extends KubernetesObject>(object: O): O {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  const { spec } = object as unknown as { readonly spec: { readonly selector?: unknown } };
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: { name, namespace, uid, resourceVersion },
    spec: { selector: spec.selector },
  } as unknown as O;
}
