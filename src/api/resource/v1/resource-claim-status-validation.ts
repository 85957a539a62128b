import type { At } from "../../../schema/language/report.ts";
import { isValidInterfaceAddress } from "../../../schema/values/ip.ts";
import { validateNodeSelector } from "../../core/v1/scheduling/node-selector-validation.ts";
import { validateConditions } from "../../meta/v1/condition.ts";
import { internalForm } from "../../meta/v1/internal-form.ts";
import { semanticEqual } from "../../meta/v1/semantic-equal.ts";
import { validateBindingConditions } from "./binding-conditions.ts";
import { byteLength, validateItems, validateSet } from "./bounded.ts";
import {
  type RequestNames,
  validateRequestName,
  validateRequestNames,
} from "./device-claim-validation.ts";
import {
  maxConfigurations,
  validateDeviceConfiguration,
  validateRawObject,
} from "./device-configuration.ts";
import {
  type AllocatedDeviceStatus,
  type AllocationResult,
  allocationResult,
  type DeviceAllocationConfiguration,
  type DeviceRequestAllocationResult,
  type NetworkDeviceData,
  type ResourceClaimConsumerReference,
  type ResourceClaimStatus,
} from "./resource-claim-status.ts";
import {
  validateDriverName,
  validatePoolName,
  validateShortName,
  validateUuid,
} from "./resource-names.ts";

const maxReservations = 256;
const maxResults = 32;
const maxConditions = 8;
const maxData = 10 * 1024;
const maxAddresses = 16;
const maxInterfaceName = 256;
const maxHardwareAddress = 128;

export interface StatusContext {
  readonly old: ResourceClaimStatus;
  /** Its deletion has been asked for. */
  readonly isDeleted: boolean;
  readonly requests: RequestNames;
}

/** The rules of an update of the status of a claim. */
export function validateClaimStatus(
  status: ResourceClaimStatus,
  at: At,
  { old, isDeleted, requests }: StatusContext,
): void {
  const { allocation, reservedFor = [] } = status;
  validateSet(reservedFor, at.child("reservedFor"), {
    max: maxReservations,
    item: validateConsumer,
    key: ({ uid }) => uid,
  });
  const allocated = new Set((allocation?.devices.results ?? []).map(deviceIdOf));
  validateSet(status.devices, at.child("devices"), {
    max: -1,
    item: (device, here) => validateDeviceStatus(device, here, allocated),
    key: shownDeviceId,
  });
  if (reservedFor.length > 0) {
    if (!allocation)
      at.forbidden("reservedFor", "may not be specified when `allocated` is not set");
    else if (isDeleted && hasNewConsumer(reservedFor, old.reservedFor ?? []))
      at.forbidden(
        "reservedFor",
        "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set",
      );
  }
  if (!allocation) return;
  // What is stored was validated under the rules of its time.
  if (!old.allocation) validateAllocation(allocation, at.child("allocation"), requests);
  else if (!semanticEqual(allocationResult("v1"), allocation, old.allocation))
    at.invalid(
      "allocation",
      internalForm(allocationResult("v1"), allocation),
      "field is immutable",
    );
}

/** Driver, pool, device and share of a device that was allocated, as one text. */
export const deviceIdOf = (device: DeviceId): string => JSON.stringify(shownDeviceId(device));

interface DeviceId {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  readonly shareID?: string | undefined;
}

const shownDeviceId = ({ driver, pool, device, shareID = "" }: DeviceId) => ({
  Driver: driver,
  Pool: pool,
  Device: device,
  ShareID: shareID,
});

function hasNewConsumer(
  consumers: readonly ResourceClaimConsumerReference[],
  old: readonly ResourceClaimConsumerReference[],
): boolean {
  const known = new Set(old.map(consumerKey));
  return consumers.some((consumer) => !known.has(consumerKey(consumer)));
}

const consumerKey = ({ apiGroup = "", resource, name, uid }: ResourceClaimConsumerReference) =>
  JSON.stringify([apiGroup, resource, name, uid]);

function validateConsumer(reference: ResourceClaimConsumerReference, at: At): void {
  for (const field of ["resource", "name", "uid"] as const)
    if (!reference[field]) at.required(field);
}

function validateDeviceStatus(
  device: AllocatedDeviceStatus,
  at: At,
  allocated: ReadonlySet<string>,
): void {
  const { shareID, conditions, data } = device;
  validateDeviceNames(device, at);
  if (shareID !== undefined) validateUuid(shareID, at.child("shareID"));
  if (!allocated.has(deviceIdOf(device)))
    at.invalid("", shownDeviceId(device), "must be an allocated device in the claim");
  if ((conditions ?? []).length > maxConditions)
    at.tooMany("conditions", conditions.length, maxConditions);
  validateConditions(conditions ?? [], at.child("conditions"));
  if (data !== undefined && data !== null) validateRawObject(data, at.child("data"), maxData);
  if (device.networkData) validateNetworkData(device.networkData, at.child("networkData"));
}

function validateDeviceNames({ driver, pool, device }: DeviceId, at: At): void {
  validateDriverName(driver, at.child("driver"));
  validatePoolName(pool, at.child("pool"));
  validateShortName(device, at.child("device"));
}

function validateNetworkData(data: NetworkDeviceData, at: At): void {
  const { interfaceName = "", hardwareAddress = "" } = data;
  if (byteLength(interfaceName) > maxInterfaceName) at.tooLong("interfaceName", maxInterfaceName);
  if (byteLength(hardwareAddress) > maxHardwareAddress)
    at.tooLong("hardwareAddress", maxHardwareAddress);
  validateSet(data.ips, at.child("ips"), {
    max: maxAddresses,
    item: (address, here) => here.invalidEach("", address, isValidInterfaceAddress(address)),
    key: (address) => address,
  });
}

function validateAllocation(
  { devices, nodeSelector }: AllocationResult,
  at: At,
  requests: RequestNames,
): void {
  const here = at.child("devices");
  validateItems(devices.results, here.child("results"), {
    max: maxResults,
    item: (result, place) => validateResult(result, place, requests),
  });
  validateItems(devices.config, here.child("config"), {
    // Those of the class, and those of the claim.
    max: 2 * maxConfigurations,
    item: (config, place) => validateAllocatedConfiguration(config, place, requests),
  });
  if (nodeSelector) validateNodeSelector(nodeSelector, at.child("nodeSelector"));
}

function validateResult(
  result: DeviceRequestAllocationResult,
  at: At,
  requests: RequestNames,
): void {
  validateRequestName(result.request, at.child("request"), requests);
  validateDeviceNames(result, at);
  validateBindingConditions(result, at);
  if (result.shareID !== undefined) validateUuid(result.shareID, at.child("shareID"));
}

function validateAllocatedConfiguration(
  config: DeviceAllocationConfiguration,
  at: At,
  requests: RequestNames,
): void {
  if (config.source === "") at.required("source");
  else if (!["FromClaim", "FromClass"].includes(config.source))
    at.notSupported("source", config.source, ["FromClaim", "FromClass"]);
  validateRequestNames(config.requests, at.child("requests"), requests);
  validateDeviceConfiguration(config, at);
}
