import {
  bool,
  inline,
  list,
  mapOf,
  message,
  named,
  raw,
  string,
  strings,
  time,
  value,
} from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { quantityType } from "../../../schema/language/type.ts";
import { NodeSelector } from "../../core/v1/scheduling/node-selector.ts";
import { Condition } from "../../meta/v1/condition.ts";
import { deviceConfiguration } from "./device-configuration.ts";
import { deviceToleration } from "./device-taint.ts";
import { inEachVersion, nameIn } from "./versions.ts";

const deviceRequestAllocationResult = inEachVersion((version) =>
  struct(nameIn(version, "DeviceRequestAllocationResult"), {
    request: string(1).always().expected().doc("The request that the device is for."),
    driver: string(2).always().expected().doc("The driver that has the device."),
    pool: string(3).always().expected().doc("The pool that the device is in."),
    device: string(4).always().expected().doc("Its name in the pool."),
    adminAccess: bool(5).pointer().doc("Whether it may be in use by others."),
    tolerations: list(6, deviceToleration(version))
      .atomic()
      .doc("The tolerations of the request when it was allocated."),
    bindingConditions: strings(7)
      .atomic()
      .doc("Conditions that must be true before a pod is bound."),
    bindingFailureConditions: strings(8)
      .atomic()
      .doc("Conditions of which none may be true when a pod is bound."),
    shareID: named(9, "types.UID").pointer().doc("Which share of a device that several use."),
    consumedCapacity: mapOf(10, quantityType, `${version}.QualifiedName`).doc(
      "How much of the device's capacity is taken.",
    ),
  }).doc("A device that a request got."),
);
export interface DeviceRequestAllocationResult
  extends Infer<ReturnType<typeof deviceRequestAllocationResult>> {}

const deviceAllocationConfiguration = inEachVersion((version) =>
  struct(nameIn(version, "DeviceAllocationConfiguration"), {
    source: named(1, `${version}.AllocationConfigSource`)
      .always()
      .expected()
      .known("FromClass", "FromClaim")
      .doc("Whether it stems from the class or from the claim."),
    requests: strings(2).atomic().doc("The requests that it is for; none for all."),
    ...inline(3, deviceConfiguration(version)),
  }).doc("How the devices of some requests are set up, and who says so."),
);
export interface DeviceAllocationConfiguration
  extends Infer<ReturnType<typeof deviceAllocationConfiguration>> {}

const deviceAllocationResult = inEachVersion((version) =>
  struct(nameIn(version, "DeviceAllocationResult"), {
    results: list(1, deviceRequestAllocationResult(version)).atomic().doc("The devices."),
    config: list(2, deviceAllocationConfiguration(version))
      .atomic()
      .doc("How they are set up: by classes first, then by the claim."),
  }).doc("The devices that a claim got."),
);

export const allocationResult = inEachVersion((version) =>
  struct(nameIn(version, "AllocationResult"), {
    devices: value(1, deviceAllocationResult(version)).doc("The devices."),
    nodeSelector: message(3, NodeSelector).doc("The nodes from which they can be reached."),
    allocationTimestamp: time(5).doc("When they were allocated."),
  }).doc("What a claim got."),
);
export interface AllocationResult extends Infer<ReturnType<typeof allocationResult>> {}

const resourceClaimConsumerReference = inEachVersion((version) =>
  struct(nameIn(version, "ResourceClaimConsumerReference"), {
    apiGroup: string(1).doc("The group of the consumer; none for the core."),
    resource: string(3).always().expected().doc("Its resource, such as pods."),
    name: string(4).always().expected().doc("Its name."),
    uid: named(5, "types.UID").always().expected().doc("Its uid."),
  }).doc("Who may use what a claim got."),
);
export interface ResourceClaimConsumerReference
  extends Infer<ReturnType<typeof resourceClaimConsumerReference>> {}

const networkDeviceData = inEachVersion((version) =>
  struct(nameIn(version, "NetworkDeviceData"), {
    interfaceName: string(1).doc("The network interface of the device."),
    ips: strings(2).atomic().doc("Its addresses, with the length of their prefixes."),
    hardwareAddress: string(3).doc("Its address in the local network."),
  }).doc("What is known of a device for networking."),
);
export interface NetworkDeviceData extends Infer<ReturnType<typeof networkDeviceData>> {}

const allocatedDeviceStatus = inEachVersion((version) =>
  struct(nameIn(version, "AllocatedDeviceStatus"), {
    driver: string(1).always().expected().doc("The driver that has the device."),
    pool: string(2).always().expected().doc("The pool that the device is in."),
    device: string(3).always().expected().doc("Its name in the pool."),
    shareID: string(7).pointer().doc("Which share of a device that several use."),
    conditions: list(4, Condition).always().mapKeys("type").doc("The state of the device."),
    data: raw(5).doc("An object that only the driver understands."),
    networkData: message(6, networkDeviceData(version)).doc("What a network device tells."),
  }).doc("What a driver tells of a device that was allocated."),
);
export interface AllocatedDeviceStatus extends Infer<ReturnType<typeof allocatedDeviceStatus>> {}

export const resourceClaimStatus = inEachVersion((version) =>
  struct(nameIn(version, "ResourceClaimStatus"), {
    allocation: message(1, allocationResult(version)).doc("What the claim got, once it has."),
    reservedFor: list(2, resourceClaimConsumerReference(version))
      .keyedBy("uid")
      .doc("Who may use it."),
    devices: list(4, allocatedDeviceStatus(version))
      .mapKeys("driver", "device", "pool", "shareID")
      .doc("What drivers tell of the devices."),
  }).doc("What became of a claim."),
);
export interface ResourceClaimStatus extends Infer<ReturnType<typeof resourceClaimStatus>> {}
