import type { DeviceSettings } from "../container-settings.ts";
import type { OciDeviceRule } from "./oci-types.ts";

/**
 * The rules of the device cgroup, of which a later one overrides an earlier one: a privileged container may use
 * every device, any other the harmless ones and those it was given. Nodes of other devices can be made, but not
 * opened.
 */
export function deviceRules(
  devices: readonly DeviceSettings[],
  isPrivileged: boolean,
): OciDeviceRule[] {
  if (isPrivileged) return [{ allow: true, access: "rwm" }];
  return [
    { allow: false, access: "rwm" },
    { allow: true, type: "c", access: "m" },
    { allow: true, type: "b", access: "m" },
    ...harmless.map(([major, minor]) => ({
      allow: true,
      type: "c",
      major,
      ...(minor !== undefined && { minor }),
      access: "rwm",
    })),
    ...devices.filter(({ type }) => type !== "p").map(ruleOf),
  ];
}

/** The major and minor numbers of character devices that every container has. */
const harmless: readonly (readonly [major: number, minor?: number])[] = [
  [1, 3], // /dev/null
  [1, 5], // /dev/zero
  [1, 7], // /dev/full
  [1, 8], // /dev/random
  [1, 9], // /dev/urandom
  [5, 0], // /dev/tty
  [5, 1], // /dev/console
  [5, 2], // /dev/ptmx
  [136], // /dev/pts/*
];

function ruleOf({ type, major, minor, access }: DeviceSettings): OciDeviceRule {
  return { allow: true, type, major, minor, access };
}
