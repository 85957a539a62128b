import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { isReservedFor } from "../../../api/resource/v1/claim-use.ts";
import { DeviceClass } from "../../../api/resource/v1/device-class.ts";
import { ResourceClaim } from "../../../api/resource/v1/resource-claim.ts";
import { celDeviceSelector, type DeviceSelector } from "../../../api/resource/v1/select-device.ts";
import { seededEntropy } from "../../../base/entropy.ts";
import { sameJson } from "../../../schema/json/json-value.ts";
import { durationMillis } from "../../../schema/values/duration.ts";
import type { DynamicResourcesArgs } from "../../configuration/plugin-args.ts";
import {
  actions,
  nodeResource,
  podResource,
  type RegisteredEvent,
} from "../../framework/cluster-event.ts";
import { extendedResourceClasses } from "../../framework/extended-resource-classes.ts";
import type { NodeInfo } from "../../framework/node-info.ts";
import type { BindTarget, PluginFactory } from "../../framework/plugin.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import { skip, status } from "../../framework/status.ts";
import { normalizeScore } from "../normalize-score.ts";
import { allocationResult } from "./allocation-result.ts";
import { areDevicesReady, hasBindingConditions, isBindingOverdue } from "./binding-conditions.ts";
import {
  type ClaimOfCycle,
  claimState,
  claimsProblem,
  newClaimState,
  noClaims,
} from "./claim-state.ts";
import { claimTrackerOf } from "./claim-tracker.ts";
import { claimsOfPod } from "./claims-of-pod.ts";
import type { ChosenDevices } from "./device-search.ts";
import { deviceWaiter } from "./device-waiter.ts";
import {
  createExtendedClaim,
  deleteExtendedClaim,
  extendedResourcesOf,
  type NodeClaim,
  writeExtendedClaim,
} from "./extended-claim.ts";
import { findDevices } from "./find-devices.ts";
import { preferenceScore } from "./preference-score.ts";
import { reserveClaim, unreserveClaim } from "./reserve-claim.ts";
import { taintedSlices } from "./tainted-slices.ts";

const claimKind = "resource.k8s.io/ResourceClaim";
const code = "UnschedulableAndUnresolvable";

/** Allocates devices for the claims of pods; what an expression selects is up to `selects`. */
const dynamicResourcesWith =
  (selects: DeviceSelector): PluginFactory =>
  (args, handle) => {
    const { filterTimeout = "10s", bindingTimeout = "10m0s" } = (args ??
      {}) as DynamicResourcesArgs;
    const claims = handle.informer(ResourceClaim);
    const classes = handle.informer(DeviceClass);
    const slices = taintedSlices(handle);
    const tracker = claimTrackerOf(handle);
    const entropy = seededEntropy(handle.random);
    const bindingMs = durationMillis(bindingTimeout);
    const waitForDevices = deviceWaiter(handle, bindingMs);
    const reject = (message: string) => status(code, message);
    const search = {
      selects,
      allocated: tracker.allocated,
      ticks: handle.ticks,
      timeoutMs: durationMillis(filterTimeout),
    };
    const elsewhere = reject("resourceclaim not available on the node");
    const classOf = (name: string) => classes.get({ name });
    const extendedLookups = {
      classOf: extendedResourceClasses(handle),
      claims: () => claims.list(),
      uuid: entropy.uuid,
    };

    const isUsable = ({ claim, isUsableOn }: ClaimOfCycle, { node }: NodeInfo): boolean => {
      if (!claim.status?.allocation) return true;
      if (isUsableOn && !(node && isUsableOn(node))) return false;
      const ready = areDevicesReady(claim);
      if (ready === true) return true;
      const now = handle.clock.now();
      return ready === false && !isBindingOverdue(claim, { now, timeoutMs: bindingMs });
    };

    /** Writes what a pod gets by one of its claims. */
    const reserve = async (one: ClaimOfCycle, pod: PodInfo, target: BindTarget): Promise<void> => {
      const { allocation, extended } = one;
      const { signal } = target;
      if (extended && !extended.isCreated) {
        one.claim = await createExtendedClaim(handle, one.claim, { pod, signal });
        extended.isCreated = true;
      }
      one.claim = await reserveClaim(handle, one.claim, { pod, allocation, signal });
      const { name = "", resourceVersion = "" } = one.claim.metadata;
      tracker.written(uidOf(one), resourceVersion);
      if (!extended) return;
      const { mappings } = extended;
      await writeExtendedClaim(handle, { name, mappings }, { pod, signal });
    };

    return {
      name: "DynamicResources",
      preEnqueue(pod) {
        if (!pod.spec.resourceClaims) return undefined;
        const found = claimsOfPod(pod, claims);
        return typeof found === "string" ? reject(found) : undefined;
      },
      preFilter(state, pod) {
        state.write(claimState, noClaims);
        if (!pod.pod.spec.resourceClaims && !pod.requests.scalars) return skip;
        const found = claimsOfPod(pod.pod, claims);
        if (typeof found === "string") return reject(found);
        const extended = extendedResourcesOf(pod, extendedLookups);
        if (found.length === 0 && !extended) return skip;
        tracker.refresh();
        const isPending = (claim: string) => tracker.isPending(claim);
        const problem = claimsProblem(found, pod.uid, { classOf, isPending });
        if (problem) return reject(problem);
        state.write(claimState, newClaimState(found, { classOf, extended, slices }));
        return undefined;
      },
      filter(state, _pod, info) {
        const known = state.read(claimState);
        if (!known || !info.node) return elsewhere;
        const unavailable = known.claims.filter((one) => !isUsable(one, info));
        const found = findDevices(known, info, search);
        if ("code" in found) return found;
        for (const one of unavailable) known.unavailable.add(one);
        if (unavailable.length > 0) return elsewhere;
        if (found.devices.length > 0) known.byNode.set(info.name, found);
        return undefined;
      },
      async postFilter(state, { uid }) {
        const known = state.read(claimState);
        // `preEnqueue` has already rejected pods without their claims.
        if (!known) throw new Error("not found");
        if (known.claims.length === 0 && !known.extended)
          return { status: status("Unschedulable", "no new claims to deallocate") };
        for (const { claim } of known.unavailable) {
          const { reservedFor = [] } = claim.status ?? {};
          if (reservedFor.some((consumer) => consumer.uid !== uid)) continue;
          const deallocated = { ...claim, status: {} } as ResourceClaim;
          await handle.client.update(ResourceClaim, deallocated, { subresource: "status" });
          return { status: status("Unschedulable", "deallocation of ResourceClaim completed") };
        }
        if (known.extended?.stale) {
          await deleteExtendedClaim(handle, known.extended.stale);
          return { status: status("Unschedulable", "deletion of ResourceClaim completed") };
        }
        return { status: status("Unschedulable", "still not schedulable") };
      },
      preScore(state) {
        const { search } = state.read(claimState) ?? noClaims;
        const hasPreferences = search.claims.some(({ requests }) =>
          requests.some((alternatives) => alternatives.length > 1),
        );
        return hasPreferences ? undefined : skip;
      },
      score: (state, _pod, { name }) =>
        preferenceScore(state.read(claimState)?.byNode.get(name)?.devices ?? []),
      normalizeScore: (_state, _pod, scores) => normalizeScore(scores),
      reserve(state, _pod, node) {
        const { claims: own, search, byNode } = state.read(claimState) ?? noClaims;
        const found = byNode.get(node);
        if (!found) {
          if (search.claims.length > 0) throw new Error("claim allocation not found for node");
          return undefined;
        }
        if (found.extended) own.push(extendedClaimOf(found.extended));
        const needy = own.filter(({ claim }) => !claim.status?.allocation);
        for (const [i, one] of needy.entries()) {
          const { claim } = one;
          const chosen = found.devices[i] as ChosenDevices;
          one.allocation = allocationResult(chosen, { claim, node, uuid: entropy.uuid });
          tracker.begin(uidOf(one), one.allocation);
        }
        return undefined;
      },
      unreserve(state, pod) {
        for (const one of state.read(claimState)?.claims ?? []) {
          const { claim, allocation, extended } = one;
          if (allocation) tracker.cancel(uidOf(one));
          if (extended?.isCreated)
            handle.background((signal) => deleteExtendedClaim(handle, claim, signal));
          else if (claim.status?.allocation && isReservedFor(claim, pod.uid))
            handle.background((signal) => unreserveClaim(handle, claim, { pod, signal }));
        }
      },
      preBindPreFlight: (state) =>
        (state.read(claimState) ?? noClaims).claims.length > 0 ? { mayRunInParallel: true } : skip,
      async preBind(state, pod, target) {
        const own = state.read(claimState)?.claims ?? [];
        for (const one of own)
          if (!isReservedFor(one.claim, pod.uid)) await reserve(one, pod, target);
        if (hasBindingConditions(own.map(({ claim }) => claim)))
          await waitForDevices(own, pod, target);
        return undefined;
      },
      eventsToRegister: () => [
        ...eventsFor((pod) => claimsOfPod(pod, claims)),
        ...(handle.features.has("DRADeviceTaintRules") ? [taintRuleEvent] : []),
      ],
    };
  };

