import { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import { type KubernetesObject, keyOf } from "../../client/resource-kind.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";
import { isNamespaceGoing } from "../namespace-going.ts";
import type { OwnSlices } from "./own-slices.ts";
import type { SlicePlan } from "./plan-slices.ts";

/** Writes the planned slices of a service or of Endpoints; throws the first error. */
export async function writeSlices(
  { client, signal }: ReconcileContext,
  { kind, metadata }: KubernetesObject,
  { plan, own }: { readonly plan: Omit<SlicePlan, "unchanged">; readonly own: OwnSlices },
): Promise<void> {
  const of = `EndpointSlice for ${kind} ${metadata.namespace}/${metadata.name}`;
  const failed = (what: string, error: unknown): Error =>
    new Error(`failed to ${what} ${of}`, { cause: error });
  // Skip owners that are being deleted: new slices would be garbage collected at once.
  for (const slice of metadata.deletionTimestamp ? [] : plan.create)
    try {
      own.wrote(await client.create(EndpointSlice, slice, { signal }));
    } catch (error) {
      if (isNamespaceGoing(error)) return;
      throw failed("create", error);
    }
  for (const slice of plan.update)
    try {
      own.wrote(await client.update(EndpointSlice, slice, { signal }));
    } catch (error) {
      throw failed(`update ${slice.metadata.name}`, error);
    }
  for (const slice of plan.delete)
    try {
      await client.delete(EndpointSlice, keyOf(slice), { signal });
      own.deleted(slice);
    } catch (error) {
      throw failed(`delete ${slice.metadata.name}`, error);
    }
}
