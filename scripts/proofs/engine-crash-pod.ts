import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { Random } from "../../src/base/random.ts";
import type { NamespaceOptions } from "../../src/cri/linux-types.ts";
import type {
  ContainerConfig,
  ContainerStatus,
  PodSandboxConfig,
} from "../../src/cri/runtime-types.ts";
import { crashImage, EngineKilled, type KillableEngine } from "./engine-crash-host.ts";

/** What was found in the life of pods. */
export interface CrashTally {
  finished: number;
  /** Starts that were interrupted, and repeated. */
  interrupted: number;
  /** Pods with users of their own. */
  withUsers: number;
}

export interface CrashedPod {
  readonly uid: string;
  /** The cgroup of all pods. */
  readonly cgroup: string;
  /** The first ID of users of its own, which it may have; absent where pods have none. */
  readonly hostId?: number | undefined;
  readonly random: Random;
  readonly tally: CrashTally;
}

/**
 * Takes one pod through its life on an engine that is killed at any time: creates it, runs a container to its end,
 * compares its exit code and its log, and removes it. A call that was interrupted is repeated as a kubelet does:
 * after a look at what is there.
 */
export async function livePod(
  engine: KillableEngine,
  { uid, cgroup, hostId, random, tally }: CrashedPod,
): Promise<void> {
  const hostNetwork = below(2, random) === 0;
  const hasUsers = hostId !== undefined && !hostNetwork && below(2, random) === 0;
  if (hasUsers) tally.withUsers++;
  const config: PodSandboxConfig = {
    ...{ metadata: { name: uid, namespace: "crash", uid, attempt: 0 }, hostname: uid },
    ...{ hostNetwork, labels: {}, annotations: {} },
    cgroupParent: `/${cgroup}/${uid}`,
    ...(hasUsers && { security: { namespaces: namespacesWith(hostId) } }),
  };
  const sandboxId = await until(async () => {
    const found = await engine.call("listPodSandboxes", { podUid: uid });
    if (found.length > 1) throw new Error(`${found.length} sandboxes of ${uid}`);
    return found[0]?.id ?? (await engine.call("runPodSandbox", config));
  });
  const lines = 1 + below(200, random);
  const exitCode = below(200, random);
  const seconds = (below(100, random) / 100).toFixed(2);
  const script = `i=0; while [ $i -lt ${lines} ]; do echo line $i; i=$((i+1)); done; sleep ${seconds}; exit ${exitCode}`;
  const container = containerConfig(["sh", "-c", script]);
  const ended = await runToEnd(engine, { sandboxId, config, container, tally });
  check(ended, { exitCode, lines, uid });
  await repeated(() => engine.call("removePodSandbox", sandboxId));
  tally.finished++;
}

async function runToEnd(
  engine: KillableEngine,
  pod: {
    readonly sandboxId: string;
    readonly config: PodSandboxConfig;
    readonly container: ContainerConfig;
    readonly tally: CrashTally;
  },
): Promise<ContainerStatus> {
  const { sandboxId, config, container, tally } = pod;
  let starts = 0;
  const find = async (): Promise<ContainerStatus | undefined> => {
    const found = await engine.call("listContainers", { sandboxId });
    if (found.length > 1) throw new Error(`${found.length} containers of ${config.metadata.uid}`);
    return found[0];
  };
  return until(async () => {
    const found = await find();
    if (!found) await engine.call("createContainer", sandboxId, container, config);
    else if (found.state === "exited") return found;
    else if (found.state === "created") {
      if (starts++ > 0) tally.interrupted++;
      await engine.call("startContainer", found.id);
    } else await wait(20);
    return undefined;
  });
}

function check(
  { id, exitCode, reason, logPath = "" }: ContainerStatus,
  expected: { readonly exitCode: number; readonly lines: number; readonly uid: string },
): void {
  if (exitCode !== expected.exitCode)
    throw new Error(`${expected.uid}: exit code ${exitCode} (${reason}), not ${expected.exitCode}`);
  const written = readFileSync(logPath, "utf8").trimEnd().split("\n");
  const numbers = written.map((line) => Number(/ F line (\d+)$/.exec(line)?.[1]));
  const isExact = numbers.length === expected.lines && numbers.every((number, i) => number === i);
  if (!isExact)
    throw new Error(`${expected.uid} (${id}): ${numbers.length} of ${expected.lines} lines`);
}

/** Repeats a call until it was not interrupted. */
const repeated = (call: () => Promise<void>): Promise<true> =>
  until(async () => {
    await call();
    return true as const;
  });

/** Repeats a step until it returns something; a kill of the engine is a reason to repeat it. */
async function until<T>(step: () => Promise<T | undefined>): Promise<Exclude<T, undefined>> {
  for (;;) {
    try {
      const result = await step();
      if (result !== undefined) return result as Exclude<T, undefined>;
    } catch (error) {
      if (!(error instanceof EngineKilled)) throw error;
      await wait(5);
    }
  }
}

function namespacesWith(hostId: number): NamespaceOptions {
  const ids = [{ containerId: 0, hostId, length: 65_536 }];
  const user = { mode: "pod", uids: ids, gids: ids } as const;
  return { network: "pod", pid: "container", ipc: "pod", user };
}

const containerConfig = (command: readonly string[]): ContainerConfig => ({
  ...{ metadata: { name: "main", attempt: 0 }, image: crashImage, kind: "container", command },
  ...{ args: [], workingDir: "", env: [], labels: {}, annotations: {}, resources: {} },
  ...{ stdin: false, stdinOnce: false, tty: false, terminationMessagePath: "" },
});

/** A random whole number below a bound. */
export const below = (bound: number, random: Random): number => Math.floor(random.next() * bound);
