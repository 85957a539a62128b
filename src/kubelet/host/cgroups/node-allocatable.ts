import { errorMessage } from "../../../base/error-message.ts";
import type { Cgroups } from "../../../platform/cgroups/cgroups.ts";
import type { KubeletEvent } from "../../kubelet-events.ts";
import { type CgroupNaming, qosCgroupPath } from "../../pod/linux/pod-cgroup.ts";
import { nodeCgroupResources } from "../../pod/linux/pod-cgroup-resources.ts";

type Amounts = Readonly<Record<string, string>>;

export interface NodeAllocatableOptions {
  readonly cgroups: Pick<Cgroups, "exists" | "update">;
  readonly naming: CgroupNaming;
  /** What all pods together may use: what is allocatable, or the capacity if that is not enforced. */
  readonly amounts: Amounts;
  /** The most processes of all pods together. */
  readonly pidsLimit?: number | undefined;
}

/**
 * Limits all pods together to what is allocatable. Pods that use more already prevent it: the event says so, and
 * the caller should try again later.
 */
export async function enforceNodeAllocatable({
  cgroups,
  naming,
  amounts,
  pidsLimit,
}: NodeAllocatableOptions): Promise<KubeletEvent> {
  const limits = { ...nodeCgroupResources(amounts), pidsLimit };
  try {
    await cgroups.update(qosCgroupPath("Guaranteed", naming), limits);
  } catch (error) {
    const root = `[${naming.root.map((part) => JSON.stringify(part)).join(" ")}]`;
    const message = `Failed to update Node Allocatable Limits ${root}: ${errorMessage(error)}`;
    return { type: "Warning", reason: "FailedNodeAllocatableEnforcement", message };
  }
  const message = "Updated Node Allocatable limit across pods";
  return { type: "Normal", reason: "NodeAllocatableEnforced", message };
}

export interface ReservedOptions {
  readonly cgroups: Pick<Cgroups, "exists" | "update">;
  /** Whose resources they are: those of the system, or of Kubernetes itself. */
  readonly owner: "system" | "kube";
  /** The cgroup, which must exist. */
  readonly path: string;
  readonly amounts: Amounts;
  /** Whether only CPU is limited: running out of it kills nothing. */
  readonly isCompressible: boolean;
  /** Whether the kernel keeps the memory; by default it does not. */
  readonly protectsReserved?: boolean | undefined;
}

/**
 * Limits what is no pod to what is reserved for it. Rejects if the cgroup does not exist.
 */
export async function enforceReserved({
  cgroups,
  owner,
  path,
  amounts,
  isCompressible,
  protectsReserved = false,
}: ReservedOptions): Promise<KubeletEvent> {
  const { cpu, memory, pid } = amounts;
  const limited = isCompressible ? { cpu } : { cpu, memory };
  const given = Object.entries(limited).filter(([, amount]) => amount !== undefined);
  const pidsLimit = isCompressible || pid === undefined ? undefined : Number(pid);
  try {
    if (!(await cgroups.exists(path))) throw new Error(`cgroup ${JSON.stringify(path)} is missing`);
    const limits = nodeCgroupResources(Object.fromEntries(given) as Amounts);
    const { memoryLimitBytes: bytes } = limits;
    const unified =
      protectsReserved && bytes !== undefined ? { "memory.min": String(bytes) } : undefined;
    await cgroups.update(path, { ...limits, pidsLimit, ...(unified && { unified }) });
  } catch (cause) {
    const name = `${owner === "system" ? "System" : "Kube"} Reserved${isCompressible ? " Compressible" : ""}`;
    const message = `Failed to enforce ${name} Cgroup Limits on ${JSON.stringify(path)}`;
    throw new Error(message, { cause });
  }
  const message = `Updated limits on ${owner} reserved cgroup ${path}`;
  return { type: "Normal", reason: "NodeAllocatableEnforced", message };
}
