import { Pod } from "../../api/core/v1/pod/pod.ts";
import { Endpoints } from "../../api/core/v1/service/endpoints.ts";
import { Service } from "../../api/core/v1/service/service.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { errorMessage } from "../../base/error-message.ts";
import { keyOf, type ObjectKey } from "../../client/resource-kind.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import type {
  Controller,
  ReconcileContext,
} from "../../controller-runtime/reconcile/controller-definition.ts";
import type { Predicate } from "../../controller-runtime/reconcile/predicates.ts";
import { isNamespaceGoing } from "../namespace-going.ts";
import { labelsOf, podsByLabel, selectedPods } from "../selected-pods.ts";
import { limitedRetries } from "./limited-retries.ts";
import { endpointChanged } from "./pod-endpoint.ts";
import { Postponed } from "./postponed.ts";
import { serviceSubsets } from "./service-subsets.ts";
import {
  serviceChanged,
  serviceSelector,
  servicesBySelector,
  servicesOfPod,
} from "./services-of-pod.ts";
import { TriggerTimes } from "./trigger-times.ts";
import { type WantedEndpoints, wantedEndpoints } from "./wanted-endpoints.ts";

export interface EndpointsOptions {
  /** How long changes of pods are collected before Endpoints are written. */
  readonly batchMs: number;
}

/** Writes the Endpoints of services that have a selector. */
export function endpointsController({ batchMs }: EndpointsOptions): Controller {
  const triggerTimes = new TriggerTimes();
  const postponed = new Postponed();
  const now = (key: ObjectKey): readonly ObjectKey[] => {
    postponed.within(key, 0);
    return [key];
  };

  return controller({
    name: "endpoints-controller",
    eventSource: "endpoint-controller",
    for: Service,
    // Events of services come in below, where they are marked as urgent.
    predicates: [() => false],
    watches: [
      { kind: Service, predicates: [serviceChanged], map: (service) => now(keyOf(service)) },
      {
        kind: Pod,
        predicates: [endpointChanged],
        mapKey: labelsOf,
        async map(pod, { cache }) {
          const services = await servicesOfPod(pod, cache);
          for (const key of services) postponed.within(key, batchMs);
          return services;
        },
      },
      { kind: Endpoints, predicates: [isLeft], map: (endpoints) => now(keyOf(endpoints)) },
      {
        kind: Endpoints,
        predicates: [({ type }) => type === "deleted"],
        map: async (endpoints, { cache }) =>
          (await cache.get(Service, keyOf(endpoints))) ? now(keyOf(endpoints)) : [],
      },
    ],
    indexes: [servicesBySelector, podsByLabel],

    async reconcile(key, ctx) {
      const wait = postponed.turn(key, ctx);
      if (wait > 0) return { requeueAfterMs: wait };
      await limitedRetries(ctx, async () => {
        const service = await ctx.cache.get(Service, key);
        if (service) return syncEndpoints(ctx, service, triggerTimes);
        await remove(ctx, key);
        triggerTimes.forget(key);
      });
      return undefined;
    },
  });
}

/** Marks Endpoints that are records of leader elections, not of a service. */
export const leaderAnnotation = "control-plane.alpha.kubernetes.io/leader";

/** Endpoints that exist at the start: their services may be gone. */
const isLeft: Predicate<Endpoints> = (event) => {
  const { annotations = {} } = event.object.metadata;
  return event.type === "added" && event.isInitial && !(leaderAnnotation in annotations);
};

async function syncEndpoints(
  ctx: ReconcileContext,
  service: Service,
  triggerTimes: TriggerTimes,
): Promise<void> {
  const selector = serviceSelector(service);
  if (service.spec.type === "ExternalName" || !selector.selectable) return;
  const { namespace = "" } = service.metadata;
  const pods = await selectedPods(ctx.cache, namespace, selector);
  const triggerTime = triggerTimes.see(service, pods);
  const current = await ctx.cache.get(Endpoints, keyOf(service));
  const wanted = wantedEndpoints(service, serviceSubsets(service, pods), { current, triggerTime });
  if (wanted) await write(ctx, service, { wanted, isNew: !current });
}

async function write(
  { client, events, signal }: ReconcileContext,
  { metadata: { namespace, name } }: Service,
  { wanted, isNew }: { readonly wanted: WantedEndpoints; readonly isNew: boolean },
): Promise<void> {
  const object = { ...wanted, metadata: { ...wanted.metadata, namespace } };
  try {
    if (isNew) await client.create(Endpoints, object, { signal });
    else await client.update(Endpoints, object, { signal });
  } catch (error) {
    if (isNew && isNamespaceGoing(error)) return;
    const why = errorMessage(error);
    events.record(wanted, {
      type: "Warning",
      reason: isNew ? "FailedToCreateEndpoint" : "FailedToUpdateEndpoint",
      note: isNew
        ? `Failed to create endpoint for service ${namespace}/${name}: ${why}`
        : `Failed to update endpoint ${namespace}/${name}: ${why}`,
    });
    throw error;
  }
}

async function remove({ client, signal }: ReconcileContext, key: ObjectKey): Promise<void> {
  await client.delete(Endpoints, key, { signal }).catch((error: unknown) => {
    if (!StatusError.is(error, "NotFound")) throw error;
  });
}
