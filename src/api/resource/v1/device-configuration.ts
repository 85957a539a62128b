import { message, raw, string } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { byteLength } from "./bounded.ts";
import { validateDriverName } from "./resource-names.ts";
import { inEachVersion, nameIn } from "./versions.ts";

const opaqueDeviceConfiguration = inEachVersion((version) =>
  struct(nameIn(version, "OpaqueDeviceConfiguration"), {
    driver: string(1).always().expected().doc("The driver that the parameters are for."),
    parameters: raw(2).always().expected().doc("An object that only the driver understands."),
  }).doc("Parameters for a driver, which nobody else looks into."),
);

export const deviceConfiguration = inEachVersion((version) =>
  struct(nameIn(version, "DeviceConfiguration"), {
    opaque: message(1, opaqueDeviceConfiguration(version)).doc("Parameters for a driver."),
  }).doc("How a device is set up."),
);
export interface DeviceConfiguration extends Infer<ReturnType<typeof deviceConfiguration>> {}

/** The most configurations that a claim or a class may have. */
export const maxConfigurations = 32;
const maxParameters = 10 * 1024;

export interface ConfigurationOptions {
  /** They are stored already, and may be of any length. */
  readonly stored?: boolean;
}

export function validateDeviceConfiguration(
  { opaque }: DeviceConfiguration,
  at: At,
  { stored = false }: ConfigurationOptions = {},
): void {
  if (!opaque) {
    at.required("opaque");
    return;
  }
  const here = at.child("opaque");
  validateDriverName(opaque.driver, here.child("driver"));
  validateRawObject(
    opaque.parameters,
    here.child("parameters"),
    stored ? undefined : maxParameters,
  );
}

/** What only a driver understands must at least be an object, and not too long. */
export function validateRawObject(value: unknown, at: At, max: number | undefined): void {
  if (value === undefined || value === null) at.required();
  else if (max !== undefined && byteLength(JSON.stringify(value)) > max) at.tooLong("", max);
  else if (typeof value !== "object" || Array.isArray(value))
    at.invalid("", "<value omitted>", "must be a valid JSON object");
}
