import { constants, existsSync } from "node:fs";
import { mkdir, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Timer } from "../../base/clock.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { Log } from "../../base/log.ts";
import { KeyedLock } from "../../base/queue/keyed-lock.ts";
import { RuntimeError } from "../../cri/runtime-service.ts";
import type { StreamSession, TerminalSize } from "../../cri/streams.ts";
import type { LinuxResources } from "../../platform/cgroups/linux-resources.ts";
import { unlessFull } from "../../platform/files.ts";
import { isRunning } from "../../platform/process-identity.ts";
import { watchFolder } from "../../platform/watch-folder.ts";
import { attachStreams, logEnd } from "./attach.ts";
import { ContainerChanges } from "./container-changes.ts";
import { ContainerFolder, type ContainerRecord } from "./container-folder.ts";
import {
  type ContainerOnDisk,
  ContainerRunner,
  type ContainerRunnerOptions,
} from "./container-runner.ts";
import type { ContainerSettings } from "./container-settings.ts";
import type {
  AttachOptions,
  Container,
  ContainerChange,
  Containers,
  ExecCommand,
  NewContainer,
  StopOptions,
} from "./containers.ts";
import { execInContainer } from "./exec.ts";
import { endInterruptedExecs } from "./interrupted-execs.ts";
import { ended, notStarted, publicState, type RunState, stateNow } from "./run-state.ts";
import { signalNumber } from "./signal-number.ts";

export interface EngineContainersOptions extends ContainerRunnerOptions {
  /** The folder of the containers' records, which survives a reboot. */
  readonly folder: string;
  readonly log: Log;
}

/** A container in memory: what is on disk, and who waits for its end. */
interface Entry extends ContainerOnDisk {
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
  readonly #runner: ContainerRunner;
  readonly #entries = new Map<string, Entry>();
  readonly #lock = new KeyedLock();
  readonly #changes: ContainerChanges;
  readonly #damaged = new Set<string>();
  #watcher: { close(): void } | undefined;
  #nextLook: Timer | undefined;

  constructor(options: EngineContainersOptions) {
    this.#options = options;
    this.#runner = new ContainerRunner(options);
    this.#changes = new ContainerChanges(options.clock);
  }

