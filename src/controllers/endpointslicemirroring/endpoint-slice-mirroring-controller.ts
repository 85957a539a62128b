import { Endpoints } from "../../api/core/v1/service/endpoints.ts";
import { Service } from "../../api/core/v1/service/service.ts";
import { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import { errorMessage } from "../../base/error-message.ts";
import { controllerRateLimiter } from "../../base/queue/rate-limiter.ts";
import { formatKey, keyOf, type ObjectKey } from "../../client/resource-kind.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import type {
  Controller,
  ReconcileContext,
} from "../../controller-runtime/reconcile/controller-definition.ts";
import type { Predicate } from "../../controller-runtime/reconcile/predicates.ts";
import { leaderAnnotation } from "../endpoints/endpoints-controller.ts";
import { limitedRetries } from "../endpoints/limited-retries.ts";
import { Postponed } from "../endpoints/postponed.ts";
import { serviceSelector } from "../endpoints/services-of-pod.ts";
import { changedByOthers, serviceOf, slicesOf } from "../endpointslice/managed-slices.ts";
import { OwnSlices } from "../endpointslice/own-slices.ts";
import { writeSlices } from "../endpointslice/write-slices.ts";
import { type MirrorPlan, manager, mirrorPlan } from "./mirror-plan.ts";

export interface MirroringOptions {
  /** How long changes are collected before slices are written. */
  readonly batchMs: number;
  /** How many endpoints of a subset are mirrored at most. */
  readonly capacity: number;
}

/** Mirrors Endpoints that users write into EndpointSlices, for services without a selector. */
export function endpointSliceMirroringController({
  batchMs,
  capacity,
}: MirroringOptions): Controller {
  const own = new OwnSlices();
  const postponed = new Postponed();
  const within = (key: ObjectKey | undefined, ms: number): readonly ObjectKey[] => {
    if (!key) return [];
    postponed.within(key, ms);
    return [key];
  };

  return controller({
    name: "endpointslice-mirroring-controller",
    eventSource: "endpoint-slice-mirroring-controller",
    for: Endpoints,
    // Events of Endpoints come in below, where they are marked as urgent.
    predicates: [() => false],
    watches: [
      { kind: Endpoints, predicates: [isMirrorable], map: (one) => within(keyOf(one), 0) },
      { kind: Service, predicates: [isSelectorless], map: (service) => within(keyOf(service), 0) },
      {
        kind: EndpointSlice,
        predicates: [changedByOthers(manager, own)],
        map: (slice) => within(serviceOf(slice), batchMs),
      },
    ],
    indexes: [mirroredSlices],
    // A reconcile may write many slices, so retries are slow.
    rateLimiter: (clock) => controllerRateLimiter(clock, { base: 1000, max: 100_000 }),

    async reconcile(key, ctx) {
      const wait = postponed.turn(key, ctx);
      if (wait > 0) return { requeueAfterMs: wait };
      own.begin(key);
      try {
        await limitedRetries(ctx, () => mirror(ctx, key, { own, capacity }));
      } finally {
        // Another client changed a slice while it was written.
        if (own.end(key)) postponed.within(key, Math.max(1, batchMs));
      }
      const again = postponed.take(key, ctx.clock.now());
      return again > 0 ? { requeueAfterMs: again } : undefined;
    },
  });
}

const mirroredSlices = slicesOf(manager);

/** Whether the labels and annotations of Endpoints allow to mirror them. */
const mayMirror = ({ metadata: { labels = {}, annotations = {} } }: Endpoints): boolean =>
  labels["endpointslice.kubernetes.io/skip-mirror"] !== "true" &&
  !(leaderAnnotation in annotations);

const isMirrorable: Predicate<Endpoints> = (event) =>
  mayMirror(event.object) || (event.type === "updated" && mayMirror(event.old));

const selectsNothing = (service: Service): boolean => !serviceSelector(service).selectable;

/** Services that have no selector, or gain or lose one. */
const isSelectorless: Predicate<Service> = (event) =>
  event.type === "updated"
    ? selectsNothing(event.object) !== selectsNothing(event.old)
    : selectsNothing(event.object);

interface Mirroring {
  readonly own: OwnSlices;
  readonly capacity: number;
}

async function mirror(
  ctx: ReconcileContext,
  key: ObjectKey,
  { own, capacity }: Mirroring,
): Promise<void> {
  const { cache } = ctx;
  const endpoints = await cache.get(Endpoints, key);
  const service = await cache.get(Service, key);
  const slices = await cache.byIndex(EndpointSlice, mirroredSlices.name, formatKey(key));
  if (!endpoints || !mayMirror(endpoints) || !service || !selectsNothing(service))
    return removeAll(ctx, key, { slices, own });
  const plan = mirrorPlan(endpoints, slices, capacity);
  recordSkipped(ctx, endpoints, { plan, capacity });
  await writeSlices(ctx, endpoints, { plan, own });
}

function recordSkipped(
  { events }: ReconcileContext,
  endpoints: Endpoints,
  { plan: { invalid, skipped }, capacity }: { plan: MirrorPlan; capacity: number },
): void {
  const warn = (reason: string, note: string): void =>
    events.record(endpoints, { type: "Warning", reason, note });
  if (invalid > 0)
    warn(
      "InvalidIPAddress",
      `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`,
    );
  if (skipped > invalid)
    warn(
      "TooManyAddressesToMirror",
      `A max of ${capacity} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`,
    );
}

async function removeAll(
  { client, signal }: ReconcileContext,
  { namespace, name }: ObjectKey,
  { slices, own }: { readonly slices: readonly EndpointSlice[]; readonly own: OwnSlices },
): Promise<void> {
  const errors: unknown[] = [];
  for (const slice of slices)
    try {
      await client.delete(EndpointSlice, keyOf(slice), { signal });
      own.deleted(slice);
    } catch (error) {
      errors.push(error);
    }
  if (errors.length > 0)
    throw new AggregateError(
      errors,
      `error(s) deleting ${errors.length}/${slices.length} EndpointSlices for ${namespace}/${name} Endpoints, including: ${errorMessage(errors[0])}`,
    );
}
