import { existsSync, type FSWatcher, watch } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { Log } from "../../base/log.ts";
import { onAbort } from "../../base/on-abort.ts";
import { KeyedLock } from "../../base/queue/keyed-lock.ts";
import { RuntimeError } from "../../cri/runtime-service.ts";
import type { StreamSession, TerminalSize } from "../../cri/streams.ts";
import { identifyProcess, isRunning } from "../../platform/process-identity.ts";
import type { Cgroups } from "../cgroups/cgroups.ts";
import type { Snapshots } from "../snapshots/snapshots.ts";
import { attachStreams, logEnd } from "./attach.ts";
import { createContainer } from "./conmon.ts";
import { ContainerFolder, type ContainerRecord } from "./container-folder.ts";
import type { ContainerSettings, LinuxResources } from "./container-settings.ts";
import type {
  Container,
  ContainerChange,
  Containers,
  ExecCommand,
  NewContainer,
  StopOptions,
} from "./containers.ts";
import { execInContainer } from "./exec.ts";
import { removeLeftovers } from "./leftovers.ts";
import { encodeOciConfig } from "./oci/encode-oci-config.ts";
import { ociConfig } from "./oci/oci-config.ts";
import type { OciConfig } from "./oci/oci-types.ts";
import type { OciRuntime } from "./oci-runtime.ts";
import { ended, notStarted, publicState, type RunState, stateNow } from "./run-state.ts";
import { signalNumber } from "./signal-number.ts";

export interface EngineContainersOptions {
  /** The folder of the containers' records, which survives a reboot. */
  readonly folder: string;
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
  readonly log: Log;
}

/** A container in memory: what is on disk, and who waits for its end. */
interface Entry {
  readonly folder: ContainerFolder;
  record: ContainerRecord;
  state: RunState;
}

/** Opens the containers of an engine: those that still run are taken over. */
export async function openContainers(options: EngineContainersOptions): Promise<EngineContainers> {
  const containers = new EngineContainers(options);
  await containers.open();
  return containers;
}

/** Containers that conmon watches over, each with a folder on disk. */
export class EngineContainers implements Containers {
  readonly #options: EngineContainersOptions;
  readonly #exitFolder: string;
  readonly #entries = new Map<string, Entry>();
  readonly #lock = new KeyedLock();
  readonly #listeners = new Set<(change: ContainerChange) => void>();
  #watcher: FSWatcher | undefined;

  constructor(options: EngineContainersOptions) {
    this.#options = options;
    this.#exitFolder = join(options.runFolder, "exits");
  }

  async open(): Promise<void> {
    const { folder } = this.#options;
    for (const path of [folder, this.#exitFolder])
      await mkdir(path, { recursive: true, mode: 0o700 });
    this.#watcher = watch(this.#exitFolder, (_, name) => name !== null && this.#noticeExit(name));
    await Promise.all(
      (await readdir(folder)).map((id) => this.#lock.run(id, () => this.#load(id))),
    );
  }

  /** Stops watching. Containers run on. */
  async close(): Promise<void> {
    this.#watcher?.close();
    await this.#lock.idle();
  }

  async create(container: NewContainer): Promise<void> {
    const { id } = container;
    await this.#lock.run(id, async () => {
      if (this.#entries.has(id)) throw new RuntimeError("AlreadyExists", `container ${id} exists`);
      const { clock, snapshots } = this.#options;
      const folder = this.#folderOf(id);
      const record = await (async () => {
        await snapshots.create(id, container.layers);
        const settings = await settingsOf(container, () => snapshots.mount(id));
        const { logPath = folder.logPath } = container;
        const made = { ...container, settings, logPath, createdAt: clock.now() };
        await folder.create(made);
        return made;
      })().catch(async (error) => {
        for (const one of [id, ...(container.snapshots ?? [])]) await snapshots.remove(one);
        throw error;
      });
      this.#entries.set(id, { folder, record, state: { phase: "created" } });
      this.#notify("created", id);
    });
  }

  async start(id: string, settings?: Partial<ContainerSettings>): Promise<void> {
    await this.#lock.run(id, async () => {
      const entry = this.#entry(id);
      const { phase } = entry.state;
      if (phase !== "created" && phase !== "exited")
        throw new RuntimeError("FailedPrecondition", `container ${id} is ${phase}`);
      if (settings) {
        entry.record = { ...entry.record, settings: { ...entry.record.settings, ...settings } };
        await entry.folder.writeRecord(entry.record);
      }
      try {
        await this.#run(entry);
      } catch (error) {
        await this.#clean(entry);
        await this.#setState(entry, notStarted(errorMessage(error), this.#options.clock.now()));
        this.#notify("exited", id);
        throw error;
      }
      this.#notify("started", id);
      // It may have ended before the engine watched for its end.
      this.#noticeExit(id);
    });
  }

