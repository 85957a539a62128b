import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { PodStatus } from "../../api/core/v1/pod/pod-status.ts";
import type { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import type { NodeClaim, PreparedDevice } from "./node-claim.ts";

/** A pod with claims by their names: `c` is an object, `t:c` was made from a template, `t:` is not needed. */
export function podWith(uid: string, claims: string, status: Partial<PodStatus> = {}): Pod {
  const words = claims.split(" ").filter((word) => word !== "");
  const made = words.filter((word) => word.startsWith("t:")).map((word) => word.slice(2));
  return {
    metadata: { name: uid, namespace: "default", uid },
    spec: {
      containers: [{ name: "c" }],
      resourceClaims: words.map((word) =>
        word.startsWith("t:")
          ? { name: `my-${word.slice(2)}`, resourceClaimTemplateName: "t" }
          : { name: `my-${word}`, resourceClaimName: word },
      ),
    },
    status: {
      resourceClaimStatuses: made.map((name) => ({
        name: `my-${name}`,
        ...(name !== "" && { resourceClaimName: name }),
      })),
      ...status,
    },
  } as unknown as Pod;
}

export interface ClaimParts {
  readonly uid?: string;
  /** The pods that it is reserved for. */
  readonly pods?: readonly string[];
  /** The drivers of its devices; undefined if it is not allocated. */
  readonly drivers?: readonly string[] | undefined;
  readonly owner?: string;
}

/** A claim that is allocated and reserved. */
export function claimWith(name: string, parts: ClaimParts = {}): ResourceClaim {
  const { uid = `uid-${name}`, pods = ["p"], owner } = parts;
  const { drivers } = { drivers: ["d"], ...parts };
  const results = drivers?.map((driver) => ({ request: "r", driver, pool: "p", device: name }));
  return {
    metadata: {
      ...{ name, namespace: "default", uid },
      ...(owner !== undefined && { ownerReferences: [{ uid: owner, controller: true }] }),
    },
    spec: {},
    status: {
      reservedFor: pods.map((pod) => ({ resource: "pods", name: pod, uid: pod })),
      ...(results && { allocation: { devices: { results } } }),
    },
  } as unknown as ResourceClaim;
}

/** A claim that a driver has prepared for a pod. */
export const preparedClaim = (
  name: string,
  drivers: Readonly<Record<string, readonly PreparedDevice[]>>,
): NodeClaim => ({
  ...{ uid: `uid-${name}`, name, namespace: "default", isPrepared: true },
  podUids: new Set(["p"]),
  drivers: new Map(Object.entries(drivers)),
});

/** A device by a text such as `a:r1,r2`: it is for some requests, or for all; its name in CDI is `v/c=a`. */
export function deviceOf(text: string): PreparedDevice {
  const [device = "", requests] = text.split(":");
  const cdiDevices = [`v/c=${device}`];
  return { pool: "pool", device, requests: requests?.split(",") ?? [], cdiDevices };
}
