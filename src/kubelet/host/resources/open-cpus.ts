import { join } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import { errorMessage } from "../../../base/error-message.ts";
import type { Log } from "../../../base/log.ts";
import type { Metrics } from "../../../base/metrics.ts";
import type { RuntimeService } from "../../../cri/runtime-service.ts";
import { durationMillis } from "../../../schema/values/duration.ts";
import { quote } from "../../../schema/values/quote.ts";
import type { KubeletConfiguration } from "../../config/kubelet-configuration.ts";
import { CpuAssignments, checkAssignments } from "../../cpus/cpu-assignments.ts";
import { decodeCpuCheckpoint, encodeCpuCheckpoint } from "../../cpus/cpu-checkpoint.ts";
import { CpuManager } from "../../cpus/cpu-manager.ts";
import { createCpuMetrics } from "../../cpus/cpu-metrics.ts";
import { cpuPolicyOptions } from "../../cpus/cpu-policy-options.ts";
import { CpuReconciler } from "../../cpus/cpu-reconciler.ts";
import { type CpuSet, cpusWithout, parseCpuSet } from "../../cpus/cpu-set.ts";
import { cpuTopology } from "../../cpus/cpu-topology.ts";
import { reservedCpuCount } from "../../cpus/reserved-cpus.ts";
import { type StaticCpuPolicy, staticCpuPolicy } from "../../cpus/static-cpu-policy.ts";
import type { MachineTopology } from "../../topology/machine-topology.ts";
import type { TopologyPolicy } from "../../topology/topology-policy.ts";
import { openStateFile, type StateFile } from "./state-file.ts";

export interface OpenCpusOptions {
  readonly configuration: KubeletConfiguration;
  /** The feature gates that are on. */
  readonly features: ReadonlySet<string>;
  readonly topology: MachineTopology;
  readonly topologyPolicy: TopologyPolicy["name"];
  /** The root directory of the kubelet. */
  readonly rootDir: string;
  readonly runtime: RuntimeService;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly isActive: (podUid: string) => boolean;
}

/** The CPUs of a machine, of which containers may have some for themselves. */
export interface NodeCpus {
  /** Gives CPUs to containers; undefined if all share all. */
  readonly manager: CpuManager | undefined;
  /** The CPUs that containers can have for themselves. */
  readonly allocatable: CpuSet;
  /** The CPUs that containers have for themselves, by pod and name. */
  readonly exclusive: CpuAssignments["pods"];
  /** The CPUs for a container that is about to be created; undefined for all. */
  created(podUid: string, container: string): string | undefined;
  /** Starts to move containers that run to the CPUs that they may use. */
  start(): void;
  release(podUid: string): Promise<void>;
  close(): void;
}

/** Opens the CPUs of a machine, with what an earlier kubelet has assigned. Rejects if that is not possible now. */
export async function openCpus(options: OpenCpusOptions): Promise<NodeCpus> {
  const { configuration, rootDir, metrics } = options;
  const name = configuration.cpuManagerPolicy || "none";
  const policy = policyOf(name, options);
  const file = await openStateFile(join(rootDir, "cpu_manager_state"));
  const assignments = restored(name, file);
  if (policy) {
    const all = new Set(policy.topology.places.keys());
    const isStrict = policy.options.has("strict-cpu-reservation");
    try {
      checkAssignments(assignments, { all, reserved: policy.reserved, isStrict });
    } catch (error) {
      throw new Error(`start cpu manager error: ${errorMessage(error)}`);
    }
  }
  const save = (): Promise<void> => file.write(encodeCpuCheckpoint(name, assignments));
  await save();
  const counted = createCpuMetrics(metrics, policy);
  if (!policy) return sharedCpus;
  const reconciler = new CpuReconciler({
    ...options,
    usableBy: (podUid, container) => assignments.usableBy(podUid, container),
    retryMs: durationMillis(configuration.cpuManagerReconcilePeriod || "10s"),
  });
  const manager = new CpuManager({
    ...{ policy, assignments, metrics: counted, save },
    isActive: options.isActive,
    sharedChanged: () => reconciler.reconcile(),
  });
  return {
    manager,
    allocatable: cpusWithout(new Set(policy.topology.places.keys()), policy.reserved),
    exclusive: assignments.pods,
    created: (podUid, container) => reconciler.created(podUid, container),
    start: () => reconciler.reconcile(),
    async release(podUid) {
      reconciler.forget(podUid);
      await manager.release(podUid);
    },
    close: () => reconciler.close(),
  };
}

/** All containers share all CPUs. */
const sharedCpus: NodeCpus = {
  manager: undefined,
  allocatable: new Set(),
  exclusive: new Map(),
  created: () => undefined,
  start: () => {},
  release: async () => {},
  close: () => {},
};

/** The policy of a name; undefined for none. Throws if the machine or the configuration cannot have it. */
function policyOf(name: string, options: OpenCpusOptions): StaticCpuPolicy | undefined {
  const { configuration, features, topologyPolicy } = options;
  const given = configuration.cpuManagerPolicyOptions ?? {};
  if (name === "none") {
    const pairs = Object.entries(given).map(([key, value]) => `${key}:${value}`);
    if (pairs.length > 0)
      throw new Error(
        `new none policy error: None policy: received unsupported options=map[${pairs.sort().join(" ")}]`,
      );
    return undefined;
  }
  if (name !== "static") throw new Error(`unknown policy: ${quote(name)}`);
  const topology = cpuTopology(options.topology);
  const reservedCount = reservedCpuCount(configuration);
  try {
    return staticCpuPolicy({
      ...{ topology, reservedCount },
      options: cpuPolicyOptions({ options: given, features, topology, topologyPolicy }),
      reservedCpus: parseCpuSet(configuration.reservedSystemCPUs ?? ""),
    });
  } catch (error) {
    throw new Error(`new static policy error: ${errorMessage(error)}`);
  }
}

function restored(policy: string, { stored, path }: StateFile): CpuAssignments {
  if (stored === undefined) return new CpuAssignments();
  try {
    return decodeCpuCheckpoint(stored, policy);
  } catch (error) {
    throw new Error(
      `start cpu manager error: could not restore state from checkpoint: ${errorMessage(error)}, please drain this node and delete the CPU manager checkpoint file ${quote(path)} before restarting Kubelet`,
    );
  }
}
