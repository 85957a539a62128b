import { resourcesOf } from "../../cri/linux-resources.ts";
import type {
  ContainerResources,
  ContainerState,
  ContainerStatus,
  PodSandboxStatus,
} from "../../cri/runtime-types.ts";
import type { Container } from "../containers/containers.ts";
import type { Sandbox } from "../sandboxes/engine-sandboxes.ts";
import type { CriContainerDetails } from "./container-details.ts";

/** The status of a container in the words of CRI. */
export function containerStatus(
  { id, createdAt, state, settings, logPath }: Container,
  details: CriContainerDetails,
): ContainerStatus {
  const { config, sandboxId, podUid, image, imageRef, imageId, stopSignal } = details;
  const { uid, gid, additionalGids } = settings.user;
  const exited = state.phase === "exited" ? state : undefined;
  return {
    ...{ id, sandboxId, podUid, metadata: config.metadata, state: states[state.phase], createdAt },
    startedAt: "startedAt" in state ? state.startedAt : 0,
    finishedAt: exited?.finishedAt ?? 0,
    exitCode: exited?.exitCode ?? 0,
    reason: exited?.reason ?? "",
    message: exited?.message ?? "",
    image,
    imageRef,
    imageId,
    userSpecifiedImage: config.userSpecifiedImage ?? config.image,
    resources: currentResources(config.resources, settings.resources),
    labels: config.labels,
    annotations: config.annotations,
    mounts: config.mounts ?? [],
    logPath,
    stopSignal,
    user: { uid, gid, supplementalGroups: additionalGids },
  };
}

/** A container that is being started is not running yet. */
const states: Readonly<Record<Container["state"]["phase"], ContainerState>> = {
  created: "created",
  starting: "created",
  running: "running",
  exited: "exited",
};

/** The limits that apply now; the requests are those of the configuration. */
function currentResources(
  wanted: ContainerResources,
  now: Container["settings"]["resources"],
): ContainerResources {
  const { cpuShares, cpuQuota, cpuPeriod, memoryLimitBytes, cpusetCpus, cpusetMems } = now;
  const linux = {
    ...wanted.linux,
    cpuShares,
    cpuQuota,
    cpuPeriod,
    memoryLimitBytes,
    cpusetCpus,
    cpusetMems,
  };
  return {
    ...resourcesOf(linux),
    ...(wanted.memoryRequestBytes !== undefined && {
      memoryRequestBytes: wanted.memoryRequestBytes,
    }),
  };
}

/** The status of a sandbox in the words of CRI. */
export function sandboxStatus({ id, config, createdAt, state, ips }: Sandbox): PodSandboxStatus {
  const { metadata, hostNetwork, labels, annotations, security, runtimeHandler } = config;
  return {
    ...{ id, metadata, createdAt, hostNetwork, labels, annotations },
    state: state === "ready" ? "ready" : "notReady",
    ips,
    namespaces: security?.namespaces,
    runtimeHandler: runtimeHandler ?? "",
  };
}

/** What people ask for of a container beside its status: JSON under one key, as containerd has it. */
export function containerInfo({ id, state, settings, details }: Container): Record<string, string> {
  const pid = state.phase === "running" ? state.pid : 0;
  return { info: JSON.stringify({ pid, snapshotKey: id, runtimeSettings: settings, ...details }) };
}

/** What people ask for of a sandbox beside its status. */
export function sandboxInfo({ config, namespaces }: Sandbox): Record<string, string> {
  return { info: JSON.stringify({ config, namespaces }) };
}
