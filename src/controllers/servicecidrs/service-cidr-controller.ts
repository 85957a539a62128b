import type { Condition } from "../../api/meta/v1/condition.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { IPAddress } from "../../api/networking/v1/ip-address.ts";
import { ServiceCIDR } from "../../api/networking/v1/service-cidr.ts";
import type { PartialInput } from "../../client/patch.ts";
import { keyOf } from "../../client/resource-kind.ts";
import { findCondition } from "../../controller-runtime/objects/conditions.ts";
import { hasFinalizer } from "../../controller-runtime/objects/finalizers.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";
import { formatTime, timeFromMillis } from "../../schema/values/time.ts";
import { limitedRetries } from "../endpoints/limited-retries.ts";
import { allocatedIp, blockingAddress, givesAddress, overlap } from "./blocking-addresses.ts";

const name = "service-cidr-controller";
const finalizer = "networking.k8s.io/service-cidr-finalizer";
/** How long after its deletion a range is kept: an API server that has not noticed may still use it. */
const graceMs = 10_000;

type ReadyCondition = Pick<Condition, "type" | "status" | "reason" | "message">;

const ready: ReadyCondition = {
  type: "Ready",
  status: "True",
  reason: "",
  message: "Kubernetes Service CIDR is ready",
};
const terminating: ReadyCondition = {
  type: "Ready",
  status: "False",
  reason: "Terminating",
  message:
    "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR",
};

/** Marks ranges of service addresses ready, and keeps those that are being deleted while addresses need them. */
export const serviceCidrController = controller({
  name,
  for: ServiceCIDR,
  watches: [
    {
      kind: ServiceCIDR,
      // A new range may unblock the deletion of others.
      predicates: [({ type }) => type === "added"],
      map: async (range: ServiceCIDR, { cache }) =>
        (await cache.list(ServiceCIDR)).filter((other) => overlap(range, other)).map(keyOf),
    },
    {
      kind: IPAddress,
      predicates: [({ type }) => type !== "updated"],
      map: async (address: IPAddress, { cache }) => {
        const ip = allocatedIp(address);
        if (!ip) return [];
        const ranges = await cache.list(ServiceCIDR);
        // While a range is not being deleted, its addresses do not matter.
        return ranges
          .filter((range) => range.metadata.deletionTimestamp && givesAddress(range, ip))
          .map(keyOf);
      },
    },
  ],
  concurrency: 5,
  reconcile: (key, ctx) =>
    limitedRetries(ctx, async () => {
      const range = await ctx.cache.get(ServiceCIDR, key);
      if (!range) return undefined;
      if (range.metadata.deletionTimestamp) return end(range, ctx);
      await protect(range, ctx);
      await setCondition(range, ready, ctx).catch((error: unknown) => {
        const note = "The ServiceCIDR Status can not be set to Ready=True";
        ctx.events.record(range, { type: "Warning", reason: "KubernetesServiceCIDRError", note });
        throw error;
      });
      return undefined;
    }),
});

/** Lets a range that is being deleted go, once no address needs it. */
async function end(range: ServiceCIDR, ctx: ReconcileContext) {
  const { cache, clock, log } = ctx;
  const [ranges, addresses] = await Promise.all([cache.list(ServiceCIDR), cache.list(IPAddress)]);
  const blocking = blockingAddress(range, ranges, addresses);
  if (blocking) {
    log.debug("an address needs the range", { address: blocking.metadata.name });
    await setCondition(range, terminating, ctx);
    return undefined;
  }
  const remainder = Date.parse(range.metadata.deletionTimestamp ?? "") + graceMs - clock.now();
  if (remainder > 0) return { requeueAfterMs: remainder };
  if (hasFinalizer(range, finalizer))
    await patchMetadata(range, { "$deleteFromPrimitiveList/finalizers": [finalizer] }, ctx);
  return undefined;
}

async function protect(range: ServiceCIDR, ctx: ReconcileContext): Promise<void> {
  if (!hasFinalizer(range, finalizer)) await patchMetadata(range, { finalizers: [finalizer] }, ctx);
}

async function patchMetadata(
  range: ServiceCIDR,
  metadata: object,
  { client, signal }: ReconcileContext,
): Promise<void> {
  const strategic = { metadata } as PartialInput<ServiceCIDR>;
  await client
    .patch(ServiceCIDR, keyOf(range), { strategic }, { signal })
    .catch((error: unknown) => {
      if (!StatusError.is(error, "NotFound")) throw error;
    });
}

async function setCondition(
  range: ServiceCIDR,
  wanted: ReadyCondition,
  { client, clock, signal }: ReconcileContext,
): Promise<void> {
  const { status, reason = "", message } = findCondition(range.status.conditions, "Ready") ?? {};
  const isSet = status === wanted.status && reason === wanted.reason && message === wanted.message;
  if (isSet) return;
  const lastTransitionTime = formatTime(timeFromMillis(clock.now()));
  await client.apply(
    ServiceCIDR,
    {
      metadata: { name: range.metadata.name },
      status: { conditions: [{ ...wanted, lastTransitionTime }] },
    },
    { subresource: "status", fieldManager: name, force: true, signal },
  );
}
