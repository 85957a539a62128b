import { named, string } from "../../../../schema/language/field.ts";
import type { At } from "../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import {
  isDns1123Label,
  isQualifiedName,
  nameIsDnsSubdomain,
} from "../../../../schema/values/names.ts";

export const PodOS = struct("io.k8s.api.core.v1.PodOS", {
  name: named(1, "v1.OSName")
    .always()
    .expected()
    .known("linux", "windows")
    .doc("The operating system: linux or windows."),
}).doc("The operating system that a pod is made for.");
export interface PodOS extends Infer<typeof PodOS> {}

/** What a condition of a pod is about. */
export const podConditionType = (tag: number) =>
  named(tag, "v1.PodConditionType")
    .always()
    .expected()
    .known(
      "ContainersReady",
      "Initialized",
      "Ready",
      "PodScheduled",
      "DisruptionTarget",
      "PodReadyToStartContainers",
      "PodResizePending",
      "PodResizeInProgress",
      "AllContainersRestarting",
    );

export const PodReadinessGate = struct("io.k8s.api.core.v1.PodReadinessGate", {
  conditionType: podConditionType(1).doc("The condition that must be true."),
}).doc("A condition without which the pod is not ready.");
export interface PodReadinessGate extends Infer<typeof PodReadinessGate> {}

export const PodSchedulingGate = struct("io.k8s.api.core.v1.PodSchedulingGate", {
  name: string(1).always().expected().doc("The name of the gate, unique in the pod."),
}).doc("Something that must be cleared before the pod is scheduled.");
export interface PodSchedulingGate extends Infer<typeof PodSchedulingGate> {}

export const PodResourceClaim = struct("io.k8s.api.core.v1.PodResourceClaim", {
  name: string(1).always().expected().doc("The name by which the pod's containers refer to it."),
  resourceClaimName: string(3).pointer().doc("The ResourceClaim that is used."),
  resourceClaimTemplateName: string(4)
    .pointer()
    .doc("The ResourceClaimTemplate from which a claim of the pod's own is made."),
}).doc("A claim to devices, existing or made for the pod.");
export interface PodResourceClaim extends Infer<typeof PodResourceClaim> {}

export const PodSchedulingGroup = struct("io.k8s.api.core.v1.PodSchedulingGroup", {
  podGroupName: string(1).pointer().doc("The PodGroup in this namespace."),
}).doc("The group of pods that are scheduled together.");
export interface PodSchedulingGroup extends Infer<typeof PodSchedulingGroup> {}

/** Conditions are qualified names. */
export function validateReadinessGates(gates: readonly PodReadinessGate[], at: At): void {
  for (const [i, { conditionType }] of gates.entries())
    at.index(i).invalidEach("conditionType", conditionType, isQualifiedName(conditionType));
}

/** Names are qualified names, each given once. */
export function validateSchedulingGates(gates: readonly PodSchedulingGate[], at: At): void {
  const seen = new Set<string>();
  for (const [i, { name }] of gates.entries()) {
    at.index(i).invalidEach("", name, isQualifiedName(name));
    if (seen.has(name)) at.index(i).duplicate("", name);
    seen.add(name);
  }
}

/** Each claim has a name of its own, and is either one that exists or made from a template. */
export function validatePodResourceClaims(
  claims: readonly PodResourceClaim[],
  at: At,
  { isMirror }: { readonly isMirror: boolean },
): void {
  const names = new Set<string>();
  for (const [i, claim] of claims.entries()) {
    if (isMirror) reportAtRoot(at, "static pods do not support resource claims");
    else validateClaim(claim, names, at.index(i));
  }
}

function validateClaim(claim: PodResourceClaim, names: Set<string>, at: At): void {
  const { name, resourceClaimName, resourceClaimTemplateName } = claim;
  if (name === "") at.required("name");
  else if (names.has(name)) at.duplicate("name", name);
  else {
    at.invalidEach("name", name, isDns1123Label(name));
    names.add(name);
  }
  const shown = {
    Name: name,
    ResourceClaimName: resourceClaimName ?? null,
    ResourceClaimTemplateName: resourceClaimTemplateName ?? null,
  };
  if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined)
    at.invalid(
      "",
      shown,
      "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified",
    );
  if (resourceClaimName === undefined && resourceClaimTemplateName === undefined)
    at.invalid("", shown, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
  for (const field of ["resourceClaimName", "resourceClaimTemplateName"] as const) {
    const value = claim[field];
    if (value !== undefined) at.invalidEach(field, value, nameIsDnsSubdomain(value));
  }
}

/** Upstream reports this of the object as a whole, under a name that is empty: it shows as `[]`. */
function reportAtRoot(at: At, detail: string): void {
  let root = at;
  while (root.parent) root = root.parent;
  root.forbidden("[]", detail);
}

/** The group is named. */
export function validateSchedulingGroup({ podGroupName }: PodSchedulingGroup, at: At): void {
  if (podGroupName === undefined)
    at.invalid("podGroupName", null, "must specify one of: `podGroupName`");
  else at.invalidEach("podGroupName", podGroupName, nameIsDnsSubdomain(podGroupName));
}
