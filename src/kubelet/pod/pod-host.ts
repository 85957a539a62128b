import type { Container } from "../../api/core/v1/container/container.ts";
import type { ResourceStatus } from "../../api/core/v1/container/container-status.ts";
import type { EphemeralContainer } from "../../api/core/v1/container/ephemeral-container.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { Image } from "../../cri/image-service.ts";
import type { LinuxContainerResources } from "../../cri/linux-types.ts";
import type {
  ContainerConfig,
  ContainerStatus,
  PodSandboxConfig,
  PodSandboxResources,
} from "../../cri/runtime-types.ts";

/** What the machine of a node provides for pods beside their containers: cgroups, folders, volumes. */
export interface PodHost {
  /**
   * Creates the cgroup, the folders and the volumes of a pod that do not exist yet, and updates volumes that
   * follow other objects. Called with each sync of the pod. Rejects with a `PodSetUpError` if something that the
   * containers need is missing.
   */
  setUp(pod: Pod, request: SetUpRequest): Promise<void>;
  /** Completes the configuration of a pod's sandbox. */
  sandbox(config: PodSandboxConfig, pod: Pod): Promise<PodSandboxConfig>;
  /** The devices and CPUs that were allocated to a container. A rejection is a `CreateContainerConfigError`. */
  additions?(pod: Pod, container: Container): Promise<ContainerAdditions | undefined>;
  /** The health of the devices that a container has. */
  resourceStatuses?(pod: Pod, container: string): readonly ResourceStatus[];
  /** Completes the configuration of a container. A rejection is a `CreateContainerConfigError`. */
  container(config: ContainerConfig, request: HostedContainer): Promise<ContainerConfig>;
  /** A file in a volume of a pod that is set up; undefined if there is no such volume. Absent if volumes have no files. */
  volumeFile?(pod: Pod, volume: string, path: string): Promise<VolumeFile | undefined>;
  /** Changes the limits of pods that run; absent if they have no cgroups. */
  readonly resizer?: PodResizer | undefined;
  /** The termination message of a container that has ended; undefined if the runtime has it. */
  terminationMessage(container: ContainerStatus): Promise<string | undefined>;
  /** Removes the log of a container that is about to be removed. */
  removeLogs(container: ContainerStatus): Promise<void>;
  /**
   * Gives back the claims of a pod whose containers have ended, before its status says so: then the cluster may give
   * them to others. A rejection is retried.
   */
  unprepare?(pod: Pod): Promise<void>;
  /** Removes the volumes and the cgroup of a pod whose containers have ended. */
  tearDown(pod: Pod): Promise<void>;
  /** Removes all that is left of a pod that was deleted: volumes, cgroup, folders, logs. */
  remove(podUid: string): Promise<void>;
  /** The pods of which there is something on this machine, by UID. */
  podUids(): Promise<readonly string[]>;
}

export interface SetUpRequest {
  /** Whether the pod gets a new sandbox. */
  readonly isStarting: boolean;
}

/** Changes the limits of running pods and containers. */
export interface PodResizer {
  /** The limits of a container. */
  container(pod: Pod, container: Container): LinuxContainerResources;
  /** The limits of a pod, for the runtime. */
  sandbox(pod: Pod): PodSandboxResources;
  /** The limits that the cgroup of a pod shall have; those that are absent stay. */
  wanted(pod: Pod): LinuxContainerResources;
  /** The limits that it has; absent or negative for none. */
  current(pod: Pod): Promise<LinuxContainerResources>;
  set(pod: Pod, limits: LinuxContainerResources): Promise<void>;
}

/** A file in a volume. */
export interface VolumeFile {
  /** Its path on the machine. */
  readonly path: string;
  text(): Promise<string>;
}

/** What a container gets of the machine beside what its spec says. */
export interface ContainerAdditions
  extends Partial<
    Pick<ContainerConfig, "env" | "mounts" | "devices" | "annotations" | "cdiDevices">
  > {
  /** Its CPUs and its NUMA nodes. */
  readonly linux?: Pick<LinuxContainerResources, "cpusetCpus" | "cpusetMems"> | undefined;
}

/** A container that is about to be created. */
export interface HostedContainer {
  /** The pod, with its addresses. */
  readonly pod: Pod;
  readonly container: Container | EphemeralContainer;
  readonly image: Image;
  readonly sandboxId: string;
  /** The ID of the running container of a name; an ephemeral container may share its processes. */
  readonly idOf: (name: string) => string | undefined;
  readonly additions?: ContainerAdditions | undefined;
}

interface PodSetUpErrorOptions {
  readonly cause?: unknown;
  readonly isExpected?: boolean | undefined;
}

/** Why a pod could not be set up: the reason and the message of an event. */
export class PodSetUpError extends Error {
  override readonly name = "PodSetUpError";
  readonly reason: string;
  /** Whether nothing has failed, but something is awaited: there is no event then. */
  readonly isExpected: boolean;

  constructor(reason: string, message: string, options: PodSetUpErrorOptions = {}) {
    super(message, options);
    this.reason = reason;
    this.isExpected = options.isExpected ?? false;
  }
}
