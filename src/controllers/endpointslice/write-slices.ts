import type { Service } from "../../api/core/v1/service.ts";
import { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import { errorMessage } from "../../base/error-message.ts";
import { keyOf } from "../../client/resource-kind.ts";
import type { ReconcileContext } from "../../controller-runtime/controller.ts";
import { withTriggerTime } from "../endpoints/trigger-times.ts";
import { isNamespaceGoing } from "../namespace-going.ts";
import type { OwnSlices } from "./own-slices.ts";
import type { SlicePlan, WantedSlice } from "./plan-slices.ts";

export interface SliceWriting {
  readonly own: OwnSlices;
  readonly triggerTime: string | undefined;
}

/** Carries out a plan; throws at what fails first. */
export async function writeSlices(
  { client, signal }: ReconcileContext,
  service: Service,
  { plan, own, triggerTime }: SliceWriting & { readonly plan: SlicePlan },
): Promise<void> {
  const { namespace, name, deletionTimestamp } = service.metadata;
  const of = `EndpointSlice for Service ${namespace}/${name}`;
  const timed = (slice: WantedSlice): WantedSlice => {
    const annotations = withTriggerTime(slice.metadata.annotations, triggerTime);
    return { ...slice, metadata: { ...slice.metadata, annotations } };
  };
  // Of a service that is about to go, slices would be made while others are collected.
  for (const slice of deletionTimestamp ? [] : plan.create)
    try {
      own.wrote(await client.create(EndpointSlice, timed(slice), { signal }));
    } catch (error) {
      if (isNamespaceGoing(error)) return;
      throw new Error(`failed to create ${of}: ${errorMessage(error)}`, { cause: error });
    }
  for (const slice of plan.update)
    try {
      own.wrote(await client.update(EndpointSlice, timed(slice), { signal }));
    } catch (error) {
      const why = `failed to update ${slice.metadata.name} ${of}: ${errorMessage(error)}`;
      throw new Error(why, { cause: error });
    }
  for (const slice of plan.delete)
    try {
      await client.delete(EndpointSlice, keyOf(slice), { signal });
      own.deleted(slice);
    } catch (error) {
      const why = `failed to delete ${slice.metadata.name} ${of}: ${errorMessage(error)}`;
      throw new Error(why, { cause: error });
    }
}