  async kill(id: string, signal: string): Promise<void> {
    const { state } = this.#current(id);
    if (state.phase !== "running" || !isRunning(state.process))
      throw new RuntimeError("FailedPrecondition", `container ${id} is not running`);
    process.kill(state.process.pid, signalNumber(signal));
  }

  async stop(id: string, { signal, timeoutMs, abort }: StopOptions): Promise<void> {
    const isOver = (): boolean => this.#current(id).state.phase !== "running";
    if (isOver()) return;
    const send = (name: string): void => {
      const { state } = this.#current(id);
      if (state.phase === "running" && isRunning(state.process))
        process.kill(state.process.pid, signalNumber(name));
    };
    if (timeoutMs > 0) {
      send(signal);
      await this.#waitUntil(isOver, { id, timeoutMs, abort });
      if (isOver() || abort?.aborted) return;
    }
    const { state } = this.#current(id);
    if (state.phase === "running" && state.isPaused) await this.unpause(id);
    send("SIGKILL");
    await this.#waitUntil(isOver, { id, abort });
  }

  async pause(id: string): Promise<void> {
    await this.#setPaused(id, true);
  }

  async unpause(id: string): Promise<void> {
    await this.#setPaused(id, false);
  }

  async remove(id: string): Promise<void> {
    await this.#lock.run(id, async () => {
      const entry = this.#entries.get(id);
      if (!entry) return;
      const { phase } = entry.state;
      await this.#setState(entry, { phase: "removing" });
      // What has ended was cleaned when it ended.
      if (phase !== "created" && phase !== "exited") await this.#endProcesses(entry);
      await this.#delete(entry);
      const container = publicContainer(entry);
      this.#entries.delete(id);
      this.#send({ type: "deleted", container, at: this.#options.clock.now() });
    });
  }

  get(id: string): Container | undefined {
    const entry = this.#entries.get(id);
    if (!entry || entry.state.phase === "removing") return undefined;
    return publicContainer(this.#checked(entry));
  }

  list(): readonly Container[] {
    const there = [...this.#entries.values()].filter(({ state }) => state.phase !== "removing");
    return there.map((entry) => publicContainer(this.#checked(entry)));
  }

  async setDetails(id: string, details: object): Promise<void> {
    await this.#lock.run(id, async () => {
      const entry = this.#entry(id);
      entry.record = { ...entry.record, details };
      await entry.folder.writeRecord(entry.record);
    });
  }

  async wait(id: string, abort?: AbortSignal): Promise<Container> {
    const isOver = (): boolean => {
      const phase = this.get(id)?.state.phase;
      return phase !== "running" && phase !== "starting";
    };
    await this.#waitUntil(isOver, { id, abort });
    return publicContainer(this.#current(id));
  }

  async rootfs(id: string): Promise<string> {
    this.#current(id);
    return this.#options.snapshots.mount(id);
  }

  async exec(id: string, command: ExecCommand, session: StreamSession): Promise<number> {
    const { record, state } = this.#current(id);
    if (state.phase !== "running")
      throw new RuntimeError("FailedPrecondition", `container ${id} is not running`);
    const { runtime, runFolder } = this.#options;
    const { process } = this.#configOf(record.settings);
    return execInContainer({ id, command, process, runtime, runFolder }, session);
  }

  async attach(
    id: string,
    session: StreamSession,
    { nextRun = false }: { readonly nextRun?: boolean } = {},
  ): Promise<void> {
    const {
      record: { logPath },
      state,
    } = this.#current(id);
    const from = await logEnd(logPath);
    // A client may attach to a container that is about to be started.
    const hasStarted = (): boolean => {
      const now = this.#current(id).state;
      return now.phase === "running" || (now.phase === "exited" && !(nextRun && now === state));
    };
    await this.#waitUntil(hasStarted, { id, abort: session.signal });
    if (session.signal.aborted) return;
    const { record, folder } = this.#current(id);
    const ended = new AbortController();
    void this.wait(id, session.signal).then(
      () => ended.abort(),
      () => ended.abort(),
    );
    const target = { bundle: folder.bundle, logPath, from, stdin: record.stdin };
    await attachStreams({ ...target, ended: ended.signal }, session);
  }

  async resize(id: string, { width, height }: TerminalSize): Promise<void> {
    await this.#control(id, `1 ${height} ${width}\n`);
  }

  async reopenLog(id: string): Promise<void> {
    await this.#control(id, "2 0 0\n");
  }

  async update(id: string, resources: LinuxResources): Promise<void> {
    await this.#lock.run(id, async () => {
      const entry = this.#entry(id);
      const settings = {
        ...entry.record.settings,
        resources: { ...entry.record.settings.resources, ...resources },
      };
      if (entry.state.phase === "running") {
        const { linux } = this.#configOf(settings);
        await this.#options.runtime.update(id, linux.resources);
      }
      entry.record = { ...entry.record, settings };
      await entry.folder.writeRecord(entry.record);
      this.#notify("updated", id);
    });
  }

  async pids(id: string): Promise<readonly number[]> {
    return this.#options.cgroups.pids(this.#current(id).record.settings.cgroupsPath);
  }

  onChange(listener: (change: ContainerChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reads a container back, and finishes what a kill interrupted. */
  async #load(id: string): Promise<void> {
    const folder = this.#folderOf(id);
    const record = await folder.readRecord();
    if (!record) {
      await this.#options.snapshots.remove(id);
      return folder.remove();
    }
    const state = await folder.readState();
    const entry: Entry = { folder, record, state };
    this.#entries.set(id, entry);
    if (state.phase === "removing") {
      await this.#endProcesses(entry);
      await this.#delete(entry);
      this.#entries.delete(id);
      return;
    }
    if (state.phase === "starting" || state.phase === "running") {
      const found = folder.find(state, this.#options.runtime.isStarted(id));
      const now = stateNow(state, found, this.#options.clock.now());
      if (now.phase === "exited") await this.#end(entry, now);
      else if (now !== state) await this.#setState(entry, now);
    } else if (existsSync(join(this.#options.runtime.root, id))) await this.#clean(entry);
  }

  /** Has conmon and the OCI runtime create and start the container. */
  async #run(entry: Entry): Promise<void> {
    const { snapshots, runtime, conmon, clock } = this.#options;
    const { folder, record } = entry;
    const { id, logPath, stdin, stdinOnce, settings } = record;
    const [rootfs] = await Promise.all([
      snapshots.mount(id),
      ...(record.snapshots ?? []).map((other) => snapshots.mount(other)),
      mkdir(dirname(logPath), { recursive: true, mode: 0o755 }),
      folder.forgetRun(),
      folder.synced(),
    ]);
    await folder.writeConfig(encodeOciConfig(this.#configOf(settings, rootfs)));
    await this.#setState(entry, { phase: "starting" });
    const pid = await createContainer(conmon, runtime, {
      ...{ id, logPath, stdin, stdinOnce, tty: settings.tty },
      ...{ bundle: folder.bundle, folder: folder.path, exitFolder: this.#exitFolder },
    });
    const process = identifyProcess(pid);
    const monitor = folder.monitor();
    if (!process || !monitor) throw new Error("its first process ended before it was started");
    const startedAt = clock.now();
    await runtime.start(id, () => isRunning(process));
    await this.#setState(entry, { phase: "running", process, monitor, startedAt, isPaused: false });
  }

  #configOf(settings: ContainerSettings, rootfs = "/"): OciConfig {
    const { lowestOomScoreAdj } = this.#options;
    return ociConfig(settings, { rootfs, lowestOomScoreAdj });
  }

  /** Called for every file in the folder of exits: the name of a finished one is an ID. */
  #noticeExit(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry?.folder.exit()) return;
    void this.#lock
      .run(id, async () => {
        const { state, folder } = entry;
        const exit = folder.exit();
        if (state.phase !== "running" || !exit) return;
        const { cgroupsPath } = entry.record.settings;
        const isOom = folder.isOom() || (await this.#options.cgroups.hasOomKill(cgroupsPath));
        const { startedAt } = state;
        const { code: exitCode, at: finishedAt } = exit;
        await this.#end(entry, ended({ startedAt, finishedAt, exitCode, isOom }));
      })
      .catch((error) =>
        this.#options.log.error("noting the end of a container failed", error, { id }),
      );
  }

  /** Records the end of a container, and then cleans up after it. */
  async #end(entry: Entry, state: RunState): Promise<void> {
    const { id } = entry.record;
    await this.#setState(entry, state);
    if (state.phase === "exited" && state.reason === "OOMKilled") this.#notify("oom", id);
    this.#notify("exited", id);
    await this.#clean(entry);
  }

  /** Ends all processes of a container, and unmounts its file system. */
  async #clean(entry: Entry): Promise<void> {
    await this.#endProcesses(entry);
    const { id, snapshots = [] } = entry.record;
    for (const one of [id, ...snapshots]) await this.#options.snapshots.unmount(one);
  }

  async #endProcesses({ record, folder }: Entry): Promise<void> {
    const { runtime, cgroups } = this.#options;
    const { id, settings } = record;
    const isRecorded = folder.exit() !== undefined;
    await removeLeftovers(
      { id, bundle: folder.bundle, cgroupsPath: settings.cgroupsPath, isRecorded },
      { runtime, cgroups },
    );
  }

  async #delete({ record, folder }: Entry): Promise<void> {
    const { id, snapshots = [] } = record;
    for (const one of [id, ...snapshots]) await this.#options.snapshots.remove(one);
    await folder.remove();
  }

  /** Notices a container whose processes were ended together with its conmon. */
  #checked(entry: Entry): Entry {
    const { state, folder } = entry;
    if (state.phase !== "running" || isRunning(state.process) || isRunning(state.monitor))
      return entry;
    const { id } = entry.record;
    const found = folder.find(state, this.#options.runtime.isStarted(id));
    const now = stateNow(state, found, this.#options.clock.now());
    if (now === state) return entry;
    void this.#lock
      .run(id, async () => {
        if (entry.state === state) await this.#end(entry, now);
      })
      .catch((error) =>
        this.#options.log.error("noting the end of a container failed", error, { id }),
      );
    return { ...entry, state: now };
  }

  async #setPaused(id: string, isPaused: boolean): Promise<void> {
    await this.#lock.run(id, async () => {
      const entry = this.#entry(id);
      const { state } = entry;
      if (state.phase !== "running")
        throw new RuntimeError("FailedPrecondition", `container ${id} is not running`);
      if (state.isPaused === isPaused) return;
      await (isPaused ? this.#options.runtime.pause(id) : this.#options.runtime.resume(id));
      await this.#setState(entry, { ...state, isPaused });
      this.#notify(isPaused ? "paused" : "unpaused", id);
    });
  }

  /** Writes a line to conmon's control pipe. */
  async #control(id: string, line: string): Promise<void> {
    const { state, folder } = this.#current(id);
    if (state.phase !== "running")
      throw new RuntimeError("FailedPrecondition", `container ${id} is not running`);
    await writeFile(join(folder.bundle, "ctl"), line, { flag: "a" });
  }

  /** Resolves when something holds, which is checked at every change, or after a time. */
  #waitUntil(
    holds: () => boolean,
    options: {
      readonly id: string;
      readonly timeoutMs?: number;
      readonly abort?: AbortSignal | undefined;
    },
  ): Promise<void> {
    const { id, timeoutMs, abort } = options;
    if (holds() || abort?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        forget();
        stopListening();
        timer?.cancel();
        resolve();
      };
      const forget = this.onChange(({ container }) => {
        if (container.id === id && holds()) done();
      });
      const stopListening = abort ? onAbort(abort, done) : (): void => {};
      const timer =
        timeoutMs === undefined ? undefined : this.#options.clock.setTimer(timeoutMs, done);
    });
  }

  async #setState(entry: Entry, state: RunState): Promise<void> {
    await entry.folder.writeState(state);
    entry.state = state;
  }

  #folderOf(id: string): ContainerFolder {
    return new ContainerFolder(join(this.#options.folder, id), join(this.#exitFolder, id));
  }

  #entry(id: string): Entry {
    const entry = this.#entries.get(id);
    if (!entry || entry.state.phase === "removing")
      throw new RuntimeError("NotFound", `container ${JSON.stringify(id)}: not found`);
    return entry;
  }

  #current(id: string): Entry {
    return this.#checked(this.#entry(id));
  }

  #notify(type: ContainerChange["type"], id: string): void {
    const entry = this.#entries.get(id);
    if (entry)
      this.#send({ type, container: publicContainer(entry), at: this.#options.clock.now() });
  }

  #send(change: ContainerChange): void {
    for (const listener of [...this.#listeners]) listener(change);
  }
}

const publicContainer = ({ record, state }: Entry): Container => ({
  ...record,
  state: publicState(state),
});

async function settingsOf(
  { settings }: NewContainer,
  mount: () => Promise<string>,
): Promise<ContainerSettings> {
  return typeof settings === "function" ? settings(await mount()) : settings;
}
