import type { Pod } from "../../api/core/v1/pod/pod.ts";
import {
  type NodeMatch,
  nodeSelectorMatch,
} from "../../api/core/v1/scheduling/node-affinity-match.ts";
import { DeviceClass } from "../../api/resource/v1/device-class.ts";
import { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import { isControlledBy } from "../../controller-runtime/objects/owner-references.ts";
import { quote } from "../../schema/values/quote.ts";
import { actions, podResource } from "../framework/cluster-event.ts";
import { stateKey } from "../framework/cycle-state.ts";
import type { PluginFactory } from "../framework/plugin.ts";
import { skip, status } from "../framework/status.ts";

interface ClaimState {
  readonly claims: readonly ResourceClaim[];
  /** The nodes on which each allocated claim can be used. */
  readonly isUsableOn: readonly NodeMatch[];
  /** Whether a claim is not allocated yet. */
  readonly lacksDevices: boolean;
}

const claimState = stateKey<ClaimState>("DynamicResources");
const claimKind = "resource.k8s.io/ResourceClaim";

/**
 * Keeps pods pending until their resource claims can be used. Allocated claims are respected; this
 * scheduler does not allocate devices yet, so that no node fits a pod with an unallocated claim.
 */
export const dynamicResources: PluginFactory = (_, { informer }) => {
  const claims = informer(ResourceClaim);
  const classes = informer(DeviceClass);
  const reject = (message: string) => status("UnschedulableAndUnresolvable", message);
  const noDevices = reject("cannot allocate all claims");
  const elsewhere = reject("resourceclaim not available on the node");

  /** Returns the claims of a pod, or why they cannot be used. */
  const claimsOf = (pod: Pod): readonly ResourceClaim[] | string => {
    const found: ResourceClaim[] = [];
    for (const reference of pod.spec.resourceClaims ?? []) {
      const name = claimName(pod, reference);
      if (name === undefined) return `pod ${quote(keyOf(pod))}: ResourceClaim not created yet`;
      // Some templates generate no claim.
      if (name === "") continue;
      const claim = claims.get({ namespace: pod.metadata.namespace, name });
      const problem = claimProblem(pod, reference, { name, claim });
      if (problem !== undefined || !claim) return problem ?? "";
      found.push(claim);
    }
    return found;
  };
  const isKnownClass = (name: string): boolean => classes.get({ name }) !== undefined;

  return {
    name: "DynamicResources",
    preEnqueue(pod) {
      if (!pod.spec.resourceClaims) return undefined;
      const found = claimsOf(pod);
      return typeof found === "string" ? reject(found) : undefined;
    },
    preFilter(state, { pod, uid }) {
      state.write(claimState, none);
      if (!pod.spec.resourceClaims) return skip;
      const found = claimsOf(pod);
      if (typeof found === "string") return reject(found);
      if (found.length === 0) return skip;
      const problem = found
        .map((claim) => allocationProblem(claim, uid, isKnownClass))
        .find((one) => one !== undefined);
      if (problem) return reject(problem);
      const isUsableOn = found
        .map(({ status: own }) => own?.allocation?.nodeSelector)
        .filter((selector) => selector !== undefined)
        .map((selector) => nodeSelectorMatch(selector));
      const lacksDevices = found.some(({ status: own }) => !own?.allocation);
      state.write(claimState, { claims: found, isUsableOn, lacksDevices });
      return undefined;
    },
    filter(state, _pod, { node }) {
      const { isUsableOn, lacksDevices } = state.read(claimState) ?? none;
      if (!node || isUsableOn.some((isUsable) => !isUsable(node))) return elsewhere;
      return lacksDevices ? noDevices : undefined;
    },
    postFilter(state) {
      const known = state.read(claimState);
      // `preEnqueue` has already rejected pods without their claims.
      if (!known) throw new Error("not found");
      const message =
        known.claims.length === 0 ? "no new claims to deallocate" : "still not schedulable";
      return { status: status("Unschedulable", message) };
    },
    eventsToRegister: () => [
      {
        event: { resource: claimKind, action: actions.add | actions.update },
        hint: (pod) => (typeof claimsOf(pod) === "string" ? "QueueSkip" : "Queue"),
      },
      {
        event: { resource: podResource, action: actions.updatePodGeneratedResourceClaim },
        hint: (pod, { now }) =>
          (now as Pod).metadata.uid === pod.metadata.uid && typeof claimsOf(now as Pod) !== "string"
            ? "Queue"
            : "QueueSkip",
      },
      { event: { resource: "resource.k8s.io/DeviceClass", action: actions.add | actions.update } },
    ],
  };
};

const none: ClaimState = { claims: [], isUsableOn: [], lacksDevices: false };
const mostConsumers = 256;

type ClaimReference = NonNullable<Pod["spec"]["resourceClaims"]>[number];

const keyOf = ({ metadata: { namespace, name } }: Pod): string => `${namespace}/${name}`;

/** The name of a claim: "" if none is needed, undefined if it is not created yet. */
function claimName(pod: Pod, { name, resourceClaimName }: ClaimReference): string | undefined {
  if (resourceClaimName) return resourceClaimName;
  const made = pod.status.resourceClaimStatuses?.find((one) => one.name === name);
  return made && (made.resourceClaimName ?? "");
}

/** Why a pod cannot use a claim. */
function claimProblem(
  pod: Pod,
  { resourceClaimTemplateName }: ClaimReference,
  { name, claim }: { readonly name: string; readonly claim: ResourceClaim | undefined },
): string | undefined {
  if (!claim) return `resourceclaim.resource.k8s.io ${quote(name)} not found`;
  if (claim.metadata.deletionTimestamp) return `resourceclaim ${quote(name)} is being deleted`;
  if (resourceClaimTemplateName && !isControlledBy(claim, pod))
    return `ResourceClaim ${claim.metadata.namespace}/${name} was not created for pod ${keyOf(pod)} (pod is not owner)`;
  return undefined;
}

/** Why a claim cannot be allocated, or cannot be shared with another pod. */
function allocationProblem(
  claim: ResourceClaim,
  uid: string,
  isKnownClass: (name: string) => boolean,
): string | undefined {
  const { allocation, reservedFor = [] } = claim.status ?? {};
  if (!allocation) return unknownClass(claim, isKnownClass);
  const isFull = reservedFor.length >= mostConsumers && !reservedFor.some((one) => one.uid === uid);
  return isFull ? "resourceclaim in use" : undefined;
}

/** Reports device classes of a claim that do not exist. */
function unknownClass(
  { spec }: ResourceClaim,
  isKnown: (name: string) => boolean,
): string | undefined {
  for (const { name, exactly, firstAvailable = [] } of spec.devices?.requests ?? []) {
    const asked = exactly
      ? [{ name, deviceClassName: exactly.deviceClassName }]
      : firstAvailable.map((one) => ({
          name: `${name}/${one.name}`,
          deviceClassName: one.deviceClassName,
        }));
    for (const one of asked)
      if (!isKnown(one.deviceClassName))
        return `request ${one.name}: device class ${one.deviceClassName} does not exist`;
  }
  return undefined;
}
