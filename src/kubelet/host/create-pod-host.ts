import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Node } from "../../api/core/v1/node/node.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { errorMessage } from "../../base/error-message.ts";
import { KeyedLock } from "../../base/queue/keyed-lock.ts";
import type { ContainerMount, UserNamespaceOptions } from "../../cri/linux-types.ts";
import type { LogRemover } from "../garbage/container-collector.ts";
import type { KubeletEvents } from "../kubelet-events.ts";
import { hostNetworkHostsFile, podHostsFile } from "../pod/linux/hosts-file.ts";
import { linuxContainer } from "../pod/linux/linux-container.ts";
import { withoutQuota } from "../pod/linux/linux-resources.ts";
import { linuxSandbox } from "../pod/linux/linux-sandbox.ts";
import type { LinuxSettings, RecordEvent } from "../pod/linux/linux-settings.ts";
import { podHostname } from "../pod/linux/pod-hostname.ts";
import { type PodHost, PodSetUpError } from "../pod/pod-host.ts";
import type { PodCgroups } from "./cgroups/pod-cgroups.ts";
import { podResizer } from "./cgroups/pod-resizer.ts";
import type { Claims } from "./claims/open-claims.ts";
import { PodFolders, readTerminationMessage } from "./pod-folders.ts";
import type { HostedPodLookups } from "./pod-lookups.ts";
import type { NodeResources } from "./resources/open-node-resources.ts";
import type { UserNamespaces } from "./users/open-user-namespaces.ts";
import type { PodVolumes } from "./volumes/pod-volumes.ts";

export interface PodHostOptions {
  /** The root directory of the kubelet. */
  readonly rootDir: string;
  readonly settings: () => LinuxSettings;
  readonly volumes: PodVolumes;
  /** Absent if pods have no cgroups of their own. */
  readonly cgroups?: PodCgroups | undefined;
  readonly events: () => Pick<KubeletEvents, "pod" | "node"> | undefined;
  readonly node: () => Node | undefined;
  readonly lookups: (pod: Pod) => Promise<HostedPodLookups>;
  /** The users that pods have beside those of the node; absent if they have none. */
  readonly userNamespaces?: Pick<UserNamespaces, "release"> | undefined;
  /** Absent if nothing of the machine is allocated to containers. */
  readonly resources?:
    | Pick<
        NodeResources,
        "additions" | "resourceStatuses" | "release" | "hasUnlimitedCpu" | "podUids"
      >
    | undefined;
  /** Absent if pods cannot use claims. */
  readonly claims?: Pick<Claims, "prepare" | "unprepare" | "podUids"> | undefined;
  /** Resolves when the network is ready for the containers of a pod, whose addresses are in its status. */
  readonly podStarts?: ((pod: Pod) => Promise<void>) | undefined;
  /** The logs of containers; by default they stay until their pod is deleted. */
  readonly logs?: Pick<LogRemover, "removeContainerLogs"> | undefined;
}

