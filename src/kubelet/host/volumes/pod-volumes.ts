import { mkdir, realpath } from "node:fs/promises";
import type { Container } from "../../../api/core/v1/container/container.ts";
import type { EphemeralContainer } from "../../../api/core/v1/container/ephemeral-container.ts";
import type { Node } from "../../../api/core/v1/node/node.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { PersistentVolume } from "../../../api/core/v1/volume/persistent-volume.ts";
import type { Clock, Timer } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { Random } from "../../../base/random.ts";
import type { Client } from "../../../client/client.ts";
import type { ContainerDevice, ContainerMount } from "../../../cri/linux-types.ts";
import type { EnvVar } from "../../../cri/runtime-types.ts";
import type { KubeletEvent } from "../../kubelet-events.ts";
import type { SetUpRequest, VolumeFile } from "../../pod/pod-host.ts";
import type { WatchedReferences } from "../../pod/watched-references.ts";
import {
  containerDevices,
  containerMounts,
  type PodMount,
  type PodMounts,
} from "./container-mounts.ts";
import { noPodCertificates, type PodCertificates } from "./content/pod-certificates.ts";
import {
  type ServiceAccountTokens,
  serviceAccountTokens,
} from "./content/service-account-tokens.ts";
import { trustAnchors } from "./content/trust-anchors.ts";
import { memoryFolder } from "./memory-folder.ts";
import { contentPlugins } from "./plugins/content-volumes.ts";
import { emptyDirPlugin } from "./plugins/empty-dir.ts";
import { hostPathPlugin } from "./plugins/host-path.ts";
import { imagePlugin } from "./plugins/image.ts";
import { localPlugin } from "./plugins/local.ts";
import { nfsPlugin } from "./plugins/nfs.ts";
import { setUpVolumes } from "./set-up-volumes.ts";
import { podsWithVolumes, tearDownVolumes } from "./tear-down.ts";
import { volumeFile } from "./volume-file.ts";
import { volumeFolders } from "./volume-folders.ts";
import type { VolumePlugin } from "./volume-plugin.ts";
import { type VolumeUsage, volumeUsage } from "./volume-usage.ts";

/** The volumes of the pods of a node. What it needs after a restart it finds in folders and in the mount table. */
export interface PodVolumes {
  /**
   * Sets up the volumes that containers of a pod use, and updates those that follow other objects. Rejects with a
   * `PodSetUpError` if one of them cannot be used.
   */
  setUp(pod: Pod, request: SetUpRequest): Promise<void>;
  /** The mounts of a container whose pod is set up, in the order of its spec. */
  mounts(
    pod: Pod,
    container: Container | EphemeralContainer,
    request: MountsRequest,
  ): Promise<readonly ContainerMount[]>;
  /** The block devices of a container whose pod is set up. */
  devices(pod: Pod, container: Container | EphemeralContainer): readonly ContainerDevice[];
  /** A file in a volume of a pod that is set up; undefined if there is no such volume. */
  file(podUid: string, volume: string, path: string): VolumeFile | undefined;
  /** Unmounts and removes the volumes of a pod whose containers have ended. */
  tearDown(podUid: string): Promise<void>;
  /** What the volumes of a pod that is set up take, by their names in the pod. */
  usage(podUid: string): Promise<ReadonlyMap<string, VolumeUsage>>;
  /** The pods of which volumes are left on this machine. */
  podUids(): Promise<readonly string[]>;
  /** Ends timers. Volumes stay for the containers that go on. */
  close(): Promise<void>;
}

export interface MountsRequest {
  /** The environment of the container, with the addresses of its pod. */
  readonly env: readonly EnvVar[];
  /** Whether the handler of the pod's runtime class can make mounts read-only recursively. */
  readonly canBeRecursivelyReadOnly: boolean;
}

export interface PodVolumesOptions {
  /** The root folder of the kubelet. */
  readonly rootDir: string;
  /** Calls as the node. */
  readonly client: Client;
  readonly references: WatchedReferences;
  readonly node: () => Node | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Records an event of a pod. */
  readonly record: (pod: Pod, event: KubeletEvent) => void;
  /** Called for a pod whose volumes must be set up again. */
  readonly changed: (podUid: string) => void;
  /** Called before a local volume is mounted. */
  readonly prepareLocal?: ((volume: PersistentVolume) => Promise<void>) | undefined;
  /** Further kinds of volumes. */
  readonly plugins?: readonly VolumePlugin[] | undefined;
  /** Certificates of pods, which are forgotten with their volumes; none if not given. */
  readonly certificates?: PodCertificates | undefined;
  /** Tokens of pods, which are forgotten with their volumes; by default used by volumes only. */
  readonly tokens?: ServiceAccountTokens | undefined;
}

