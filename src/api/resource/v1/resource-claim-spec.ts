import { inline, list, named, strings, value } from "../../../schema/language/field.ts";
import { type Infer, type Struct, struct } from "../../../schema/language/struct.ts";
import { deviceConfiguration } from "./device-configuration.ts";
import { deviceRequest } from "./device-request.ts";
import { inEachVersion, nameIn, type Version } from "./versions.ts";

const deviceConstraint = inEachVersion((version) =>
  struct(nameIn(version, "DeviceConstraint"), {
    requests: strings(1).atomic().doc("The requests that it is about; none for all."),
    matchAttribute: named(2, `${version}.FullyQualifiedName`)
      .pointer()
      .doc("An attribute in which all devices must agree."),
    distinctAttribute: named(3, `${version}.FullyQualifiedName`)
      .pointer()
      .doc("An attribute in which all devices must differ."),
  }).doc("Ties the devices of several requests together."),
);
export interface DeviceConstraint extends Infer<ReturnType<typeof deviceConstraint>> {}

const deviceClaimConfiguration = inEachVersion((version) =>
  struct(nameIn(version, "DeviceClaimConfiguration"), {
    requests: strings(1).atomic().doc("The requests that it is for; none for all."),
    ...inline(2, deviceConfiguration(version)),
  }).doc("How the devices of some requests are set up."),
);

/** What a claim asks for, in a version whose requests look like this. */
export const deviceClaim = <T, I>(version: Version, request: Struct<T, I>) =>
  struct(nameIn(version, "DeviceClaim"), {
    requests: list(1, request).always().atomic().doc("What is asked for, piece by piece."),
    constraints: list(2, deviceConstraint(version))
      .atomic()
      .doc("What the devices must fulfil together."),
    config: list(3, deviceClaimConfiguration(version)).atomic().doc("How the devices are set up."),
  }).doc("The devices that a claim asks for.");

export const resourceClaimSpec = inEachVersion((version) =>
  struct(nameIn(version, "ResourceClaimSpec"), {
    devices: value(1, deviceClaim(version, deviceRequest(version))).doc("The devices."),
  }).doc("What a claim asks for."),
);
export interface ResourceClaimSpec extends Infer<ReturnType<typeof resourceClaimSpec>> {}
export type DeviceClaim = ResourceClaimSpec["devices"];
