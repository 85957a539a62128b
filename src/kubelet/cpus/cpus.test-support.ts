import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { machines } from "../topology/machines.test-support.ts";
import type { CpuPolicyOptions } from "./cpu-policy-options.ts";
import { parseCpuSet } from "./cpu-set.ts";
import { cpuTopology } from "./cpu-topology.ts";
import { type StaticCpuPolicy, staticCpuPolicy } from "./static-cpu-policy.ts";

export interface PolicyCase {
  readonly machine: keyof typeof machines;
  readonly reserved?: string;
  readonly options?: readonly (CpuPolicyOptions extends ReadonlySet<infer O> ? O : never)[];
}

/** A policy for a machine that reserves these CPUs. */
export function policyOf({ machine, reserved = "0", options = [] }: PolicyCase): StaticCpuPolicy {
  const reservedCpus = parseCpuSet(reserved);
  return staticCpuPolicy({
    topology: cpuTopology(machines[machine]),
    options: new Set(options),
    ...{ reservedCpus, reservedCount: reservedCpus.size },
  });
}

/**
 * A guaranteed pod whose containers request these CPUs, as `init=1 sidecar=2 app=1`: the first word of a name says
 * what it is.
 */
export function guaranteedPod(uid: string, containers: string, more: object = {}): Pod {
  const all = containers.split(" ").map((text) => {
    const [name = "", cpu] = text.split("=");
    const amounts = { cpu, memory: "1Gi" };
    return {
      ...{ name, resources: { requests: amounts, limits: amounts } },
      ...(name.startsWith("sidecar") && { restartPolicy: "Always" }),
    };
  });
  const isInit = ({ name }: { readonly name: string }): boolean => /^(init|sidecar)/.test(name);
  return {
    metadata: { uid, name: uid, namespace: "default" },
    spec: {
      initContainers: all.filter(isInit),
      containers: all.filter((one) => !isInit(one)),
      ...more,
    },
    status: {},
  } as unknown as Pod;
}
