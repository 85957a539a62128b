import type { Container } from "../../../api/core/v1/container/container.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { ContainerStatus } from "../../../cri/runtime-types.ts";
import { isSidecar } from "../container/restart-policy.ts";
import { latestOf, type RuntimePod } from "../runtime-pod.ts";
import type { PodResources } from "./allocation-store.ts";
import { amountsOf, type ContainerAmounts, runtimeAmounts } from "./container-amounts.ts";

/** What to do for a resize. */
export interface ResizeActions {
  /** The running containers whose memory is to change; those that get less come first. */
  readonly memory: readonly ContainerUpdate[];
  /** The same for CPU. */
  readonly cpu: readonly ContainerUpdate[];
  /** The containers to restart for it. */
  readonly restart: ReadonlySet<string>;
  /** Whether the resources of the pod as a whole are to change. */
  readonly isWholeChanged: boolean;
}

export interface ContainerUpdate {
  readonly id: string;
  readonly container: Container;
  readonly current: ContainerAmounts;
  readonly wanted: ContainerAmounts;
}

/** Compares the resources in force with the allocated ones; without a record of them, the runtime knows. */
export function resizeActions(
  { spec }: Pod,
  runtimePod: RuntimePod,
  actuated: PodResources | undefined,
): ResizeActions {
  const memory: ContainerUpdate[] = [];
  const cpu: ContainerUpdate[] = [];
  const restart = new Set<string>();
  for (const container of resizable(spec)) {
    const running = latestOf(runtimePod, container.name);
    if (running?.state !== "running") continue;
    const wanted = amountsOf(container.resources, spec.resources);
    const update = { id: running.id, container, current: currentOf(running, actuated), wanted };
    const changes = { memory: memoryChange(update), cpu: cpuChange(update) };
    if (needsRestart(container, changes)) restart.add(container.name);
    else {
      insert(memory, update, changes.memory);
      insert(cpu, update, changes.cpu);
    }
  }
  return { memory, cpu, restart, isWholeChanged: isWholeChanged(spec, actuated) };
}

/** Whether nothing is left to do for a resize. */
export const isResized = ({ memory, cpu, restart, isWholeChanged }: ResizeActions): boolean =>
  memory.length === 0 && cpu.length === 0 && restart.size === 0 && !isWholeChanged;

/** Whether one of the containers that are about to start gets other resources than it had. */
export const startsResized = (
  { spec }: Pod,
  names: readonly string[],
  actuated: PodResources,
): boolean =>
  resizable(spec).some(
    ({ name, resources }) =>
      names.includes(name) &&
      !isSame(
        amountsOf(resources, spec.resources),
        amountsOf(actuated.containers[name], actuated.pod),
      ),
  );

const resizable = ({ containers, initContainers = [] }: Pod["spec"]): readonly Container[] => [
  ...(containers ?? []),
  ...initContainers.filter(isSidecar),
];

const currentOf = (
  { metadata, resources }: ContainerStatus,
  actuated: PodResources | undefined,
): ContainerAmounts =>
  actuated
    ? amountsOf(actuated.containers[metadata.name], actuated.pod)
    : runtimeAmounts(resources);

/** How much a limit grows; that of the request if the limit stays. */
const memoryChange = ({ current, wanted }: ContainerUpdate): number =>
  wanted.memoryLimit - current.memoryLimit || wanted.memoryRequest - current.memoryRequest;

const cpuChange = ({ current, wanted }: ContainerUpdate): number =>
  wanted.cpuLimit - current.cpuLimit || wanted.cpuRequest - current.cpuRequest;

const needsRestart = (
  { resizePolicy = [] }: Container,
  changes: { readonly memory: number; readonly cpu: number },
): boolean =>
  resizePolicy.some(
    ({ resourceName, restartPolicy }) =>
      restartPolicy === "RestartContainer" && changes[resourceName as "cpu" | "memory"] !== 0,
  );

function insert(list: ContainerUpdate[], update: ContainerUpdate, change: number): void {
  if (change > 0) list.push(update);
  if (change < 0) list.unshift(update);
}

function isWholeChanged({ resources }: Pod["spec"], actuated: PodResources | undefined): boolean {
  if (!actuated) return false;
  return !isSame(amountsOf(resources, undefined), amountsOf(actuated.pod, undefined));
}

const isSame = (a: ContainerAmounts, b: ContainerAmounts): boolean =>
  a.cpuRequest === b.cpuRequest &&
  a.cpuLimit === b.cpuLimit &&
  a.memoryRequest === b.memoryRequest &&
  a.memoryLimit === b.memoryLimit;
