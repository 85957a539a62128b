import {
  EndpointSlice,
  managedByLabel,
  serviceNameLabel,
} from "../../api/discovery/v1/endpoint-slice.ts";
import { formatKey, type ObjectKey } from "../../client/resource-kind.ts";
import type { KindIndex } from "../../controller-runtime/reconcile/controller-definition.ts";
import type { Predicate } from "../../controller-runtime/reconcile/predicates.ts";
import type { OwnSlices } from "./own-slices.ts";

/** The key of a slice's service, from its label. */
export function serviceOf({ metadata }: EndpointSlice): ObjectKey | undefined {
  const name = metadata.labels?.[serviceNameLabel];
  return name ? { namespace: metadata.namespace, name } : undefined;
}

/** An index of slices of one manager by the key of their service. */
export const slicesOf = (manager: string): KindIndex => ({
  kind: EndpointSlice,
  name: `slices of ${manager}`,
  valuesOf(object) {
    const service = serviceOf(object as EndpointSlice);
    return service && isManagedBy(object as EndpointSlice, manager) ? [formatKey(service)] : [];
  },
});

/** Accepts changes by other clients of slices of one manager. */
export const changedByOthers =
  (manager: string, own: OwnSlices): Predicate<EndpointSlice> =>
  (event) => {
    const { type, object } = event;
    const isManaged = isManagedBy(object, manager);
    if (type === "deleted") return isManaged && own.isNews(object, true);
    // At the start, everything is reconciled anyway.
    if (type === "added") return !event.isInitial && isManaged && own.isNews(object, false);
    if (serviceOf(object)?.name !== serviceOf(event.old)?.name) return true;
    if (isManaged !== isManagedBy(event.old, manager)) return true;
    return isManaged && own.isNews(object, false);
  };

const isManagedBy = ({ metadata }: EndpointSlice, manager: string): boolean =>
  metadata.labels?.[managedByLabel] === manager;
