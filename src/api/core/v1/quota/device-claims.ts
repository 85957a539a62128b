import {
  compareQuantities,
  type Quantity,
  quantityOf,
  quantitySign,
  subtractQuantities,
} from "../../../../schema/values/quantity.ts";
import type { OwnerReference } from "../../../meta/v1/object-meta.ts";
import type { DeviceClass } from "../../../resource/v1/device-class.ts";
import type { DeviceRequest, DeviceSubRequest } from "../../../resource/v1/device-request.ts";
import type { ResourceClaim } from "../../../resource/v1/resource-claim.ts";
import type { Pod } from "../pod/pod.ts";
import { timeOf } from "../pod/pod-state.ts";
import { type Amounts, add, one, zero } from "./amounts.ts";
import type { QuotaEvaluator } from "./evaluator.ts";
import { deviceClassPrefix, isExtendedRequest, podQuota } from "./pods.ts";

/** What else has to be known to say what a claim of devices uses. */
export interface ClaimSurroundings {
  readonly now: () => number;
  deviceClasses(): readonly DeviceClass[];
  pod(namespace: string, name: string): Pod | undefined;
  claims(namespace: string): readonly ResourceClaim[];
}

const counted = "count/resourceclaims.resource.k8s.io";
/** After the name of a device class. */
const perClass = ".deviceclass.resource.k8s.io/devices";
/** So many devices a claim can have at most: what one that asks for all of them is reckoned as. */
const mostDevices = 32;

/**
 * What claims of devices use: their number, and devices by class. A class that pods know as an extended
 * resource is counted as that, too; but what the pod asks for that a claim was made for, the pod uses.
 */
export function deviceClaimQuota(around: ClaimSurroundings): QuotaEvaluator<ResourceClaim> {
  const pods = podQuota(around.now);
  return {
    group: "resource.k8s.io",
    plural: "resourceclaims",
    tracks(name) {
      if (name === counted || name.endsWith(perClass)) return true;
      if (!isExtendedRequest(name)) return false;
      const resource = name.slice("requests.".length);
      return around
        .deviceClasses()
        .some(
          ({ metadata, spec }) =>
            spec.extendedResourceName === resource ||
            resource === `${deviceClassPrefix}${metadata.name}`,
        );
    },
    charges: ({ subresource }) => subresource === "",
    usage(claim) {
      const devices = (claim.spec.devices?.requests ?? [])
        .map(devicesByClass)
        .reduce(add, new Map());
      const pod = podServedBy(claim, around);
      const usage = new Map([[counted, one]]);
      for (const [name, count] of devices) usage.set(`${name}${perClass}`, count);
      for (const [name, count] of asExtended(
        devices,
        around.deviceClasses(),
        pod && pods.usage(pod),
      ))
        usage.set(name, count);
      return usage;
    },
  };
}

/** The devices that a request can come to have; of alternatives the most of each class. */
function devicesByClass({ exactly, firstAvailable = [] }: DeviceRequest): Amounts {
  const most = new Map<string, Quantity>();
  if (firstAvailable.length === 0)
    return exactly ? most.set(exactly.deviceClassName, devicesOf(exactly)) : most;
  for (const alternative of firstAvailable) {
    const count = devicesOf(alternative);
    const before = most.get(alternative.deviceClassName) ?? zero;
    if (compareQuantities(count, before) > 0) most.set(alternative.deviceClassName, count);
  }
  return most;
}

function devicesOf({
  allocationMode,
  count = 0,
}: Pick<DeviceSubRequest, "allocationMode" | "count">): Quantity {
  if (allocationMode === "ExactCount") return quantityOf(count);
  return allocationMode === "All" ? quantityOf(mostDevices) : zero;
}

/** The same devices by the names that pods ask for them by, less what the pod is charged with. */
function asExtended(
  devices: Amounts,
  classes: readonly DeviceClass[],
  charged: Amounts = new Map(),
): Amounts {
  const named = [...devices].flatMap(([name, count]): [string, Quantity][] => {
    const extended = classes.find(({ metadata }) => metadata.name === name)?.spec
      .extendedResourceName;
    const implicit: [string, Quantity] = [`requests.${deviceClassPrefix}${name}`, count];
    return extended ? [implicit, [`requests.${extended}`, count]] : [implicit];
  });
  return new Map(
    named
      .map(([name, count]): [string, Quantity] => [
        name,
        subtractQuantities(count, charged.get(name) ?? zero),
      ])
      .filter(([, count]) => quantitySign(count) > 0),
  );
}

/** The pod for whose extended resources a claim was made; the first claim, where it does not say which. */
function podServedBy(claim: ResourceClaim, around: ClaimSurroundings): Pod | undefined {
  const owner = podOwning(claim);
  const { namespace = "", name } = claim.metadata;
  const pod = owner && around.pod(namespace, owner.name);
  if (!pod || pod.metadata.uid !== owner.uid) return undefined;
  const status = pod.status.extendedResourceClaimStatus;
  if (status) return status.resourceClaimName === name ? pod : undefined;
  const isFirst = !around
    .claims(namespace)
    .some((other) => podOwning(other)?.uid === owner.uid && comesBefore(other, claim));
  return isFirst ? pod : undefined;
}

/** The pod that controls a claim which was made for extended resources. */
function podOwning({ metadata }: ResourceClaim): OwnerReference | undefined {
  if (metadata.annotations?.["resource.kubernetes.io/extended-resource-claim"] !== "true")
    return undefined;
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  return owner?.kind === "Pod" && owner.apiVersion === "v1" ? owner : undefined;
}

function comesBefore({ metadata: a }: ResourceClaim, { metadata: b }: ResourceClaim): boolean {
  const age = (timeOf(a.creationTimestamp) ?? 0) - (timeOf(b.creationTimestamp) ?? 0);
  return age < 0 || (age === 0 && (a.name ?? "") < (b.name ?? ""));
}
