import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { Service } from "../../api/core/v1/service/service.ts";
import { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import { aggregateMessage } from "../../base/aggregate-message.ts";
import { errorMessage } from "../../base/error-message.ts";
import { controllerRateLimiter } from "../../base/queue/rate-limiter.ts";
import { formatKey, keyOf, type ObjectKey } from "../../client/resource-kind.ts";
import type { Cache } from "../../controller-runtime/cache/cache.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import type {
  Controller,
  ReconcileContext,
} from "../../controller-runtime/reconcile/controller-definition.ts";
import type { Predicate } from "../../controller-runtime/reconcile/predicates.ts";
import { limitedRetries } from "../endpoints/limited-retries.ts";
import { endpointChanged, hasEndpoint } from "../endpoints/pod-endpoint.ts";
import { Postponed } from "../endpoints/postponed.ts";
import {
  serviceChanged,
  serviceSelector,
  servicesBySelector,
  servicesOfPod,
} from "../endpoints/services-of-pod.ts";
import { TriggerTimes, withTriggerTime } from "../endpoints/trigger-times.ts";
import { labelsOf, podsByLabel, selectedPods } from "../selected-pods.ts";
import { type AddressType, addressTypesOf, endpointGroups, zoneLabel } from "./endpoint-groups.ts";
import { GivenHints } from "./given-hints.ts";
import { hintedPlan, wantsZoneHints } from "./hinted-plan.ts";
import { changedByOthers, serviceOf, slicesOf } from "./managed-slices.ts";
import { OwnSlices } from "./own-slices.ts";
import { manager, planSlices, type SlicePlan, type WantedSlice, withReuse } from "./plan-slices.ts";
import { writeSlices } from "./write-slices.ts";
import { isNodeReady, type ZoneRatios, zoneRatios } from "./zone-capacity.ts";

/** How long after a change of a slice by another client it is repaired. */
const sliceChangeMs = 1000;

export interface EndpointSliceOptions {
  /** How long changes of pods are collected before slices are written. */
  readonly batchMs: number;
  /** How many endpoints a slice holds at most. */
  readonly capacity: number;
}

/** Writes the EndpointSlices of services that have a selector. */
export function endpointSliceController({ batchMs, capacity }: EndpointSliceOptions): Controller {
  const postponed = new Postponed();
  const memory: Memory = {
    triggerTimes: new TriggerTimes(),
    own: new OwnSlices(),
    given: new GivenHints(),
    capacity,
  };
  const within = (keys: readonly ObjectKey[], ms: number): readonly ObjectKey[] => {
    for (const key of keys) postponed.within(key, ms);
    return keys;
  };

  return controller({
    name: "endpointslice-controller",
    eventSource: "endpoint-slice-controller",
    for: Service,
    // Events of services come in below, where they are marked as urgent.
    predicates: [() => false],
    watches: [
      {
        kind: Service,
        predicates: [serviceChanged],
        map: (service) => within([keyOf(service)], 0),
      },
      {
        kind: Pod,
        predicates: [endpointChanged],
        mapKey: labelsOf,
        map: async (pod, { cache }) => within(await servicesOfPod(pod, cache), batchMs),
      },
      {
        kind: EndpointSlice,
        predicates: [changedByOthers(manager, memory.own)],
        map(slice) {
          const service = serviceOf(slice);
          return service ? within([service], Math.max(batchMs, sliceChangeMs)) : [];
        },
      },
      {
        kind: Node,
        predicates: [isZoneChanged],
        async map(_node, { cache }) {
          if (memory.given.isEmpty) return [];
          return within(memory.given.overloaded(await ratiosIn(cache)), 0);
        },
      },
    ],
    indexes: [servicesBySelector, podsByLabel, slicesByService],
    // A reconcile may write many slices, so retries are slow.
    rateLimiter: (clock) => controllerRateLimiter(clock, { base: 1000 }),

    async reconcile(key, ctx) {
      const wait = postponed.turn(key, ctx);
      if (wait > 0) return { requeueAfterMs: wait };
      const service = await ctx.cache.get(Service, key);
      if (!service) {
        memory.triggerTimes.forget(key);
        memory.given.forget(key);
        return;
      }
      memory.own.begin(key);
      try {
        await limitedRetries(ctx, () => syncSlices(ctx, service, memory));
      } finally {
        if (memory.own.end(key)) postponed.within(key, sliceChangeMs);
      }
      const again = postponed.take(key, ctx.clock.now());
      return again > 0 ? { requeueAfterMs: again } : undefined;
    },
  });
}

