import { isHugePageResource } from "../../../api/core/v1/resource-name.ts";
import { isZeroQuantity, parseQuantity } from "../../../schema/values/quantity.ts";
import { quote } from "../../../schema/values/quote.ts";
import { compareUtf8 } from "../../../schema/values/utf8-order.ts";
import type { Validation } from "./validation.ts";

const flag = "enforceNodeAllocatable (--enforce-node-allocatable)";

/** The resources that are enforced, by the cgroup that this needs. */
const enforcements = {
  pods: undefined,
  "system-reserved": "system",
  "system-reserved-compressible": "system",
  "kube-reserved": "kube",
  "kube-reserved-compressible": "kube",
} as const;

/** The enforcement of allocatable resources. */
export function validateEnforcement({ config, invalid }: Validation): void {
  const given = config.enforceNodeAllocatable;
  for (const whose of ["system", "kube"])
    if (given.includes(`${whose}-reserved`) && given.includes(`${whose}-reserved-compressible`))
      invalid(
        `both "${whose}-reserved" and "${whose}-reserved-compressible" cannot be specified together in ${flag}`,
      );
  for (const [i, value] of given.entries()) {
    if (given.indexOf(value) < i) {
      invalid(`duplicated enforcements ${quote(value)} in ${flag}`);
      continue;
    }
    if (value === "none") {
      if (given.length > 1)
        invalid(`${flag} may not contain additional enforcements when "none" is specified`);
      continue;
    }
    if (!isEnforcement(value)) {
      invalid(
        `option ${quote(value)} specified for ${flag}. Valid options are "pods", "system-reserved", "system-reserved-compressible", "kube-reserved", "kube-reserved-compressible" or "none"`,
      );
      continue;
    }
    const whose = enforcements[value];
    if (whose !== undefined && !config[`${whose}ReservedCgroup`])
      invalid(
        `${whose}ReservedCgroup (--${whose}-reserved-cgroup) must be specified when "${whose}-reserved" or "${whose}-reserved-compressible" included in ${flag}`,
      );
    if (!config.cgroupsPerQOS)
      invalid(
        `cgroupsPerQOS (--cgroups-per-qos) must be set to true when ${quote(value)} contained in ${flag}`,
      );
  }
}

const isEnforcement = (value: string): value is keyof typeof enforcements =>
  Object.hasOwn(enforcements, value);

/** The reserved memory of NUMA nodes. */
export function validateReservedMemory({ config, invalid }: Validation): void {
  const seen = new Set<string>();
  // Upstream goes through the map in no order.
  for (const { numaNode, limits = {} } of config.reservedMemory ?? [])
    for (const name of Object.keys(limits).sort(compareUtf8)) {
      if (name !== "memory" && !isHugePageResource(name))
        invalid(
          `the limit type ${quote(name)} for NUMA node ${numaNode} is not supported, only [memory hugepages-<HugePageSize>] is accepted`,
        );
      if (isZeroQuantity(parseQuantity(limits[name] ?? "0")))
        invalid(
          `reserved memory may not be zero for NUMA node ${numaNode} and resource ${quote(name)}`,
        );
      const id = `${numaNode} ${name}`;
      if (seen.has(id))
        invalid(
          `the reserved memory has a duplicate value for NUMA node ${numaNode} and resource ${quote(name)}`,
        );
      seen.add(id);
    }
}
