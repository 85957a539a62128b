import type { At } from "../../../../../schema/language/report.ts";
import { isValidIpForLegacyField, parseIpSloppy } from "../../../../../schema/values/ip.ts";
import {
  isDns1123Label,
  isQualifiedName,
  nameIsDnsSubdomain,
} from "../../../../../schema/values/names.ts";
import { parseQuantity, quantitySign } from "../../../../../schema/values/quantity.ts";
import type { ObjectMeta } from "../../../../meta/v1/object-meta.ts";
import {
  validateAllocatedResourcesStatus,
  validateContainerStateTransition,
  validateContainerStatusUsers,
  validateEphemeralContainerStateTransition,
  validateNoAllocatedResourcesStatus,
} from "../../container/container-status-validation.ts";
import { isNativeResource } from "../../resource-name.ts";
import type { PodResourceClaim } from "../../scheduling/scheduling.ts";
import type { PodSpec } from "../pod-spec.ts";
import type { PodCondition, PodExtendedResourceClaimStatus, PodStatus } from "../pod-status.ts";
import { validatePodAnnotationsUpdate } from "./pod-annotation-validation.ts";
import { podValidationOptions } from "./pod-ratcheting.ts";

interface PodLike {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
  readonly status: PodStatus;
}

/** What may change in a pod's status; `at` is the pod. */
export function validatePodStatusUpdate(pod: PodLike, old: PodLike, at: At): void {
  const { status, spec } = pod;
  const here = at.child("status");
  validatePodAnnotationsUpdate(pod, old, {
    at: at.child("metadata").child("annotations"),
    options: () => ({ ...podValidationOptions(old), resourceIsPod: true }),
  });
  validateConditions(status.conditions ?? [], here.child("conditions"));
  if ((spec.nodeName ?? "") !== (old.spec.nodeName ?? ""))
    here.forbidden("nodeName", "may not be changed directly");
  validateNomination(pod, old, here);
  if ((status.observedGeneration ?? 0) < 0)
    here.invalid("observedGeneration", status.observedGeneration, "must be a non-negative integer");
  if ((status.qosClass ?? "") !== (old.status.qosClass ?? ""))
    here.invalid("qosClass", status.qosClass ?? "", "field is immutable");
  validateTransitions(status, old, here);
  validateClaimStatuses(status, spec.resourceClaims ?? [], here.child("resourceClaimStatuses"));
  if (status.extendedResourceClaimStatus)
    validateExtendedClaim(
      status.extendedResourceClaimStatus,
      spec,
      here.child("extendedResourceClaimStatus"),
    );
  validateAllocatableClaims(
    status,
    spec.resourceClaims ?? [],
    here.child("nodeAllocatableResourceClaimStatuses"),
  );
  validateIps("podIPs", status, { old: old.status, at: here });
  if (status.hostIPs?.[0] && status.hostIPs[0].ip !== (status.hostIP ?? ""))
    here.child("hostIPs").index(0).invalid("ip", status.hostIPs[0].ip, "must be equal to `hostIP`");
  validateIps("hostIPs", status, { old: old.status, at: here });
  for (const list of statusLists)
    validateContainerStatusUsers(status[list], here.child(list), spec.os?.name);
  validateAllocatedResourcesStatus(
    status.containerStatuses,
    here.child("containerStatuses"),
    spec.containers ?? [],
  );
  validateAllocatedResourcesStatus(
    status.initContainerStatuses,
    here.child("initContainerStatuses"),
    spec.initContainers,
  );
  validateNoAllocatedResourcesStatus(
    status.ephemeralContainerStatuses,
    here.child("ephemeralContainerStatuses"),
  );
}

const statusLists = [
  "containerStatuses",
  "initContainerStatuses",
  "ephemeralContainerStatuses",
] as const;

const systemConditions = ["PodScheduled", "Ready", "Initialized"];

function validateConditions(conditions: readonly PodCondition[], at: At): void {
  for (const [i, { type, observedGeneration = 0 }] of conditions.entries()) {
    if (observedGeneration < 0)
      at.index(i).invalid(
        "observedGeneration",
        observedGeneration,
        "must be a non-negative integer",
      );
    if (!systemConditions.includes(type))
      at.index(i).invalidEach("Type", type, isQualifiedName(type));
  }
}

function validateNomination({ status }: PodLike, old: PodLike, at: At): void {
  const { nominatedNodeName: name } = status;
  if (!name || name === old.status.nominatedNodeName) return;
  at.invalidEach("nominatedNodeName", name, nameIsDnsSubdomain(name));
  if (old.spec.nodeName)
    at.forbidden("nominatedNodeName", "may not be set on pods that are already bound to a node");
}