/** State between reconciles; after a restart, without it, a little more is written than necessary. */
interface Memory {
  readonly triggerTimes: TriggerTimes;
  readonly own: OwnSlices;
  readonly given: GivenHints;
  readonly capacity: number;
}

const slicesByService = slicesOf(manager);

const isZoneChanged: Predicate<Node> = (event) =>
  event.type !== "updated" ||
  isNodeReady(event.object) !== isNodeReady(event.old) ||
  event.object.metadata.labels?.[zoneLabel] !== event.old.metadata.labels?.[zoneLabel];

const ratiosIn = async (cache: Cache): Promise<ZoneRatios | undefined> =>
  zoneRatios(await cache.list(Node));

/** Writes the slices of a service; an error in one address family does not stop the other. */
async function syncSlices(ctx: ReconcileContext, service: Service, memory: Memory): Promise<void> {
  const selector = serviceSelector(service);
  if (service.spec.type === "ExternalName" || !selector.selectable) return;
  const { cache, client, events, signal } = ctx;
  const { namespace = "", name } = service.metadata;
  const pods = await selectedPods(cache, namespace, selector);
  const all = await cache.byIndex(EndpointSlice, slicesByService.name, formatKey(keyOf(service)));
  const slices = all.filter(({ metadata }) => !metadata.deletionTimestamp);
  const triggerTime = memory.triggerTimes.see(service, pods);
  const nodes = await nodesOf(cache, pods);
  const ratios = wantsZoneHints(service) ? await ratiosIn(cache) : undefined;
  const types = addressTypesOf(service);
  const errors: Error[] = [];

  for (const type of types) {
    const wanted = endpointGroups(service, pods, { type, nodes });
    errors.push(...wanted.faults.map((fault) => new Error(fault)));
    const facts = { type, slices: ofType(slices, type), groups: wanted.groups };
    const planned = planSlices(service, { ...facts, capacity: memory.capacity });
    const hinted = hintedPlan(service, planned, { type, ratios, given: memory.given });
    const plan = timed(withReuse(hinted.plan, service), triggerTime);
    await writeSlices(ctx, service, { plan, own: memory.own }).catch((error: unknown) =>
      errors.push(new Error(errorMessage(error), { cause: error })),
    );
    for (const event of hinted.events) events.record(service, event);
  }
  for (const slice of slices.filter(
    ({ addressType }) => !types.includes(addressType as AddressType),
  ))
    try {
      await client.delete(EndpointSlice, keyOf(slice), { signal });
      memory.own.deleted(slice);
      memory.given.remove(keyOf(service), slice.addressType as AddressType);
    } catch (error) {
      const what = `error deleting ${slice.metadata.name} EndpointSlice for Service ${namespace}/${name}`;
      errors.push(new Error(`${what}: ${errorMessage(error)}`, { cause: error }));
    }

  if (errors.length === 0) return;
  const why = aggregateMessage(errors.map(({ message }) => message));
  events.record(service, {
    type: "Warning",
    reason: "FailedToUpdateEndpointSlices",
    note: `Error updating Endpoint Slices for Service ${namespace}/${name}: ${why}`,
  });
  throw new AggregateError(errors, why);
}

/** The plan with the time of the triggering change in the annotations of slices. */
function timed(plan: SlicePlan, time: string | undefined): SlicePlan {
  const change = (slice: WantedSlice): WantedSlice => {
    const annotations = withTriggerTime(slice.metadata.annotations, time);
    return { ...slice, metadata: { ...slice.metadata, annotations } };
  };
  return { ...plan, create: plan.create.map(change), update: plan.update.map(change) };
}

const ofType = (slices: readonly EndpointSlice[], type: AddressType): readonly EndpointSlice[] =>
  slices.filter(({ addressType }) => addressType === type);

/** The nodes of the pods that can receive traffic. */
async function nodesOf(cache: Cache, pods: readonly Pod[]): Promise<ReadonlyMap<string, Node>> {
  const names = new Set(
    pods
      .filter((pod) => hasEndpoint(pod, { evenTerminating: true }))
      .map(({ spec }) => spec.nodeName ?? ""),
  );
  const nodes = new Map<string, Node>();
  for (const name of names) {
    const node = name === "" ? undefined : await cache.get(Node, { name });
    if (node) nodes.set(name, node);
  }
  return nodes;
}
