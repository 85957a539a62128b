import type { Container } from "../../../api/core/v1/container/container.ts";
import type { EphemeralContainer } from "../../../api/core/v1/container/ephemeral-container.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { errorMessage } from "../../../base/error-message.ts";
import type { LinuxContainerResources } from "../../../cri/linux-types.ts";
import { RuntimeError } from "../../../cri/runtime-service.ts";
import { runtimeResources } from "../container/container-config.ts";
import type { PodSurroundings } from "../pod-surroundings.ts";
import type { PodResources } from "./allocation-store.ts";
import { type ContainerAmounts, withAmounts } from "./container-amounts.ts";
import { checkMemoryUsage } from "./memory-usage.ts";
import { type ContainerUpdate, type ResizeActions, startsResized } from "./resize-actions.ts";

export interface ResizeRequest {
  readonly pod: Pod;
  readonly sandboxId: string;
  readonly actions: ResizeActions;
  /** The names of the containers that are about to start. */
  readonly starting: readonly string[];
}

/**
 * Changes the resources of running containers and of their pod's cgroup: memory, then CPU. The cgroup grows before
 * its containers and shrinks after them. Stops at the first error, and resolves with its message; a later sync
 * continues.
 */
export async function resizePod(
  request: ResizeRequest,
  around: PodSurroundings,
): Promise<string | undefined> {
  const { pod, actions, starting } = request;
  const { actuated } = around.allocations ?? {};
  const known = actuated?.get(pod.metadata.uid ?? "");
  const touchesPod =
    actions.isWholeChanged ||
    actions.restart.size > 0 ||
    (known !== undefined && startsResized(pod, starting, known));
  if (actions.memory.length + actions.cpu.length === 0 && !touchesPod) return undefined;
  try {
    const limits = await podLimits(request, touchesPod, around);
    if (actions.memory.length > 0 || touchesPod) {
      await resizeOne("memory", { ...request, steps: limits?.memory }, around);
      await actuateWhole(pod, "memory", around);
    }
    if (actions.cpu.length > 0 || touchesPod) {
      await resizeOne("cpu", { ...request, steps: limits?.cpu }, around);
      await actuateWhole(pod, "cpu", around);
    }
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}

type Resource = "memory" | "cpu";

/** The changes of a pod's cgroup, before and after those of its containers. */
interface PodSteps {
  readonly before: readonly LinuxContainerResources[];
  readonly after: readonly LinuxContainerResources[];
}

/** Decides on the changes of a pod's cgroup; undefined if it has none. */
async function podLimits(
  { pod, sandboxId, actions }: ResizeRequest,
  touchesPod: boolean,
  { host, runtime }: PodSurroundings,
): Promise<Readonly<Record<Resource, PodSteps>> | undefined> {
  const { resizer } = host;
  if (!resizer) return undefined;
  const current = await resizer.current(pod);
  const wanted = resizer.wanted(pod);
  if (actions.memory.length > 0 || touchesPod)
    await checkMemoryUsage({ current, wanted, updates: actions.memory }, () =>
      runtime.podSandboxStats(sandboxId),
    );
  const { cpuQuota, cpuPeriod, cpuShares, memoryLimitBytes } = wanted;
  const memory = change(current.memoryLimitBytes, memoryLimitBytes, { memoryLimitBytes });
  const quota = change(current.cpuQuota, cpuQuota, { cpuQuota, cpuPeriod });
  const shares = change(current.cpuShares, cpuShares, { cpuShares });
  return {
    memory,
    // What is requested never exceeds the limit.
    cpu: {
      before: [...quota.before, ...shares.before],
      after: [...shares.after, ...quota.after],
    },
  };
}

/** What has no limit is more than anything; a limit that is not wanted stays as it is. */
function change(
  current: number | undefined,
  wanted: number | undefined,
  limits: LinuxContainerResources,
): PodSteps {
  if (wanted === undefined) return { before: [], after: [] };
  const difference = orUnlimited(wanted) - orUnlimited(current);
  return { before: difference > 0 ? [limits] : [], after: difference < 0 ? [limits] : [] };
}

const orUnlimited = (amount: number | undefined): number =>
  amount === undefined || amount < 0 ? Number.MAX_SAFE_INTEGER : amount;

async function resizeOne(
  resource: Resource,
  request: ResizeRequest & { readonly steps: PodSteps | undefined },
  around: PodSurroundings,
): Promise<void> {
  const { actions, steps } = request;
  for (const limits of steps?.before ?? []) await setPod(resource, request, limits, around);
  for (const update of actions[resource]) await setContainer(resource, request, update, around);
  for (const limits of steps?.after ?? []) await setPod(resource, request, limits, around);
}

async function setPod(
  resource: Resource,
  { pod, sandboxId }: ResizeRequest,
  limits: LinuxContainerResources,
  { host, runtime }: PodSurroundings,
): Promise<void> {
  const { resizer } = host;
  if (!resizer) return;
  try {
    await runtime.updatePodSandboxResources(sandboxId, resizer.sandbox(pod));
  } catch (cause) {
    // Runtimes need not know of the limits of pods.
    if (!(cause instanceof RuntimeError && cause.code === "Unimplemented"))
      throw new Error(
        `failed to notify runtime for UpdatePodSandboxResources (resource=${resource}); resize rejected`,
        { cause },
      );
  }
  await resizer.set(pod, limits);
}

/** CPU is changed after memory, so that memory is changed with the CPU that the container still has. */
async function setContainer(
  resource: Resource,
  { pod, actions }: ResizeRequest,
  { id, container, current, wanted }: ContainerUpdate,
  around: PodSurroundings,
): Promise<void> {
  const { cpuRequest, cpuLimit } = current;
  const isMemoryDone = actions.memory.some((one) => one.id === id);
  const { memoryRequest, memoryLimit } = isMemoryDone ? wanted : current;
  const amounts: ContainerAmounts =
    resource === "memory"
      ? { ...wanted, cpuRequest, cpuLimit }
      : { ...wanted, memoryRequest, memoryLimit };
  const changed = withAmounts(container, amounts);
  const linux = around.host.resizer?.container(pod, changed);
  const resources = runtimeResources(changed, undefined);
  await around.runtime.updateContainerResources(id, { ...resources, ...(linux && { linux }) });
  await actuateContainer(pod, changed, around);
}

/** Records the resources of a container that is about to be created, or was resized. */
export async function actuateContainer(
  pod: Pod,
  container: Container | EphemeralContainer,
  { allocations }: Pick<PodSurroundings, "allocations">,
): Promise<void> {
  if (!allocations || "targetContainerName" in container) return;
  const { uid = "" } = pod.metadata;
  const known = allocations.actuated.get(uid) ?? { containers: {} };
  const limits = { ...wholeLimits(pod), ...container.resources?.limits };
  const resources = { ...container.resources, limits };
  const containers = { ...known.containers, [container.name]: resources };
  await allocations.actuated.set(uid, { ...known, containers });
}

const wholeLimits = ({ spec }: Pod): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(spec.resources?.limits ?? {}).filter(
      ([name]) => name === "cpu" || name === "memory",
    ),
  );

/** Records a resource of the pod as a whole. */
async function actuateWhole(
  { metadata: { uid = "" }, spec }: Pod,
  resource: Resource,
  { allocations }: PodSurroundings,
): Promise<void> {
  const known = allocations?.actuated.get(uid);
  if (!allocations || !known || !spec.resources) return;
  const merged = (side: "requests" | "limits"): Readonly<Record<string, string>> => {
    const amount = spec.resources?.[side]?.[resource];
    return { ...known.pod?.[side], ...(amount !== undefined && { [resource]: amount }) };
  };
  const pod: PodResources["pod"] = { requests: merged("requests"), limits: merged("limits") };
  await allocations.actuated.set(uid, { ...known, pod });
}
