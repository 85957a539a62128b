import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { PodNetwork } from "../cri/pod-network.ts";
import { openCgroups } from "../platform/cgroups/host-cgroups.ts";
import { ensurePrivateDir } from "../platform/files.ts";
import { openContainers } from "./containers/engine-containers.ts";
import { OciRuntime } from "./containers/oci-runtime.ts";
import type { EngineParts } from "./engine-parts.ts";
import { type Images, openImages } from "./images/images.ts";
import { lowestOomScoreAdj } from "./own-oom-score.ts";
import { findProgram } from "./programs.ts";
import { openSandboxes } from "./sandboxes/engine-sandboxes.ts";
import { type OpenedSnapshots, openSnapshots } from "./snapshots/open-snapshots.ts";
import { removeProbes, UserNamespaceSupport } from "./user-namespace-support.ts";

export interface EngineOptions {
  /** The folder of all that survives a reboot. */
  readonly dataDir: string;
  /** A folder that does not survive a reboot, with a short path. */
  readonly runDir: string;
  readonly network: PodNetwork;
  /** The OCI runtime: a path, or a name on the PATH. */
  readonly ociRuntime?: string | undefined;
  /** Further OCI runtimes, paths or names on the PATH, by the handlers of runtime classes. */
  readonly ociRuntimes?: Readonly<Record<string, string>> | undefined;
  /** Folders with containerd's `hosts.toml` files; by default those of containerd and docker. */
  readonly registryHosts?: readonly string[] | undefined;
  readonly cgroupManager?: "cgroupfs" | "systemd" | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Engine extends EngineParts {
  /** Stops watching. Containers run on. */
  close(): Promise<void>;
}

/** Opens the engine of a node: containers that still run are taken over. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { dataDir, network, clock, log, registryHosts, cgroupManager = "cgroupfs" } = options;
  const [conmon, program, ...others] = await Promise.all([
    findProgram("conmon"),
    findProgram(options.ociRuntime ?? "runc"),
    ...Object.entries(options.ociRuntimes ?? {}).map(
      async ([handler, name]) => [handler, await findProgram(name)] as const,
    ),
  ]);
  await ensurePrivateDir(dataDir);
  await mkdir(options.runDir, { recursive: true, mode: 0o711 });
  // Mounts in it are recognized by their paths, which the kernel knows without links.
  const runDir = await realpath(options.runDir);
  const cgroups = await openCgroups();
  const runtime = new OciRuntime({ program, root: join(runDir, "oci"), cgroupManager });
  const { images, snapshots } = await openStores(dataDir, {
    ...(registryHosts && { registry: { hostsFolders: registryHosts } }),
    users: () =>
      containers.list().map(({ id, state, details }) => ({
        containerId: id,
        isRunning: state.phase === "running",
        imageId: "imageId" in details ? String(details.imageId) : "",
      })),
  });
  await removeProbes(runDir);
  const containers = await openContainers({
    ...{ folder: join(dataDir, "containers"), runFolder: runDir, snapshots, runtime, conmon },
    ...{ cgroups, lowestOomScoreAdj: lowestOomScoreAdj(), clock, log },
  });
  const sandboxes = await openSandboxes({
    ...{ folder: join(dataDir, "sandboxes"), runFolder: runDir, network, clock, log },
  });
  const known = new Set(containers.list().flatMap(({ id, snapshots = [] }) => [id, ...snapshots]));
  for (const id of await snapshots.list()) {
    const [containerId = id] = id.split(".", 1);
    if (!known.has(id) && !containers.isDamaged(containerId)) await snapshots.remove(id);
  }
  return {
    ...{ images, snapshots, containers, sandboxes, runtime, network, cgroups },
    ociPrograms: new Map(others),
    userNamespaces: new UserNamespaceSupport({ snapshots, runDir, log }),
    async close() {
      await Promise.all([containers.close(), sandboxes.close()]);
      await images.close();
      await snapshots.close();
    },
  };
}

/**
 * Opens images and snapshots. One process has the images open: that is the lock of the whole engine, under which
 * all else is opened.
 */
async function openStores(
  dataDir: string,
  options: Omit<Parameters<typeof openImages>[0], "root" | "snapshots">,
): Promise<{ readonly images: Images; readonly snapshots: OpenedSnapshots }> {
  const opened: OpenedSnapshots[] = [];
  const images = await openImages({
    ...options,
    root: join(dataDir, "images"),
    snapshots: async () => {
      const snapshots = await openSnapshots({ root: join(dataDir, "snapshots") });
      opened.push(snapshots);
      return snapshots;
    },
  });
  const [snapshots] = opened;
  if (!snapshots) throw new Error("images were opened without their snapshots");
  return { images, snapshots };
}
