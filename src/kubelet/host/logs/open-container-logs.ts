import { mkdir, readdir, rm, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Timer } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { RuntimeError, type RuntimeService } from "../../../cri/runtime-service.ts";
import type { ContainerStatus } from "../../../cri/runtime-types.ts";
import type { LogRemover } from "../../garbage/container-collector.ts";
import { containerOfLink, isLogLink, logLinkName } from "./log-link.ts";
import { rotatedFiles, rotateLog } from "./rotate-log.ts";

/** The logs of containers on this machine. */
export interface ContainerLogs extends LogRemover {
  /** Links the logs of containers that run or start, and rotates large ones, until it is closed. */
  start(): Promise<void>;
  close(): void;
}

export interface ContainerLogsOptions {
  readonly runtime: RuntimeService;
  readonly clock: Clock;
  readonly log: Log;
  /** The folder of the logs of all pods. */
  readonly podLogsDir: string;
  /** The folder of the links to them; upstream's is `/var/log/containers`. */
  readonly linksDir: string;
  /** The size from which a log is rotated; negative for never. */
  readonly maxBytes: number;
  /** The files of a container, the current one included. */
  readonly maxFiles: number;
  /** How many logs are rotated at a time. */
  readonly maxWorkers: number;
  /** How often logs are looked at. */
  readonly monitorMs: number;
}

/**
 * Opens the logs of the containers of a kubelet; throws if less than two files are kept.
 */
export function openContainerLogs(options: ContainerLogsOptions): ContainerLogs {
  const { runtime, clock, log, podLogsDir, linksDir, maxBytes, maxFiles, maxWorkers } = options;
  if (maxFiles <= 1) throw new Error(`invalid MaxFiles ${maxFiles}, must be > 1`);
  let timer: Timer | undefined;
  let stopEvents = (): void => {};
  let isClosed = false;

  const link = async (container: ContainerStatus): Promise<void> => {
    const { logPath = "" } = container;
    if (logPath === "") return;
    const path = join(linksDir, logLinkName(container));
    await symlink(logPath, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") log.warn("linking a log failed", { path, error });
    });
  };
  const linkById = async (id: string): Promise<void> => {
    // Events of sandboxes have IDs of no container.
    const container = await runtime.containerStatus(id).catch(() => undefined);
    if (container) await link(container);
  };
  const rotateIfLarge = async ({ id, logPath }: ContainerStatus): Promise<void> => {
    const path = logPath ?? (await runtime.containerStatus(id)).logPath ?? "";
    if (path === "") return;
    const reopen = (): Promise<void> => runtime.reopenContainerLog(id);
    let found = await stat(path).catch(() => undefined);
    if (!found) {
      await reopen();
      found = await stat(path);
    }
    if (found.size >= maxBytes) await rotateLog({ path, maxFiles, now: clock.now(), reopen });
  };
  const rotateAll = async (): Promise<void> => {
    const running = [...(await runtime.listContainers({ state: "running" }))];
    const work = async (): Promise<void> => {
      for (let next = running.pop(); next && !isClosed; next = running.pop())
        await rotateIfLarge(next).catch((error: unknown) => {
          log.warn("rotating a log failed", { container: next?.id, error });
        });
    };
    await Promise.all(Array.from({ length: maxWorkers }, work));
  };
  const monitor = (): void => {
    timer = clock.setTimer(options.monitorMs, () => {
      void rotateAll()
        .catch((error: unknown) => log.warn("rotating logs failed", { error }))
        .then(() => {
          if (!isClosed) monitor();
        });
    });
  };
  /** A link may have no target for the moment in which a log is rotated. */
  const mayStillWrite = async (name: string): Promise<boolean> => {
    const id = containerOfLink(name);
    if (id === undefined) return false;
    try {
      return (await runtime.containerStatus(id)).state !== "exited";
    } catch (error) {
      return !RuntimeError.isNotFound(error);
    }
  };
  const removeDeadLinks = async (): Promise<void> => {
    for (const name of (await readdir(linksDir).catch(() => [])).filter(isLogLink)) {
      const path = join(linksDir, name);
      if (await exists(path)) continue;
      if (!(await mayStillWrite(name))) await rm(path, { force: true });
    }
  };

  return {
    async start() {
      await mkdir(linksDir, { recursive: true, mode: 0o755 });
      stopEvents = runtime.containerEvents(({ type, containerId }) => {
        if (type === "started") void linkById(containerId);
      });
      for (const container of await runtime.listContainers({ state: "running" }))
        await link(container);
      if (maxBytes >= 0) monitor();
    },
    close() {
      isClosed = true;
      timer?.cancel();
      stopEvents();
    },
    async removeContainerLogs(container) {
      const { logPath = "" } = container;
      await rm(join(linksDir, logLinkName(container)), { force: true });
      if (logPath === "") return;
      for (const file of [...(await rotatedFiles(logPath)), logPath])
        await rm(file, { force: true });
    },
    async removePodLogs(isDeleted) {
      for (const name of await readdir(podLogsDir).catch(() => [])) {
        const uid = name.slice(name.lastIndexOf("_") + 1);
        if (isDeleted(uid)) await rm(join(podLogsDir, name), { recursive: true, force: true });
      }
      await removeDeadLinks();
    },
  };
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
