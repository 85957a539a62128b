import { readdir, rmdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect } from "vitest";
import { longEnoughMs } from "../../test/long-enough.ts";
import type { ImageService } from "./image-service.ts";
import type { RuntimeService } from "./runtime-service.ts";
import type { ContainerConfig, ContainerStatus, PodSandboxConfig } from "./runtime-types.ts";

/** A runtime under test, and its clock. */
export interface SuiteRuntime {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  /** Advances a virtual clock by so many milliseconds; a real one takes its time. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
}

/** Pods of a test, and ways to wait for what happens to them. */
export interface SuitePods {
  readonly sandbox: (uid?: string, attempt?: number) => PodSandboxConfig;
  readonly container: (command: readonly string[], attempt?: number) => ContainerConfig;
  /** Creates and starts a container in a sandbox, by default in a new one; resolves with its ID. */
  readonly run: (config: ContainerConfig, where?: RunPlace) => Promise<string>;
  /** The status of a container that has ended. */
  readonly ended: (id: string) => Promise<ContainerStatus>;
  /** Runs a container to its end; resolves with its status and its log. */
  readonly outcome: (config: ContainerConfig, where?: RunPlace) => Promise<Outcome>;
  readonly log: (id: string, options?: { tailLines?: number; follow?: boolean }) => Promise<string>;
  /** Lets time pass until a check succeeds. */
  readonly eventually: <T>(check: () => T | Promise<T>) => Promise<T>;
  /** Lets time pass until a call has ended. */
  readonly during: <T>(call: Promise<T>) => Promise<T>;
}

export interface RunPlace {
  readonly pod?: PodSandboxConfig | undefined;
  /** The ID of a sandbox that was made from that. */
  readonly sandboxId?: string | undefined;
}

export interface Outcome {
  readonly status: ContainerStatus;
  readonly log: string;
}

/** The text of bytes. */
export const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** A command that does not end. */
export const forever: readonly string[] = ["sleep", "infinity"];

export interface SuitePodsOptions {
  readonly image: string;
  /** The runtime of the current test. */
  readonly opened: () => SuiteRuntime;
  /** A folder for logs and mounts, if containers are real; their cgroups are in one of the same name. */
  readonly folder: () => string | undefined;
}

/** Makes pods on a runtime, which is opened for each test. */
export function suitePods({ image, opened, folder }: SuitePodsOptions): SuitePods {
  const sandbox = (uid = "uid-1", attempt = 0): PodSandboxConfig => ({
    metadata: { name: `pod-${uid}`, namespace: "default", uid, attempt },
    hostname: `pod-${uid}`,
    hostNetwork: false,
    labels: {},
    annotations: {},
    ...(folder() !== undefined && {
      logDirectory: folder(),
      cgroupParent: `/${basename(folder() ?? "")}/pod${uid}`,
    }),
  });
  const container = (command: readonly string[], attempt = 0): ContainerConfig => ({
    metadata: { name: "main", attempt },
    image,
    kind: "container",
    command,
    args: [],
    workingDir: "",
    env: [{ name: "GREETING", value: "hello" }],
    labels: {},
    annotations: {},
    resources: {},
    stdin: false,
    stdinOnce: false,
    tty: false,
    terminationMessagePath: "/dev/termination-log",
    ...(folder() !== undefined && { logPath: `main-${attempt}.log` }),
  });
  const run = async (config: ContainerConfig, where: RunPlace = {}): Promise<string> => {
    const { runtime } = opened();
    const { pod = sandbox(), sandboxId } = where;
    const place = sandboxId ?? (await runtime.runPodSandbox(pod));
    const id = await runtime.createContainer(place, config, pod);
    await runtime.startContainer(id);
    return id;
  };
  const eventually = async <T>(check: () => T | Promise<T>): Promise<T> => {
    for (let tries = 0; ; tries++) {
      try {
        return await check();
      } catch (error) {
        if (tries >= mostTries) throw error;
        await opened().pass(stepMs);
      }
    }
  };
  const during = async <T>(call: Promise<T>): Promise<T> => {
    let isOver = false;
    const over = (): void => {
      isOver = true;
    };
    call.then(over, over);
    await eventually(() => expect(isOver, "the call has ended").toBe(true));
    return call;
  };
  const ended = (id: string): Promise<ContainerStatus> =>
    eventually(async () => {
      const status = await opened().runtime.containerStatus(id);
      expect(status.state).toBe("exited");
      return status;
    });
  const log: SuitePods["log"] = async (id, options) => {
    const { signal } = new AbortController();
    let found = "";
    const pieces = opened().runtime.logs(id, { follow: false, signal, ...options });
    for await (const { bytes } of pieces) found += text(bytes);
    return found;
  };
  const outcome = async (config: ContainerConfig, where?: RunPlace): Promise<Outcome> => {
    const id = await run(config, where);
    const status = await ended(id);
    return { status, log: await log(id) };
  };
  return { sandbox, container, run, ended, outcome, log, eventually, during };
}

const stepMs = 50;
const mostTries = longEnoughMs / stepMs;

/** Removes the cgroups of a test, which runtimes leave to kubelets, in all hierarchies. */
export async function removeCgroups(name: string): Promise<void> {
  const root = "/sys/fs/cgroup";
  const remove = async (path: string): Promise<void> => {
    const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) if (entry.isDirectory()) await remove(join(path, entry.name));
    await rmdir(path).catch(() => undefined);
  };
  for (const hierarchy of ["", ...(await readdir(root))]) await remove(join(root, hierarchy, name));
}