/** Provides cgroups, folders and volumes of a Linux machine to pods. */
export function createPodHost(options: PodHostOptions): PodHost {
  const { rootDir, settings, volumes, cgroups, resources, claims, lookups } = options;
  const folders = new PodFolders(rootDir);
  /** A pod that is deleted while the kubelet starts is removed by its worker, and by the search for such pods. */
  const removing = new KeyedLock();
  const hasUnlimitedCpu = (podUid: string, container?: string): boolean =>
    resources?.hasUnlimitedCpu(podUid, container) ?? false;
  const tearDown = async (podUid: string): Promise<void> => {
    await volumes.tearDown(podUid);
    await cgroups?.remove(podUid);
    await resources?.release(podUid);
    await options.userNamespaces?.release(podUid);
  };
  /** Unprepares the claims of a pod that was interrupted in it. A missing driver does not keep the rest of the pod. */
  const unprepareRest = async (podUid: string): Promise<void> => {
    if (claims?.podUids().includes(podUid)) await claims.unprepare(podUid);
  };
  const recorder =
    (pod: Pod): RecordEvent =>
    (event, about) => {
      const node = options.node();
      if (about === "pod") options.events()?.pod(pod, event);
      else if (node) options.events()?.node(node, event);
    };
  return {
    async setUp(pod, request) {
      await createFolders(folders, pod);
      await cgroups?.setUp(pod);
      await volumes.setUp(pod, request);
      if (request.isStarting) await claims?.prepare(pod);
    },
    async sandbox(given, pod) {
      const request = { pod, record: recorder(pod), ...(await lookups(pod)) };
      const config = linuxSandbox(given, request, settings());
      const { resources: limits } = config;
      return hasUnlimitedCpu(pod.metadata.uid ?? "") && limits?.containers
        ? { ...config, resources: { ...limits, containers: withoutQuota(limits.containers) } }
        : config;
    },
    additions: async (pod, container) => resources?.additions(pod, container),
    resourceStatuses: (pod, container) => resources?.resourceStatuses(pod, container) ?? [],
    async container(given, request) {
      const { pod, container, additions = {} } = request;
      const { uid = "" } = pod.metadata;
      await options.podStarts?.(pod);
      const { canBeRecursivelyReadOnly = false, ...looked } = await lookups(pod);
      const config = linuxContainer(given, { ...request, ...looked }, settings());
      const limits = config.resources.linux;
      const linux = {
        ...(limits && hasUnlimitedCpu(uid, container.name) ? withoutQuota(limits) : limits),
        ...additions.linux,
      };
      const mounts = [
        ...(additions.mounts ?? []),
        ...(await volumes.mounts(pod, container, {
          env: config.env,
          canBeRecursivelyReadOnly,
        })),
        ...(await hostsMount(pod, {
          folders,
          settings: settings(),
          mounts: container.volumeMounts,
        })),
        await folders.terminationMount(uid, container.name, config.terminationMessagePath),
      ];
      return {
        ...config,
        resources: { ...config.resources, linux },
        mounts: withUsers(mounts, looked.userNamespace),
        devices: [...(additions.devices ?? []), ...volumes.devices(pod, container)],
        annotations: { ...additions.annotations, ...config.annotations },
        cdiDevices: additions.cdiDevices,
      };
    },
    volumeFile: async ({ metadata: { uid = "" } }, volume, path) => volumes.file(uid, volume, path),
    resizer:
      cgroups && podResizer(cgroups, { settings: () => settings().resources, hasUnlimitedCpu }),
    terminationMessage: readTerminationMessage,
    removeLogs: async (container) => options.logs?.removeContainerLogs(container),
    unprepare: async ({ metadata: { uid = "" } }) => claims?.unprepare(uid),
    tearDown: ({ metadata: { uid = "" } }) =>
      removing.run(uid, async () => {
        await tearDown(uid);
        await unprepareRest(uid);
      }),
    remove: (podUid) =>
      removing.run(podUid, async () => {
        await tearDown(podUid);
        await folders.remove(podUid);
        const { podLogsDir } = settings();
        const logs = (await readdir(podLogsDir)).filter((name) => name.endsWith(`_${podUid}`));
        for (const name of logs) await rm(join(podLogsDir, name), { recursive: true, force: true });
        await unprepareRest(podUid);
      }),
    async podUids() {
      const withCgroups = (await cgroups?.podUids()) ?? [];
      const allocated = [...(resources?.podUids() ?? []), ...(claims?.podUids() ?? [])];
      const found = [...(await folders.uids()), ...(await volumes.podUids())];
      const all = [...found, ...withCgroups, ...allocated];
      return [...new Set(all)];
    },
  };
}

async function createFolders(folders: PodFolders, { metadata }: Pod): Promise<void> {
  try {
    await folders.create(metadata.uid ?? "");
  } catch (error) {
    const message = `error making pod data directories: ${errorMessage(error)}`;
    throw new PodSetUpError("FailedMakePodDataDirectories", message, { cause: error });
  }
}

/** Files have the owners for a pod with users of its own that they would have without. */
const withUsers = (
  mounts: readonly ContainerMount[],
  users: UserNamespaceOptions | undefined,
): readonly ContainerMount[] =>
  users
    ? mounts.map((one) => ({ ...one, uidMappings: users.uids, gidMappings: users.gids }))
    : mounts;

interface HostsRequest {
  readonly folders: PodFolders;
  readonly settings: LinuxSettings;
  readonly mounts?: readonly { readonly mountPath: string }[] | undefined;
}

/** Writes the hosts file of a pod; none if a volume of the container has its place. */
async function hostsMount(
  pod: Pod,
  { folders, settings, mounts = [] }: HostsRequest,
): Promise<readonly ContainerMount[]> {
  const { metadata, spec, status } = pod;
  if (mounts.some(({ mountPath }) => mountPath === "/etc/hosts")) return [];
  const { hostAliases } = spec;
  const addresses = status.podIPs?.map(({ ip }) => ip ?? "") ?? [status.podIP ?? ""];
  const text = spec.hostNetwork
    ? hostNetworkHostsFile(await readFile("/etc/hosts", "utf8"), hostAliases)
    : podHostsFile(podHostname(pod, settings.clusterDomain), addresses, hostAliases);
  const hostPath = join(folders.of(metadata.uid ?? ""), "etc-hosts");
  await writeFile(hostPath, text, { mode: 0o644 });
  return [{ containerPath: "/etc/hosts", hostPath, selinuxRelabel: true }];
}