/** Opens the volumes of a node. */
export async function openPodVolumes(options: PodVolumesOptions): Promise<PodVolumes> {
  await mkdir(options.rootDir, { recursive: true, mode: 0o750 });
  // The mount table has no links.
  const folders = volumeFolders(await realpath(options.rootDir));
  const memory = memoryFolder(folders.memory);
  const { tokens = serviceAccountTokens(options), certificates = noPodCertificates } = options;
  const anchors = trustAnchors(options);
  const plugins: readonly VolumePlugin[] = [
    emptyDirPlugin({ ...options, memory }),
    ...contentPlugins({ ...options, tokens, anchors, certificates, folders, memory }),
    hostPathPlugin,
    localPlugin(folders, options.prepareLocal),
    nfsPlugin,
    imagePlugin,
    ...(options.plugins ?? []),
  ];
  const states = new Map<string, PodState>();
  const parts = { ...options, folders, plugins };

  const stateOf = (podUid: string): PodState => {
    const state = states.get(podUid) ?? { volumes: new Map(), timer: undefined };
    states.set(podUid, state);
    return state;
  };
  const volumesOf = (podUid: string): PodMounts => states.get(podUid)?.volumes ?? new Map();
  return {
    async setUp(pod, { isStarting }) {
      const { uid = "" } = pod.metadata;
      options.references.retain(pod);
      const state = stateOf(uid);
      if (isStarting) state.volumes.clear();
      state.timer?.cancel();
      const others = [...states].filter(([other]) => other !== uid);
      await setUpVolumes(pod, state.volumes, {
        ...parts,
        isUsedByOthers: (name) =>
          others.some(([, { volumes }]) => [...volumes.values()].some((one) => isOf(name, one))),
      });
      const due = renewalOf(state, options.clock.now());
      if (due !== undefined) state.timer = options.clock.setTimer(due, () => options.changed(uid));
    },
    mounts: ({ metadata: { uid = "" } }, container, request) =>
      containerMounts({
        ...{ ...request, container, log: options.log },
        volumes: volumesOf(uid),
        subPaths: folders.subPaths(uid),
      }),
    devices: ({ metadata: { uid = "" } }, container) =>
      containerDevices({ container, volumes: volumesOf(uid) }),
    file(podUid, name, path) {
      const volume = states.get(podUid)?.volumes.get(name);
      return volume && volumeFile(volume.path, path);
    },
    async tearDown(podUid) {
      states.get(podUid)?.timer?.cancel();
      states.delete(podUid);
      options.references.release(podUid);
      tokens.forget(podUid);
      anchors.forget(podUid);
      certificates.forget(podUid);
      await tearDownVolumes(podUid, folders, plugins);
      for (const plugin of plugins) plugin.forget?.(podUid);
    },
    usage: (podUid) => volumeUsage(podUid, volumesOf(podUid)),
    podUids: () => podsWithVolumes(folders),
    async close() {
      for (const { timer } of states.values()) timer?.cancel();
      states.clear();
      anchors.close();
      await memory
        .close()
        .catch((error: unknown) =>
          options.log.warn("unmounting the memory of volumes failed", { error }),
        );
    },
  };
}

/** Whether a mount is one of a persistent volume. */
const isOf = (name: string, { volume }: PodMount): boolean =>
  volume.persistentVolume !== undefined && volume.name === name;

/** What is known of a pod's volumes since the kubelet has started. */
interface PodState {
  readonly volumes: Map<string, PodMount>;
  timer: Timer | undefined;
}

/** The milliseconds until volumes must be set up again; those that are too old are retried after a minute. */
function renewalOf({ volumes }: PodState, now: number): number | undefined {
  const times = [...volumes.values()].flatMap(({ staleBecause, renewAt }) => {
    if (staleBecause !== undefined) return [now + retryMs];
    return renewAt === undefined ? [] : [renewAt];
  });
  return times.length === 0 ? undefined : Math.max(0, Math.min(...times) - now);
}

const retryMs = 60_000;