function validateTransitions(status: PodStatus, { spec, status: old }: PodLike, at: At): void {
  validateContainerStateTransition(status.containerStatuses, at.child("containerStatuses"), {
    old: old.containerStatuses,
    spec,
    containers: spec.containers ?? [],
  });
  validateContainerStateTransition(
    status.initContainerStatuses,
    at.child("initContainerStatuses"),
    { old: old.initContainerStatuses, spec, containers: spec.initContainers },
  );
  validateEphemeralContainerStateTransition(
    status.ephemeralContainerStatuses,
    at.child("ephemeralContainerStatuses"),
    old.ephemeralContainerStatuses,
  );
}

function validateClaimStatuses(
  { resourceClaimStatuses = [] }: PodStatus,
  claims: readonly PodResourceClaim[],
  at: At,
): void {
  const names = new Set<string>();
  for (const [i, { name, resourceClaimName }] of resourceClaimStatuses.entries()) {
    const here = at.index(i);
    if (!claims.some((claim) => claim.name === name))
      here.invalid("name", name, "must match the name of an entry in `spec.resourceClaims`");
    if (names.has(name)) here.duplicate("name", name);
    names.add(name);
    if (resourceClaimName !== undefined)
      here.invalidEach(
        "resourceClaimName",
        resourceClaimName,
        nameIsDnsSubdomain(resourceClaimName),
      );
  }
}

function validateExtendedClaim(
  { requestMappings, resourceClaimName }: PodExtendedResourceClaimStatus,
  { initContainers = [], containers }: PodSpec,
  at: At,
): void {
  const mappingsAt = at.child("requestMappings");
  if (!requestMappings?.length) mappingsAt.required("", "at least one request mapping is required");
  const byName = new Map([...initContainers, ...(containers ?? [])].map((one) => [one.name, one]));
  const seen = new Set<string>();
  for (const [i, mapping] of (requestMappings ?? []).entries()) {
    const { containerName, resourceName, requestName } = mapping;
    const here = mappingsAt.index(i);
    const container = byName.get(containerName);
    if (!container)
      here.invalid(
        "containerName",
        containerName,
        "must match the name of an entry in spec.initContainers.name or spec.containers.name",
      );
    else if (!Object.hasOwn(container.resources.requests ?? {}, resourceName))
      here.invalid(
        "resourceName",
        resourceName,
        "must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests",
      );
    at.invalidEach("requestName", requestName, isDns1123Label(requestName));
    const key = JSON.stringify([containerName, resourceName, requestName]);
    if (seen.has(key))
      for (const field of ["containerName", "resourceName", "requestName"] as const)
        here.duplicate(field, mapping[field]);
    seen.add(key);
  }
  if (resourceClaimName === "") at.required("resourceClaimName");
  else
    at.invalidEach("resourceClaimName", resourceClaimName, nameIsDnsSubdomain(resourceClaimName));
}

function validateAllocatableClaims(
  { nodeAllocatableResourceClaimStatuses: statuses = [], resourceClaimStatuses = [] }: PodStatus,
  claims: readonly PodResourceClaim[],
  at: At,
): void {
  for (const [i, { resourceClaimName, containers = [], resources }] of statuses.entries()) {
    const here = at.index(i);
    if (resourceClaimName === "") here.required("resourceClaimName", "must not be empty");
    if (
      ![...claims, ...resourceClaimStatuses].some(
        (one) => one.resourceClaimName === resourceClaimName,
      )
    )
      here.invalid("resourceClaimName", resourceClaimName, "no mapping found in pod reference");
    if (containers.length === 0) here.required("containers", "must not be empty");
    const amounts = Object.entries(resources ?? {});
    if (amounts.length === 0) here.required("resources", "must not be empty");
    for (const [name, amount] of amounts) {
      const place = here.child("resources").key(name);
      if (!isNativeResource(name))
        place.invalid("", name, "must be a node allocatable resource name");
      if (quantitySign(parseQuantity(amount)) < 0)
        place.invalid("", amount, "must be non-negative");
    }
  }
}

/** Addresses are valid, or were there before; at most one of each family. */
function validateIps(
  field: "podIPs" | "hostIPs",
  status: PodStatus,
  { old, at }: { readonly old: PodStatus; readonly at: At },
): void {
  const ips = (status[field] ?? []).map(({ ip }) => ip);
  const here = at.child(field);
  const validOld = (old[field] ?? []).map(({ ip }) => ip);
  for (const [i, ip] of ips.entries())
    here.index(i).invalidEach("", ip, isValidIpForLegacyField(ip, { strict: true, validOld }));
  if (ips.length < 2) return;
  const families = ips.map((ip) => parseIpSloppy(ip)?.version);
  const bad = families.indexOf(undefined);
  if (bad >= 0)
    here.internal("", `failed to check for dual stack with error:invalid IP[${bad}]: ${ips[bad]}`);
  if (bad >= 0 || ips.length > 2 || families[0] === families[1])
    here.invalid(
      "",
      ips.map((ip) => ({ IP: ip })),
      "may specify no more than one IP for each IP family",
    );
}
