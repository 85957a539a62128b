import { chmod, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { provisionedBy } from "../../../api/core/v1/volume/binding-annotations.ts";
import { PersistentVolume } from "../../../api/core/v1/volume/persistent-volume.ts";
import {
  localDataFinalizer,
  localProvisioner,
  localVolumesRoot,
  volumeNode,
} from "../../../api/core/v1/volume/wherry-local-volume.ts";
import type { Clock, Timer } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { Client } from "../../../client/client.ts";
import { ignoreNotFound } from "../../../client/ignore-not-found.ts";
import type { Informer } from "../../../client/informer/informer-options.ts";
import type { Informers } from "../../../client/informer/informers.ts";
import {
  hasFinalizer,
  withFinalizer,
  withoutFinalizer,
} from "../../../controller-runtime/objects/finalizers.ts";
import { isMountedBelow } from "./mounts.ts";

export interface LocalDataOptions {
  readonly nodeName: string;
  /** The folder with the volumes of all pods. */
  readonly pods: string;
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The folders of volumes that the cluster's own provisioner has made for this node. Before a folder is made, the
 * volume gets a finalizer, which is removed after the folder: however the node ends in between, no data is forgotten.
 */
export class LocalData {
  readonly #options: LocalDataOptions;
  readonly #timers = new Map<string, Timer>();
  readonly #removals = new Map<string, Promise<void>>();
  #volumes: Informer<PersistentVolume> | undefined;
  #isClosed = false;

  constructor(options: LocalDataOptions) {
    this.#options = options;
  }

  /** Watches volumes if this machine has folders of any. A node without them needs no right to watch. */
  async start(): Promise<void> {
    const names = await readdir(localVolumesRoot).catch(() => []);
    if (names.length > 0) this.#watch();
  }

  /** Makes the folder of a volume, unless it is no such volume. */
  async prepare(volume: PersistentVolume): Promise<void> {
    if (!this.#isOwn(volume)) return;
    const { client } = this.#options;
    this.#watch();
    if (!hasFinalizer(volume, localDataFinalizer)) {
      if (volume.metadata.deletionTimestamp) throw new Error("the volume is being deleted");
      await client.update(PersistentVolume, withFinalizer(volume, localDataFinalizer));
    }
    await mkdir(localVolumesRoot, { recursive: true, mode: 0o711 });
    const path = pathOf(volume);
    const isNew = (await mkdir(path, { recursive: true })) !== undefined;
    // Pods may run as any user; the folder above lets only root and pods with the volume in.
    if (isNew) await chmod(path, 0o777);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers.values()) timer.cancel();
    this.#volumes?.close();
    await Promise.all(this.#removals.values());
  }

  #isOwn({ metadata, spec }: PersistentVolume): boolean {
    const { [provisionedBy]: provisioner, [volumeNode]: node } = metadata.annotations ?? {};
    const isOurs = provisioner === localProvisioner && node === this.#options.nodeName;
    return isOurs && spec.local?.path === join(localVolumesRoot, metadata.name ?? "");
  }

  #watch(): void {
    if (this.#volumes || this.#isClosed) return;
    this.#volumes = this.#options.informers.of(PersistentVolume);
    const changed = (volume: PersistentVolume): void => this.#removeIfDeleted(volume);
    this.#volumes.addHandler({ added: changed, updated: changed });
  }

  #removeIfDeleted(volume: PersistentVolume): void {
    const { name = "", deletionTimestamp } = volume.metadata;
    const isDue = deletionTimestamp !== undefined && hasFinalizer(volume, localDataFinalizer);
    if (!isDue || !this.#isOwn(volume) || this.#isClosed || this.#removals.has(name)) return;
    const { clock, log } = this.#options;
    const removal = this.#remove(volume)
      .catch((error: unknown) => {
        if (this.#isClosed) return;
        log.warn("removing the data of a volume failed", { name, error });
        const retry = (): void => {
          this.#timers.delete(name);
          const now = this.#volumes?.get({ name });
          if (now) this.#removeIfDeleted(now);
        };
        this.#timers.set(name, clock.setTimer(retryMs, retry));
      })
      .finally(() => this.#removals.delete(name));
    this.#removals.set(name, removal);
  }

  async #remove(volume: PersistentVolume): Promise<void> {
    const { client, pods } = this.#options;
    const path = pathOf(volume);
    // The data of a volume that is retained outlives the volume.
    if (volume.spec.persistentVolumeReclaimPolicy === "Delete") {
      if (await isMountedBelow(pods, path)) throw new Error("a pod still uses the volume");
      await rm(path, { recursive: true, force: true });
    }
    const free = withoutFinalizer(volume, localDataFinalizer);
    await ignoreNotFound(client.update(PersistentVolume, free));
  }
}

const pathOf = ({ metadata }: PersistentVolume): string =>
  join(localVolumesRoot, metadata.name ?? "");

const retryMs = 5000;
