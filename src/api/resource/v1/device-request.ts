import {
  bool,
  int64,
  list,
  mapOf,
  message,
  named,
  string,
} from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { quantityType } from "../../../schema/language/type.ts";
import { deviceSelector } from "./device-selector.ts";
import { deviceToleration } from "./device-taint.ts";
import { inEachVersion, nameIn, type Version } from "./versions.ts";

const capacityRequirements = inEachVersion((version) =>
  struct(nameIn(version, "CapacityRequirements"), {
    requests: mapOf(1, quantityType, `${version}.QualifiedName`).doc(
      "How much of which capacity is needed.",
    ),
  }).doc("What a device must have left."),
);

/** The lines that all forms of a request share. */
export const requestFields = (version: Version) => ({
  deviceClassName: (tag: number) => string(tag).always().doc("The class of the devices."),
  selectors: (tag: number) =>
    list(tag, deviceSelector(version))
      .atomic()
      .doc("What a device must fulfil beside being of the class."),
  allocationMode: (tag: number) =>
    named(tag, `${version}.DeviceAllocationMode`).doc("A certain number of devices, or all."),
  count: (tag: number) => int64(tag).doc("How many devices, where it is a number."),
  adminAccess: (tag: number) =>
    bool(tag).pointer().doc("Whether devices may be had that others use, to look after them."),
  tolerations: (tag: number) =>
    list(tag, deviceToleration(version)).atomic().doc("Taints that devices may have."),
  capacity: (tag: number) =>
    message(tag, capacityRequirements(version)).doc("What must be left of a shared device."),
});

const exactDeviceRequest = inEachVersion((version) => {
  const line = requestFields(version);
  return struct(nameIn(version, "ExactDeviceRequest"), {
    deviceClassName: line.deviceClassName(1).expected(),
    selectors: line.selectors(2),
    allocationMode: line.allocationMode(3),
    count: line.count(4),
    adminAccess: line.adminAccess(5),
    tolerations: line.tolerations(6),
    capacity: line.capacity(7),
  })
    .defaults(defaultAllocation)
    .doc("Asks for devices of one class.");
});
export interface ExactDeviceRequest extends Infer<ReturnType<typeof exactDeviceRequest>> {}

export const deviceSubRequest = inEachVersion((version) => {
  const line = requestFields(version);
  const later = version === "v1beta1" ? 1 : 0;
  return struct(nameIn(version, "DeviceSubRequest"), {
    name: string(1).always().expected().doc("What the alternative is called."),
    deviceClassName: line.deviceClassName(2).expected(),
    selectors: line.selectors(3),
    allocationMode: line.allocationMode(4),
    count: line.count(5),
    tolerations: line.tolerations(6 + later),
    capacity: line.capacity(7 + later),
  })
    .defaults(defaultAllocation)
    .doc("One of the alternatives of a request.");
});
export interface DeviceSubRequest extends Infer<ReturnType<typeof deviceSubRequest>> {}

export const deviceRequest = inEachVersion((version) =>
  struct(nameIn(version, "DeviceRequest"), {
    name: string(1).always().expected().doc("What the request is called."),
    exactly: message(2, exactDeviceRequest(version)).doc("Just these devices."),
    firstAvailable: list(3, deviceSubRequest(version))
      .atomic()
      .doc("Alternatives, of which the first that can be had is taken."),
  }).doc("Asks for devices for one purpose."),
);
export interface DeviceRequest extends Infer<ReturnType<typeof deviceRequest>> {}

/** One device, where nothing else is said. */
export function defaultAllocation(request: {
  allocationMode?: string | undefined;
  count?: number | undefined;
}): void {
  request.allocationMode ||= "ExactCount";
  if (request.allocationMode === "ExactCount") request.count ||= 1;
}
