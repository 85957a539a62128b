import { Pod } from "../../../api/core/v1/pod/pod.ts";
import { claimFinalizer } from "../../../api/resource/v1/claim-use.ts";
import type { DeviceClass } from "../../../api/resource/v1/device-class.ts";
import { ResourceClaim } from "../../../api/resource/v1/resource-claim.ts";
import { keyOf } from "../../../client/resource-kind.ts";
import { withoutFinalizer } from "../../../controller-runtime/objects/finalizers.ts";
import { isControlledBy } from "../../../controller-runtime/objects/owner-references.ts";
import { retryOnConflict } from "../../../controller-runtime/objects/retry-on-conflict.ts";
import {
  type ExtendedResourceClasses,
  extendedResourcesIn,
} from "../../framework/extended-resource-classes.ts";
import type { Handle } from "../../framework/handle.ts";
import type { NodeInfo } from "../../framework/node-info.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import { claimKey, requestsOf } from "./claim-requests.ts";
import type { ClaimToAllocate } from "./device-search.ts";
import { type ExtendedRequests, extendedRequests } from "./extended-requests.ts";

const annotation = "resource.kubernetes.io/extended-resource-claim";

/** The claim of a node for the extended resources of a pod. */
export interface NodeClaim extends ClaimToAllocate {
  readonly mappings: ExtendedRequests["mappings"];
}

/** The extended resources of a pod for which devices may stand. */
export interface ExtendedResources {
  /** A claim of an earlier attempt, which must go first. */
  readonly stale: ResourceClaim | undefined;
  /** Returns what a node needs: a claim, nothing, or why the pod cannot go there. */
  claimFor(node: NodeInfo): NodeClaim | string | undefined;
}

export interface ExtendedLookups {
  readonly classOf: ExtendedResourceClasses;
  claims(): readonly ResourceClaim[];
  uuid(): string;
}

/** Returns undefined if no device class stands for a resource of the pod. */
export function extendedResourcesOf(
  { pod, requests }: PodInfo,
  { classOf, claims, uuid }: ExtendedLookups,
): ExtendedResources | undefined {
  const names = extendedResourcesIn(requests);
  const classes = new Map<string, DeviceClass>();
  for (const name of names) {
    const found = classOf(name);
    if (found) classes.set(name, found);
  }
  if (classes.size === 0) return undefined;
  const stale = claims().find(
    (claim) => claim.metadata.annotations?.[annotation] === "true" && isControlledBy(claim, pod),
  );
  // Most nodes lack the same resources, and share a claim.
  const known = new Map<string, NodeClaim>();
  const uid = uuid();
  return {
    stale,
    claimFor({ allocatable }) {
      if (stale) return "cannot schedule extended resource claim";
      const missing = new Map<string, string>();
      for (const name of names) {
        const className = classes.get(name)?.metadata.name;
        if (className && allocatable.of(name) === 0) missing.set(name, className);
        else if (!allocatable.scalars?.has(name)) return "cannot fit resource";
      }
      if (missing.size === 0) return undefined;
      const key = [...missing.keys()].join();
      const claim = known.get(key) ?? nodeClaim(pod, { missing, uid, classes });
      known.set(key, claim);
      return claim;
    },
  };
}

function nodeClaim(
  pod: Pod,
  {
    missing,
    uid,
    classes,
  }: {
    readonly missing: ReadonlyMap<string, string>;
    readonly uid: string;
    readonly classes: ReadonlyMap<string, DeviceClass>;
  },
): NodeClaim {
  const { requests, mappings } = extendedRequests(pod, missing);
  const { namespace, name = "", uid: owner = "" } = pod.metadata;
  const ownerReferences = [{ apiVersion: "v1", kind: "Pod", name, uid: owner, controller: true }];
  const claim = {
    metadata: {
      ...{ namespace, name: "<extended-resources>", uid },
      annotations: { [annotation]: "true" },
      ownerReferences,
    },
    spec: { devices: { requests } },
  } as unknown as ResourceClaim;
  const classOf = (wanted: string): DeviceClass | undefined =>
    [...classes.values()].find(({ metadata }) => metadata.name === wanted);
  return { claim, requests: requestsOf(claim, classOf), mappings };
}

/** Creates the claim of the chosen node. */
export async function createExtendedClaim(
  { client, metrics }: Handle,
  claim: ResourceClaim,
  { pod, signal }: { readonly pod: PodInfo; readonly signal: AbortSignal },
): Promise<ResourceClaim> {
  const { name: _name, uid: _uid, ...metadata } = claim.metadata;
  const generateName = `${pod.name}-extended-resources-`;
  try {
    const { spec } = claim;
    const draft = { metadata: { ...metadata, generateName }, spec };
    const created = await client.create(ResourceClaim, draft as never, { signal });
    metrics.claimCreated("success");
    return created;
  } catch (cause) {
    metrics.claimCreated("failure");
    throw new Error(
      `create claim for extended resources ${claimKey(claim)}: ${(cause as Error).message}`,
      { cause },
    );
  }
}

/** Tells the kubelet of a pod which request stands for which resource. */
export async function writeExtendedClaim(
  { client }: Handle,
  {
    name: resourceClaimName,
    mappings: requestMappings,
  }: { name: string } & Pick<NodeClaim, "mappings">,
  { pod, signal }: { readonly pod: PodInfo; readonly signal: AbortSignal },
): Promise<void> {
  const { name, namespace, uid } = pod;
  const status = { extendedResourceClaimStatus: { requestMappings, resourceClaimName } };
  const patch = { strategic: { metadata: { uid }, status } };
  try {
    const how = { subresource: "status", signal };
    await client.patch(Pod, { name, namespace }, patch as never, how);
  } catch (cause) {
    throw new Error(
      `update pod ${pod.key} ExtendedResourceClaimStatus: ${(cause as Error).message}`,
      { cause },
    );
  }
}

/** Deletes a claim for extended resources, with its devices. */
export async function deleteExtendedClaim(
  { client, clock, random }: Handle,
  claim: ResourceClaim,
  signal?: AbortSignal,
): Promise<void> {
  let current = claim;
  let isOutdated = false;
  await retryOnConflict(
    async () => {
      if (isOutdated) current = await client.get(ResourceClaim, keyOf(claim), { signal });
      isOutdated = true;
      const free = withoutFinalizer(current, claimFinalizer);
      if (free !== current) current = await client.update(ResourceClaim, free, { signal });
    },
    { clock, random, signal },
  );
  await client.delete(ResourceClaim, keyOf(claim), { signal });
}
