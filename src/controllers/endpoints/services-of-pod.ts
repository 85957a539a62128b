import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { Service } from "../../api/core/v1/service/service.ts";
import { keyOf, type ObjectKey } from "../../client/resource-kind.ts";
import type { Cache } from "../../controller-runtime/cache/cache.ts";
import type { Predicate } from "../../controller-runtime/reconcile/predicates.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import { nothing, type Selector, selectorFromSet } from "../../schema/selectors/label-selector.ts";
import { possibleSelectors, selectorIndex } from "../selected-pods.ts";

/** The selector of a service; selects nothing if there is none: then users write its Endpoints. */
export function serviceSelector({ spec }: Service): Selector {
  const { selector = {} } = spec;
  return Object.keys(selector).length === 0 ? nothing : selectorFromSet(selector);
}

/** An index of services by a label of their pods. */
export const servicesBySelector = selectorIndex(Service, serviceSelector);

/** The services that select a pod. */
export async function servicesOfPod(pod: Pod, cache: Cache): Promise<readonly ObjectKey[]> {
  const services = await possibleSelectors<Service>(cache, servicesBySelector, pod);
  return services
    .filter((service) => serviceSelector(service).matches(pod.metadata.labels ?? {}))
    .map((service) => keyOf(service));
}

/** Skips updates of services that do not change their endpoints. */
export const serviceChanged: Predicate<Service> = (event) =>
  event.type !== "updated" || !sameJson(serviceFacts(event.object), serviceFacts(event.old));

const serviceFacts = ({ metadata, spec }: Service) => ({
  uid: metadata.uid,
  labels: metadata.labels ?? {},
  annotations: metadata.annotations ?? {},
  isGoing: metadata.deletionTimestamp !== undefined,
  spec,
});

/** Whether a service has a cluster IP. */
export const hasClusterIp = ({ spec: { clusterIP = "" } }: Service): boolean =>
  clusterIP !== "" && clusterIP !== "None";