  async open(): Promise<void> {
    const { folder, runFolder } = this.#options;
    const { exitFolder } = this.#runner;
    for (const path of [folder, exitFolder]) await mkdir(path, { recursive: true, mode: 0o700 });
    await endInterruptedExecs(runFolder);
    this.#watcher = watchFolder(exitFolder, (name) => name !== undefined && this.#noticeExit(name));
    const ids = (await readdir(folder)).filter((name) => isContainerId(name));
    await Promise.all(ids.map((id) => this.#lock.run(id, () => this.#takeOver(id))));
    this.#look();
  }

  /** Whether a container cannot be read: what is left of it is kept for somebody to look at. */
  isDamaged(id: string): boolean {
    return this.#damaged.has(id);
  }

  /** Stops watching. Containers run on. */
  async close(): Promise<void> {
    this.#watcher?.close();
    this.#nextLook?.cancel();
    await this.#lock.idle();
  }

  async create(container: NewContainer): Promise<void> {
    const { id } = container;
    await this.#lock.run(id, async () => {
      if (this.#entries.has(id)) throw new RuntimeError("AlreadyExists", `container ${id} exists`);
      const { clock, snapshots } = this.#options;
      const folder = this.#folderOf(id);
      const record = await (async () => {
        const { layers, users } = container;
        await snapshots.create(id, layers, users);
        const settings = await settingsOf(container, () => snapshots.mount(id, users));
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
        const running = await this.#runner.run(entry, (state) => this.#setState(entry, state));
        await this.#setState(entry, running);
      } catch (error) {
        await this.#runner.clean(entry);
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
    process.kill(state.process.pid, existingSignal(signal));
  }

  async stop(id: string, { signal, timeoutMs, abort }: StopOptions): Promise<void> {
    const isOver = (): boolean => this.#current(id).state.phase !== "running";
    if (isOver()) return;
    const send = (name: string): void => {
      const { state } = this.#current(id);
      if (state.phase === "running" && isRunning(state.process))
        process.kill(state.process.pid, existingSignal(name));
    };
    if (timeoutMs > 0) {
      send(signal);
      await this.#changes.until(isOver, { id, timeoutMs, abort });
      if (isOver() || abort?.aborted) return;
    }
    const { state } = this.#current(id);
    if (state.phase === "running" && state.isPaused) await this.unpause(id);
    send("SIGKILL");
    await this.#changes.until(isOver, { id, abort });
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
      await unlessFull(entry.folder.writeState({ phase: "removing" }));
      entry.state = { phase: "removing" };
      // What has ended was cleaned when it ended.
      if (phase !== "created" && phase !== "exited") await this.#runner.endProcesses(entry);
      await this.#runner.delete(entry);
      const container = publicContainer(entry);
      this.#entries.delete(id);
      this.#changes.send({ type: "deleted", container, at: this.#options.clock.now() });
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
    await this.#changes.until(isOver, { id, abort });
    return publicContainer(this.#current(id));
  }

  async rootfs(id: string): Promise<string> {
    const { users } = this.#current(id).record;
    return this.#options.snapshots.mount(id, users);
  }

  async exec(id: string, command: ExecCommand, session: StreamSession): Promise<number> {
    const { record, state } = this.#current(id);
    if (state.phase !== "running")
      throw new RuntimeError("FailedPrecondition", `container ${id} is not running`);
    const { runFolder } = this.#options;
    const runtime = this.#runner.runtimeOf(record);
    const { process } = this.#runner.configOf(record.settings);
    return execInContainer({ id, command, process, runtime, runFolder }, session);
  }

  async attach(
    id: string,
    session: StreamSession,
    { nextRun = false, leavesWithInput = false }: AttachOptions = {},
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
    await this.#changes.until(hasStarted, { id, abort: session.signal });
    if (session.signal.aborted) return;
    const { record, folder } = this.#current(id);
    const ended = new AbortController();
    void this.wait(id, session.signal).then(
      () => ended.abort(),
      () => ended.abort(),
    );
    const target = { bundle: folder.bundle, logPath, from, stdin: record.stdin, leavesWithInput };
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
        const { linux } = this.#runner.configOf(settings);
        await this.#runner.runtimeOf(entry.record).update(id, linux.resources);
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
    return this.#changes.listen(listener);
  }

  /** Reads a container back; one that cannot be read does not keep the others from it. */
  async #takeOver(id: string): Promise<void> {
    try {
      await this.#load(id);
    } catch (error) {
      const { log } = this.#options;
      if (this.#entries.has(id)) log.error("taking over a container failed", error, { id });
      else {
        this.#damaged.add(id);
        const { path } = this.#folderOf(id);
        log.error("a container is damaged: remove its folder to give it up", error, { id, path });
      }
    }
  }

  /** Reads a container back, and finishes what a kill interrupted. */
  async #load(id: string): Promise<void> {
    const folder = this.#folderOf(id);
    const record = await folder.readRecord();
    if (!record) {
      await this.#options.snapshots.remove(id);
      return folder.remove();
    }
    if (record.id !== id) throw new Error(`its record is that of container ${record.id}`);
    const state = await this.#readState(id, folder);
    const entry: Entry = { folder, record, state };
    this.#entries.set(id, entry);
    if (state.phase === "removing") {
      await this.#runner.endProcesses(entry);
      await this.#runner.delete(entry);
      this.#entries.delete(id);
      return;
    }
    if (state.phase === "starting" || state.phase === "running") {
      const found = folder.find(state, () => this.#options.runtime.isLetRun(id));
      const now = stateNow(state, found, this.#options.clock.now());
      if (now.phase === "exited") return this.#end(entry, now);
      if (state.phase === "starting" && now.phase === "created")
        await this.#runner.undoStart(entry, state.logSize);
      if (now !== state) await this.#setState(entry, now);
    } else if (existsSync(join(this.#options.runtime.root, id))) await this.#runner.clean(entry);
  }

  /** A state that cannot be read, as a power failure may leave it, is found out as that of an interrupted start. */
  async #readState(id: string, folder: ContainerFolder): Promise<RunState> {
    try {
      return await folder.readState();
    } catch (error) {
      this.#options.log.error("the state of a container is damaged", error, { id });
      return { phase: "starting" };
    }
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
    // What is found at the next start tells the same.
    await unlessFull(entry.folder.writeState(state));
    entry.state = state;
    if (state.phase === "exited" && state.reason === "OOMKilled") this.#notify("oom", id);
    this.#notify("exited", id);
    await this.#runner.clean(entry);
  }

  /** Looks for containers whose conmon is gone: nothing is written when they end. */
  #look(): void {
    for (const entry of this.#entries.values())
      if (entry.state.phase === "running" && !isRunning(entry.state.monitor)) this.#checked(entry);
    this.#nextLook = this.#options.clock.setTimer(lookMs, () => this.#look());
  }

  /** Notices a container whose processes were ended together with its conmon. */
  #checked(entry: Entry): Entry {
    const { state, folder } = entry;
    if (state.phase !== "running" || isRunning(state.process) || isRunning(state.monitor))
      return entry;
    const { id } = entry.record;
    const found = folder.find(state, () => this.#options.runtime.isLetRun(id));
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
      const runtime = this.#runner.runtimeOf(entry.record);
      if (isPaused) {
        // Recorded first: of a container that is frozen and not recorded as such, nobody would know.
        await this.#setState(entry, { ...state, isPaused });
        await runtime.pause(id).catch(async (error) => {
          await this.#setState(entry, state);
          throw error;
        });
      } else {
        await runtime.resume(id);
        await this.#setState(entry, { ...state, isPaused });
      }
      this.#notify(isPaused ? "paused" : "unpaused", id);
    });
  }

  /** Writes a line to conmon's control pipe. */
  async #control(id: string, line: string): Promise<void> {
    const { state, folder } = this.#current(id);
    if (state.phase !== "running")
      throw new RuntimeError("FailedPrecondition", `container ${id} is not running`);
    // Without a reader, opening a pipe to write would wait for one, and hold a thread.
    const pipe = await open(join(folder.bundle, "ctl"), writeNow).catch((cause: unknown) => {
      throw new RuntimeError("Unknown", `conmon of container ${id} has ended`, { cause });
    });
    try {
      await pipe.writeFile(line);
    } finally {
      await pipe.close();
    }
  }

  async #setState(entry: Entry, state: RunState): Promise<void> {
    await entry.folder.writeState(state);
    entry.state = state;
  }

  #folderOf(id: string): ContainerFolder {
    return new ContainerFolder(join(this.#options.folder, id), join(this.#runner.exitFolder, id));
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
      this.#changes.send({
        type,
        container: publicContainer(entry),
        at: this.#options.clock.now(),
      });
  }
}

const writeNow = constants.O_WRONLY | constants.O_NONBLOCK;

/** How soon the end of a container without a conmon is noticed. */
const lookMs = 10_000;

/** Names of folders that may be a container's; others, such as `lost+found`, are left alone. */
const isContainerId = (name: string): boolean => /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/.test(name);

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

function existingSignal(signal: string): number {
  const number = signalNumber(signal);
  if (number !== undefined) return number;
  throw new RuntimeError("InvalidArgument", `Invalid signal: ${signal}`);
}
