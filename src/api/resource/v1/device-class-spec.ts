import { inline, list, string } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { sameValue } from "../../../schema/language/validate.ts";
import { isExtendedResource } from "../../core/v1/resource-name.ts";
import { validateItems } from "./bounded.ts";
import {
  deviceConfiguration,
  maxConfigurations,
  validateDeviceConfiguration,
} from "./device-configuration.ts";
import { deviceSelector, validateSelectors } from "./device-selector.ts";
import { inEachVersion, nameIn } from "./versions.ts";

const deviceClassConfiguration = inEachVersion((version) =>
  struct(nameIn(version, "DeviceClassConfiguration"), {
    ...inline(1, deviceConfiguration(version)),
  }).doc("How devices of a class are set up."),
);

export const deviceClassSpec = inEachVersion((version) =>
  struct(nameIn(version, "DeviceClassSpec"), {
    selectors: list(1, deviceSelector(version))
      .atomic()
      .doc("What a device must fulfil to be of the class; all of them."),
    config: list(2, deviceClassConfiguration(version))
      .atomic()
      .doc("How devices that are had through the class are set up."),
    extendedResourceName: string(4)
      .pointer()
      .doc("The extended resource by which pods can ask for such devices."),
  }).doc("Which devices are of a class."),
);
export interface DeviceClassSpec extends Infer<ReturnType<typeof deviceClassSpec>> {}

/** The rules of a class; what has not changed may be as it is. */
export function validateDeviceClassSpec(
  { selectors, config, extendedResourceName }: DeviceClassSpec,
  at: At,
  old: DeviceClassSpec | undefined,
): void {
  const stored = old !== undefined && sameValue(config, old.config);
  validateSelectors(selectors, at.child("selectors"), {
    stored: old !== undefined && sameValue(selectors, old.selectors),
  });
  validateItems(config, at.child("config"), {
    max: maxConfigurations,
    item: (configuration, here) => validateDeviceConfiguration(configuration, here, { stored }),
  });
  if (extendedResourceName !== undefined && !isExtendedResource(extendedResourceName))
    at.invalid(
      "extendedResourceName",
      extendedResourceName,
      "must be a valid extended resource name",
    );
}
