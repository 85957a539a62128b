import { aggregateMessage } from "../../../base/aggregate-message.ts";
import type { LinuxContainerResources } from "../../../cri/linux-types.ts";
import type { PodSandboxStats } from "../../../cri/stats-types.ts";
import { quote } from "../../../schema/values/quote.ts";
import type { ContainerUpdate } from "./resize-actions.ts";

export interface MemoryChange {
  /** The limits of the pod's cgroup. */
  readonly current: LinuxContainerResources;
  readonly wanted: LinuxContainerResources;
  readonly updates: readonly ContainerUpdate[];
}

/** Throws if a limit of memory would be below what is used already: the kernel would kill the container. */
export async function checkMemoryUsage(
  { current, wanted, updates }: MemoryChange,
  readStats: () => Promise<PodSandboxStats>,
): Promise<void> {
  const podLimit = isLess(wanted.memoryLimitBytes, current.memoryLimitBytes)
    ? wanted.memoryLimitBytes
    : undefined;
  const shrinking = updates.filter((one) =>
    isLess(one.wanted.memoryLimit, one.current.memoryLimit),
  );
  if (podLimit === undefined && shrinking.length === 0) return;
  const { memoryUsageBytes: used, containers } = await readStats();
  const problems: string[] = [];
  if (podLimit !== undefined && used >= podLimit)
    problems.push(`attempting to set pod memory limit (${podLimit}) below current usage (${used})`);
  for (const { container, wanted: amounts } of shrinking) {
    const { memoryUsageBytes = 0 } =
      containers.find(({ metadata }) => metadata.name === container.name) ?? {};
    if (memoryUsageBytes >= amounts.memoryLimit)
      problems.push(
        `attempting to set container ${quote(container.name)} memory limit (${amounts.memoryLimit}) below current usage (${memoryUsageBytes})`,
      );
  }
  if (problems.length > 0)
    throw new Error(`cannot decrease memory limits: ${aggregateMessage(problems)}`);
}

/** Whether a limit is added or lowered; 0 and absent are no limit. */
const isLess = (wanted: number | undefined, current: number | undefined): boolean =>
  Boolean(wanted) && (!current || current < 0 || (wanted ?? 0) < current);