/** The uid under which the devices of a claim are in flight. */
const uidOf = ({ claim, extended }: ClaimOfCycle): string =>
  extended?.uid ?? claim.metadata.uid ?? "";

const extendedClaimOf = ({ claim, mappings }: NodeClaim): ClaimOfCycle => ({
  claim,
  isUsableOn: undefined,
  extended: { uid: claim.metadata.uid ?? "", mappings, isCreated: false },
});

/** Allocates devices for the claims of pods, with expressions in CEL that select devices. */
export const dynamicResources = dynamicResourcesWith(celDeviceSelector());

/** A change of a rule is one of the devices that it taints. */
const taintRuleEvent: RegisteredEvent = {
  event: {
    resource: "resource.k8s.io/DeviceTaintRule",
    action: actions.add | actions.update | actions.delete,
  },
};

const eventsFor = (
  claimsOf: (pod: Pod) => readonly ResourceClaim[] | string,
): readonly RegisteredEvent[] => [
  {
    event: {
      resource: nodeResource,
      action: actions.add | actions.updateNodeLabel | actions.updateNodeAllocatable,
    },
  },
  {
    event: { resource: claimKind, action: actions.add | actions.update },
    hint(pod, change) {
      const own = claimsOf(pod);
      if (typeof own === "string") return "QueueSkip";
      const [now, old] = [change.now as ResourceClaim, change.old as ResourceClaim | undefined];
      // Devices that a claim gives back can be had by others.
      if (old?.status?.allocation && !now.status?.allocation) return "Queue";
      if (!own.some(({ metadata }) => metadata.uid === now.metadata.uid)) return "QueueSkip";
      return old && sameJson(old.status, now.status) ? "QueueSkip" : "Queue";
    },
  },
  {
    event: { resource: podResource, action: actions.updatePodGeneratedResourceClaim },
    hint: (pod, { now }) =>
      (now as Pod).metadata.uid === pod.metadata.uid && typeof claimsOf(now as Pod) !== "string"
        ? "Queue"
        : "QueueSkip",
  },
  { event: { resource: "resource.k8s.io/DeviceClass", action: actions.add | actions.update } },
  { event: { resource: "resource.k8s.io/ResourceSlice", action: actions.add | actions.update } },
];
