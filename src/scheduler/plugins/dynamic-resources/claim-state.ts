import {
  type NodeMatch,
  nodeSelectorMatch,
} from "../../../api/core/v1/scheduling/node-affinity-match.ts";
import { isReservedFor } from "../../../api/resource/v1/claim-use.ts";
import type { DeviceClass } from "../../../api/resource/v1/device-class.ts";
import type { ResourceClaim } from "../../../api/resource/v1/resource-claim.ts";
import type { AllocationResult } from "../../../api/resource/v1/resource-claim-status.ts";
import type { ResourceSlice } from "../../../api/resource/v1/resource-slice.ts";
import { stateKey } from "../../framework/cycle-state.ts";
import { claimKey, classesOf, requestsOf } from "./claim-requests.ts";
import { indexSlices, type SliceIndex } from "./device-pools.ts";
import type { ChosenDevices, ClaimToAllocate } from "./device-search.ts";
import type { ExtendedResources, NodeClaim } from "./extended-claim.ts";

/** A claim of the pod that is scheduled. */
export interface ClaimOfCycle {
  /** As it was at the start of the cycle, and after `preBind` as that has written it. */
  claim: ResourceClaim;
  /** The nodes on which an allocated claim can be used. */
  readonly isUsableOn: NodeMatch | undefined;
  /** What it gets, once a node is chosen. */
  allocation?: AllocationResult;
  /** Set if the claim is made for extended resources of the pod. */
  readonly extended?: ExtendedPart;
}

export interface ExtendedPart {
  /** The uid under which its devices are in flight. */
  readonly uid: string;
  readonly mappings: NodeClaim["mappings"];
  isCreated: boolean;
}

/** What was found on a node. */
export interface NodeAllocation {
  /** The devices for the claims that need some, the one for extended resources last. */
  readonly devices: readonly ChosenDevices[];
  readonly extended: NodeClaim | undefined;
}

/** The claims of a pod in a scheduling cycle. */
export interface ClaimState {
  /** Once a node is chosen, the claim for extended resources is among them. */
  readonly claims: ClaimOfCycle[];
  readonly extended: ExtendedResources | undefined;
  /** The claims that need devices, with the slices to search. */
  readonly search: { readonly slices: SliceIndex; readonly claims: readonly ClaimToAllocate[] };
  readonly byNode: Map<string, NodeAllocation>;
  /** Claims with devices that cannot be used on some node. */
  readonly unavailable: Set<ClaimOfCycle>;
}

export const claimState = stateKey<ClaimState>("DynamicResources");

const noSlices: SliceIndex = { all: [], ofNode: new Map(), shared: [] };

export const noClaims: ClaimState = {
  claims: [],
  extended: undefined,
  search: { slices: noSlices, claims: [] },
  byNode: new Map(),
  unavailable: new Set(),
};

type ClassOf = (name: string) => DeviceClass | undefined;

/** The state of a pod at the start of its cycle. */
export function newClaimState(
  claims: readonly ResourceClaim[],
  {
    classOf,
    extended,
    slices,
  }: {
    readonly classOf: ClassOf;
    readonly extended: ExtendedResources | undefined;
    slices(): readonly ResourceSlice[];
  },
): ClaimState {
  const needy = claims.filter(({ status }) => !status?.allocation);
  return {
    claims: claims.map((claim) => {
      const selector = claim.status?.allocation?.nodeSelector;
      return { claim, isUsableOn: selector && nodeSelectorMatch(selector) };
    }),
    extended,
    search: {
      slices: needy.length === 0 && !extended ? noSlices : indexSlices(slices()),
      claims: needy.map((claim) => ({ claim, requests: requestsOf(claim, classOf) })),
    },
    byNode: new Map(),
    unavailable: new Set(),
  };
}

/** Why a pod cannot have its claims on any node. */
export function claimsProblem(
  claims: readonly ResourceClaim[],
  pod: string,
  { classOf, isPending }: { readonly classOf: ClassOf; isPending(claim: string): boolean },
): string | undefined {
  for (const claim of claims) {
    if (claim.status?.allocation) {
      if (isFull(claim) && !isReservedFor(claim, pod)) return "resourceclaim in use";
      continue;
    }
    if (isPending(claim.metadata.uid ?? ""))
      return `resource claim ${claimKey(claim)} is in the process of being allocated`;
    const unknown = classesOf(claim).find(({ className }) => !classOf(className));
    if (unknown)
      return `request ${unknown.request}: device class ${unknown.className} does not exist`;
  }
  return undefined;
}

/** A claim has at most so many consumers. */
const mostConsumers = 256;

const isFull = ({ status }: ResourceClaim): boolean =>
  (status?.reservedFor ?? []).length >= mostConsumers;
