import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { PersistentVolume } from "../../../api/core/v1/volume/persistent-volume.ts";
import type { VolumeSource } from "../../../api/core/v1/volume/volume.ts";

/** A kind of volume. The folders of its volumes have its name, so that they are found after a restart. */
export interface VolumePlugin {
  /** Such as `kubernetes.io/empty-dir`. */
  readonly name: string;
  /** Whether this plugin provides a volume. */
  supports(volume: VolumeSpec): boolean;
  /** Whether volumes follow other objects: they are set up again with each sync of their pod. */
  readonly followsObjects?: boolean | undefined;
  /**
   * Makes a volume available to containers. Does nothing for what exists, and completes what a kill has left.
   * Rejects if the volume cannot be used.
   */
  setUp(request: VolumeRequest): Promise<MountedVolume>;
  /**
   * Does what must precede the removal of a volume. Mounts below the folder of the pod, and the folder itself if
   * it is empty then, are removed for all plugins.
   */
  tearDown?(volume: VolumeFolder): Promise<void>;
  /** Forgets what it knows of a pod, whose volumes are removed, or were never set up. */
  forget?(podUid: string): void;
  /** What a volume takes, if not what its files or its file system do; undefined if that is unknown. */
  usage?(volume: UsedSpace): Promise<VolumeSpace | undefined>;
  /** Whether volumes are files of the node, which are not counted as the pod's. */
  readonly isOfNode?: boolean | undefined;
  /** Whether the folder of a volume holds files of the pod, which are removed with it. */
  readonly ownsFiles?: boolean | undefined;
}

/** A volume of a pod, or the persistent volume behind its claim. */
export interface VolumeSpec {
  /** The name of its folder, and its name in messages. */
  readonly name: string;
  /** What the pod says of it; empty for a claim. */
  readonly source: VolumeSource;
  readonly persistentVolume?: PersistentVolume | undefined;
  /** Whether the claim is used for reading only. */
  readonly readOnly: boolean;
  readonly mode: "Filesystem" | "Block";
}

export interface VolumeRequest {
  readonly pod: Pod;
  readonly volume: VolumeSpec;
  /** The folder of the volume, which may not exist yet. */
  readonly folder: string;
  /** The group that must be able to use the files. */
  readonly fsGroup?: number | undefined;
  /** Whether files whose folder belongs to the group already are left as they are. */
  readonly onRootMismatch: boolean;
  /** The user of all containers, if it is one. */
  readonly fsUser?: number | undefined;
  /** What it was set up as since the sandbox of the pod was created. */
  readonly before?: MountedVolume | undefined;
}

/** A volume that containers can use. */
export interface MountedVolume {
  /** The file or folder of the node that containers mount, or the device that they use. */
  readonly path: string;
  /** Whether containers may only read it, whatever they request. */
  readonly isReadOnly: boolean;
  /** Whether it belongs to the pod, so that its files get the pod's SELinux label. */
  readonly isManaged: boolean;
  /** The image to mount instead of a path. */
  readonly image?: string | undefined;
  /** Why the content could not be updated. It is older than it should be, and containers can use it. */
  readonly staleBecause?: unknown;
  /** When to set it up again, even if nothing has changed. */
  readonly renewAt?: number | undefined;
  /** The version of its content: nothing is written if it is the same as before. */
  readonly contentHash?: string | undefined;
}

/** The folder of a volume that was found on disk. */
export interface VolumeFolder {
  readonly podUid: string;
  readonly name: string;
  readonly path: string;
  /** Whether it is a block device: then the path is a link to it. */
  readonly mode: VolumeSpec["mode"];
}

/** A volume that is set up for a pod. */
export interface UsedSpace {
  readonly volume: VolumeSpec;
  readonly podUid: string;
  /** The file or folder that containers mount, or the device that they use. */
  readonly path: string;
}

/** What a volume takes, and what its file system has. */
export interface VolumeSpace {
  readonly usedBytes: number;
  readonly inodesUsed: number;
  readonly capacityBytes: number;
  readonly availableBytes: number;
  readonly inodes: number;
  readonly inodesFree: number;
}

/** A step of setting up a volume that failed. */
export class VolumeStepError extends Error {
  override readonly name = "VolumeStepError";
  /** What its event begins with, such as `MountVolume.MountDevice failed`. */
  readonly step: string;

  constructor(step: string, message: string) {
    super(message);
    this.step = step;
  }
}

/** Why a volume cannot be set up yet although nothing has failed: it is tried again without an event. */
export class VolumeNotReady extends Error {
  override readonly name = "VolumeNotReady";
}
