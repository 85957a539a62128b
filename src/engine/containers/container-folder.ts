import { existsSync, readFileSync, statSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { replacePrivateFile, syncFile } from "../../platform/files.ts";
import {
  identifyProcess,
  isRunning,
  type ProcessIdentity,
} from "../../platform/process-identity.ts";
import { conmonFiles } from "./conmon.ts";
import type { ContainerSettings } from "./container-settings.ts";
import type { NewContainer } from "./containers.ts";
import type { FoundOfContainer, RunningState, RunState } from "./run-state.ts";

/** What is written of a container when it is created. */
export interface ContainerRecord extends NewContainer {
  readonly settings: ContainerSettings;
  readonly logPath: string;
  readonly createdAt: number;
}

/** The folder of one container: its record, its run state, its bundle, and what conmon leaves there. */
export class ContainerFolder {
  readonly path: string;
  /** Where conmon records its end at first, which the engine watches. */
  readonly #exitFile: string;
  #synced: Promise<void> = Promise.resolve();

  constructor(path: string, exitFile: string) {
    this.path = path;
    this.#exitFile = exitFile;
  }

  get bundle(): string {
    return join(this.path, "bundle");
  }

  /** The log of a container that names no other file. */
  get logPath(): string {
    return join(this.path, "log");
  }

  async create(record: ContainerRecord): Promise<void> {
    await mkdir(this.bundle, { recursive: true, mode: 0o700 });
    await this.writeRecord(record);
  }

  /** Writes the record: a container with a record exists. It is synced while the caller goes on. */
  async writeRecord(record: ContainerRecord): Promise<void> {
    const path = join(this.path, recordFile);
    await replacePrivateFile(path, JSON.stringify(record));
    this.#synced = syncFile(path);
    // Who waits for it sees the error.
    this.#synced.catch(() => {});
  }

  /** Resolves when the record is on disk. */
  synced(): Promise<void> {
    return this.#synced;
  }

  /** The record, or undefined if the creation of the container was interrupted. */
  async readRecord(): Promise<ContainerRecord | undefined> {
    return this.#readJson<ContainerRecord>(recordFile);
  }

  /** Replaces the run state. It survives a kill, and need not survive a power failure: nothing runs then. */
  async writeState(state: RunState): Promise<void> {
    await replacePrivateFile(join(this.path, stateFile), JSON.stringify(state));
  }

  async readState(): Promise<RunState> {
    return (await this.#readJson<RunState>(stateFile)) ?? { phase: "created" };
  }

  async writeConfig(config: string): Promise<void> {
    await writeFile(join(this.bundle, "config.json"), config, { mode: 0o600 });
  }

  /** Removes what an earlier run left, so that it is not taken for that of the next one. */
  async forgetRun(): Promise<void> {
    // runc writes the pid to a file with a dot first, and fails where there is one.
    const names = [...Object.values(conmonFiles), `.${conmonFiles.containerPid}`];
    const left = names.map((name) => join(this.path, name));
    for (const path of [...left, this.#exitFile]) await rm(path, { force: true });
  }

  /** conmon's process, or undefined if it has not written its pid or has ended. */
  monitor(): ProcessIdentity | undefined {
    return identifiedIn(join(this.path, conmonFiles.monitorPid));
  }

  /**
   * What is found of the container's processes and of their end. `isLetRun` tells whether the OCI runtime let its
   * process run, if the runtime knows of it.
   */
  find(
    state: RunningState | { readonly phase: "starting" },
    isLetRun: () => boolean | undefined,
  ): FoundOfContainer {
    const isRunningNow = state.phase === "running";
    // The process first: its end is recorded while conmon still runs.
    const isProcessRunning = isRunningNow && isRunning(state.process);
    const isMonitorRunning = isRunningNow && isRunning(state.monitor);
    const processes = isRunningNow ? undefined : this.#processes();
    const exit = this.exit();
    const isOom = this.isOom();
    const running = { isProcessRunning, isMonitorRunning, processes, exit, isOom };
    return { ...running, isStarted: this.#isStarted(exit, isLetRun) };
  }

  /** Before its pid is written, nobody lets a process run. One that was never let run may have ended all the same. */
  #isStarted(exit: FoundOfContainer["exit"], isLetRun: () => boolean | undefined): boolean {
    const isCreated = existsSync(join(this.path, conmonFiles.containerPid));
    return isCreated && (isLetRun() ?? exit !== undefined);
  }

  /** The processes whose pids conmon wrote, if they are this container's. */
  #processes(): Pick<RunningState, "process" | "monitor"> | undefined {
    const process = identifiedIn(join(this.path, conmonFiles.containerPid));
    const monitor = this.monitor();
    if (!process || !monitor) return undefined;
    // Another process may have the pid by now: its cgroup tells.
    const isOwn = readText(`/proc/${process.pid}/cgroup`).includes(basename(this.path));
    return isOwn ? { process, monitor } : undefined;
  }

  /** The recorded end of the container. */
  exit(): FoundOfContainer["exit"] {
    return readExit(this.#exitFile) ?? readExit(join(this.path, conmonFiles.exit));
  }

  isOom(): boolean {
    return existsSync(join(this.path, conmonFiles.oom));
  }

  async remove(): Promise<void> {
    await rm(this.#exitFile, { force: true });
    await rm(this.path, { recursive: true, force: true });
  }

  async #readJson<T>(name: string): Promise<T | undefined> {
    try {
      return JSON.parse(await readFile(join(this.path, name), "utf8")) as T;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw new Error(`cannot read ${join(this.path, name)}`, { cause: error });
    }
  }
}

const recordFile = "container.json";
const stateFile = "state.json";

function readExit(path: string): FoundOfContainer["exit"] {
  try {
    const code = Number(readFileSync(path, "utf8"));
    return { code, at: Math.round(statSync(path).mtimeMs) };
  } catch {
    return undefined;
  }
}

/** The process whose pid a file has, if it runs. */
const identifiedIn = (path: string): ProcessIdentity | undefined =>
  identifyProcess(Number(readText(path) || Number.NaN));

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
