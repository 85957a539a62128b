import { addQuantities, parseQuantity, quantityMilliValue } from "../../schema/values/quantity.ts";
import type { KubeletConfiguration } from "../config/kubelet-configuration.ts";
import { cpusWithout, formatCpuSet, parseCpuSet } from "./cpu-set.ts";
import type { CpuTopology } from "./cpu-topology.ts";

type Reserving = Pick<
  KubeletConfiguration,
  "reservedSystemCPUs" | "systemReserved" | "kubeReserved"
>;

/** A configuration in which CPUs that are reserved by their numbers replace reserved amounts. Throws if the machine does not have them. */
export function withReservedCpus<C extends Reserving>(config: C, { places }: CpuTopology): C {
  const text = config.reservedSystemCPUs ?? "";
  if (text === "") return config;
  const reserved = parseCpuSet(text);
  const online = new Set(places.keys());
  if (cpusWithout(reserved, online).size > 0)
    throw new Error(
      `reserved-cpus: ${text} is not a subset of online-cpus: ${formatCpuSet(online)}`,
    );
  const { cpu: _, ...kubeReserved } = config.kubeReserved ?? {};
  return {
    ...config,
    kubeReserved,
    systemReserved: { ...config.systemReserved, cpu: String(reserved.size) },
  };
}

/** How many CPUs amounts reserve: parts of one count as one. Throws if that is none. */
export function reservedCpuCount({ systemReserved = {}, kubeReserved = {} }: Reserving): number {
  const total = addQuantities(
    parseQuantity(systemReserved.cpu ?? "0"),
    parseQuantity(kubeReserved.cpu ?? "0"),
  );
  const count = Math.ceil(quantityMilliValue(total) / 1000);
  if (count === 0)
    throw new Error("[cpumanager] unable to determine reserved CPU resources for static policy");
  return count;
}
