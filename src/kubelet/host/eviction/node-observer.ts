import { type Clock, steadyTimeOf } from "../../../base/clock.ts";
import type { ImageService } from "../../../cri/image-service.ts";
import type { Cgroups } from "../../../platform/cgroups/cgroups.ts";
import type { NodeObserver } from "../../eviction/eviction-manager.ts";
import type { FilesystemLayout } from "../../eviction/filesystem-layout.ts";
import type { Observation, Signal } from "../../eviction/signal.ts";
import { readFilesystem } from "../machine/filesystem.ts";
import { findNodeFolders, type NodeFolders } from "../machine/node-folders.ts";
import { measurePod, type PodMeasureOptions } from "./measure-pod.ts";
import { type MemoryShare, observeMemory, observePodsMemory } from "./observe-memory.ts";
import { observeProcesses } from "./observe-processes.ts";

export interface NodeObserverOptions extends PodMeasureOptions {
  readonly images: Pick<ImageService, "imageFsInfo">;
  readonly cgroups: Cgroups;
  readonly clock: Clock;
  /** The cgroup of all pods, if the memory of all pods is limited. */
  readonly podsCgroup?: string | undefined;
  /** The memory of a node that shares the machine with others; by default all of the machine's. */
  readonly memory?: MemoryShare | undefined;
}

/** Observes a node on this machine. */
export function createNodeObserver(options: NodeObserverOptions): NodeObserver {
  const { images, cgroups, clock, rootDir, podsCgroup } = options;
  const steadyTime = steadyTimeOf(clock);
  const findFolders = findNodeFolders(images, rootDir);
  const measure = measurePod(options);

  const observeDisk = async (signal: Signal): Promise<Omit<Observation, "at">> => {
    const [place = "", what] = signal.split(".");
    const all = await findFolders();
    const disk = await readFilesystem(all[place as keyof NodeFolders]);
    return what === "available"
      ? { available: disk.availableBytes, capacity: disk.capacityBytes }
      : { available: disk.inodesFree, capacity: disk.inodes };
  };
  const observeOne = async (signal: Signal): Promise<Omit<Observation, "at"> | undefined> => {
    if (signal === "memory.available") return observeMemory(cgroups, options.memory);
    if (signal === "allocatableMemory.available")
      return podsCgroup === undefined ? undefined : observePodsMemory(cgroups, podsCgroup);
    if (signal === "pid.available") return observeProcesses();
    const disk = await observeDisk(signal);
    // Some file systems do not count inodes.
    return disk.capacity > 0 ? disk : undefined;
  };

  return {
    async layout() {
      const { nodefs, imagefs, containerfs } = await findFolders();
      const [node, image, container] = await Promise.all(
        [nodefs, imagefs, containerfs].map(async (path) => (await readFilesystem(path)).device),
      );
      return layoutOf(image === node, image === container);
    },
    async observe(thresholds) {
      const at = steadyTime();
      const signals = [...new Set(thresholds.map(({ signal }) => signal))];
      const all = await Promise.all(
        signals.map(async (signal) => {
          const found = await observeOne(signal);
          return found ? [[signal, { ...found, at }] as const] : [];
        }),
      );
      return new Map(all.flat());
    },
    measure,
  };
}

function layoutOf(imagesOnNode: boolean, containersOnImages: boolean): FilesystemLayout {
  if (imagesOnNode) return "single";
  return containersOnImages ? "images" : "split";
}
