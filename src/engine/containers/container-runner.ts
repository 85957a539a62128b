import { mkdir, truncate } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { Cgroups } from "../../platform/cgroups/cgroups.ts";
import { identifyProcess, isRunning } from "../../platform/process-identity.ts";
import type { Snapshots } from "../snapshots/snapshots.ts";
import { logEnd } from "./attach.ts";
import { createContainer } from "./conmon.ts";
import type { ContainerFolder, ContainerRecord } from "./container-folder.ts";
import type { ContainerSettings } from "./container-settings.ts";
import { removeLeftovers } from "./leftovers.ts";
import { encodeOciConfig } from "./oci/encode-oci-config.ts";
import { ociConfig } from "./oci/oci-config.ts";
import type { OciConfig } from "./oci/oci-types.ts";
import type { OciRuntime } from "./oci-runtime.ts";
import { ownStreams } from "./own-streams.ts";
import { ReachableRoots } from "./reachable-roots.ts";
import type { RunningState, RunState } from "./run-state.ts";

export interface ContainerRunnerOptions {
  /** A folder that does not survive a reboot. */
  readonly runFolder: string;
  readonly snapshots: Snapshots;
  readonly runtime: OciRuntime;
  /** The path of conmon. */
  readonly conmon: string;
  readonly cgroups: Cgroups;
  /** The lowest oom_score_adj that containers can get; absent if they can get all. */
  readonly lowestOomScoreAdj?: number | undefined;
  readonly clock: Clock;
}

/** A container on disk. */
export interface ContainerOnDisk {
  readonly record: ContainerRecord;
  readonly folder: ContainerFolder;
}

/** Runs containers and removes what is left of them: processes, cgroups and mounts. */
export class ContainerRunner {
  readonly #options: ContainerRunnerOptions;
  /** Where conmon records the ends of containers, each in a file with its ID as its name. */
  readonly exitFolder: string;
  readonly #roots: ReachableRoots;

  constructor(options: ContainerRunnerOptions) {
    this.#options = options;
    this.exitFolder = join(options.runFolder, "exits");
    this.#roots = new ReachableRoots(join(options.runFolder, "roots"));
  }

  /** Has conmon and the OCI runtime create and start a container; `setState` records that it is being started. */
  async run(
    { folder, record }: ContainerOnDisk,
    setState: (state: RunState) => Promise<void>,
  ): Promise<RunningState> {
    const { snapshots, conmon, clock } = this.#options;
    const runtime = this.runtimeOf(record);
    const { id, logPath, stdin, stdinOnce, settings, users } = record;
    const [rootfs] = await Promise.all([
      snapshots.mount(id, users),
      ...(record.snapshots ?? []).map((other) => snapshots.mount(other, users)),
      mkdir(dirname(logPath), { recursive: true, mode: 0o755 }),
      folder.forgetRun(),
      folder.synced(),
    ]);
    const root = users ? await this.#roots.open(id, { rootfs, users }) : rootfs;
    await folder.writeConfig(encodeOciConfig(this.configOf(settings, root)));
    await setState({ phase: "starting", logSize: await logEnd(logPath) });
    const pid = await createContainer(conmon, runtime, {
      ...{ id, logPath, stdin, stdinOnce, tty: settings.tty },
      ...{ bundle: folder.bundle, folder: folder.path, exitFolder: this.exitFolder },
    });
    const process = identifyProcess(pid);
    const monitor = folder.monitor();
    if (!process || !monitor) throw new Error("its first process ended before it was started");
    if (users) await ownStreams(pid, settings.user.uid, users);
    const startedAt = clock.now();
    await runtime.start(id, () => isRunning(process));
    return { phase: "running", process, monitor, startedAt, isPaused: false };
  }

  /** The OCI runtime of a container. */
  runtimeOf({ ociProgram }: Pick<ContainerRecord, "ociProgram">): OciRuntime {
    return this.#options.runtime.of(ociProgram);
  }

  /** The OCI configuration of a container. */
  configOf(settings: ContainerSettings, rootfs = "/"): OciConfig {
    const { lowestOomScoreAdj } = this.#options;
    return ociConfig(settings, { rootfs, lowestOomScoreAdj });
  }

  /** Ends what there is of a start that did not let the container run, and takes back what runc wrote into its log. */
  async undoStart(container: ContainerOnDisk, logSize: number | undefined): Promise<void> {
    // First: a kill in between finds a container that was never created by the runtime.
    await container.folder.forgetRun();
    await this.clean(container);
    const { logPath } = container.record;
    if (logSize !== undefined && (await logEnd(logPath)) > logSize)
      await truncate(logPath, logSize);
  }

  /** Ends all processes of a container, and unmounts its file systems. */
  async clean(container: ContainerOnDisk): Promise<void> {
    await this.endProcesses(container);
    const { id, snapshots = [], users } = container.record;
    if (users) await this.#roots.close(id);
    for (const one of [id, ...snapshots]) await this.#options.snapshots.unmount(one);
  }

  async endProcesses({ record, folder }: ContainerOnDisk): Promise<void> {
    const { cgroups } = this.#options;
    const { id, settings } = record;
    const isRecorded = folder.exit() !== undefined;
    await removeLeftovers(
      { id, bundle: folder.bundle, cgroupsPath: settings.cgroupsPath, isRecorded },
      { runtime: this.runtimeOf(record), cgroups },
    );
  }

  /** Deletes the file systems of a container, and its folder. */
  async delete({ record, folder }: ContainerOnDisk): Promise<void> {
    const { id, snapshots = [], users } = record;
    if (users) await this.#roots.close(id);
    for (const one of [id, ...snapshots]) await this.#options.snapshots.remove(one);
    await folder.remove();
  }
}
