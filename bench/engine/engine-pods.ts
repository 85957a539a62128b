import { readdirSync, readFileSync } from "node:fs";
import type { RuntimeService } from "../../src/cri/runtime-service.ts";
import type { ContainerConfig, PodSandboxConfig } from "../../src/cri/runtime-types.ts";
import { startContainerd } from "../../test/cri/containerd.test-support.ts";
import { benchImage, startEngine } from "./engine-process.ts";
import { quantile, verdict } from "./engine-verdict.ts";

/** Times of the steps of a pod's life, in milliseconds. */
interface Life {
  readonly start: number;
  readonly exec: number;
  readonly end: number;
}

/** Compares the life of pods with containerd's: their start, a command in them, their end, and their memory. */
export async function benchPods(work: string): Promise<void> {
  const engine = await startEngine(work);
  const containerd = await startContainerd();
  try {
    const ours = engine.connection.runtime;
    const theirs = containerd.connection.runtime;
    for (const runtime of [ours, theirs]) await lives(runtime, 3, 1);
    console.log("\npods, warm, with a network by the same plugins");
    // In turns, so that both meet the same noise.
    const alone = { ours: [] as Life[], theirs: [] as Life[] };
    for (let round = 0; round < 10; round++) {
      alone.ours.push(...(await lives(ours, 3, 1)));
      alone.theirs.push(...(await lives(theirs, 3, 1)));
    }
    compare("start, one at a time", alone, ({ start }) => start, 0.5);
    compare("exec", alone, ({ exec }) => exec);
    compare("stop and delete", alone, ({ end }) => end);
    const many = { ours: [] as Life[], theirs: [] as Life[] };
    for (let round = 0; round < 4; round++) {
      many.ours.push(...(await lives(ours, 10, 10)));
      many.theirs.push(...(await lives(theirs, 10, 10)));
    }
    compare("start, ten at a time", many, ({ start }) => start, 0.4);
    await benchMemory(ours, theirs);
  } finally {
    await engine.close();
    await containerd.close();
  }
}

function compare(
  name: string,
  { ours, theirs }: { readonly ours: readonly Life[]; readonly theirs: readonly Life[] },
  of: (life: Life) => number,
  bound?: number,
): void {
  for (const [what, q] of [
    ["median", 0.5],
    ["p99", 0.99],
  ] as const)
    verdict(`${name}, ${what}`, quantile(ours.map(of), q), quantile(theirs.map(of), q), {
      unit: "ms",
      bound: what === "median" ? bound : undefined,
    });
}

let number = 0;

async function lives(runtime: RuntimeService, count: number, atOnce: number): Promise<Life[]> {
  const done: Life[] = [];
  for (let left = count; left > 0; left -= atOnce)
    done.push(...(await Promise.all(Array.from({ length: atOnce }, () => live(runtime)))));
  return done;
}

async function live(runtime: RuntimeService): Promise<Life> {
  const config = sandbox(`bench-${number++}`);
  const begin = performance.now();
  const { sandboxId, id } = await startPod(runtime, config);
  const started = performance.now();
  const { exitCode } = await runtime.execSync(id, ["true"], 10);
  if (exitCode !== 0) throw new Error(`exec: exit code ${exitCode}`);
  const executed = performance.now();
  await runtime.stopContainer(id, 0);
  await runtime.stopPodSandbox(sandboxId);
  await runtime.removePodSandbox(sandboxId);
  return { start: started - begin, exec: executed - started, end: performance.now() - executed };
}

async function startPod(runtime: RuntimeService, config: PodSandboxConfig) {
  const sandboxId = await runtime.runPodSandbox(config);
  const id = await runtime.createContainer(sandboxId, container, config);
  await runtime.startContainer(id);
  return { sandboxId, id };
}

/** What processes hold beside those of containers: conmon here; shims and pause processes there. */
async function benchMemory(ours: RuntimeService, theirs: RuntimeService): Promise<void> {
  const pods = 10;
  const held = async (runtime: RuntimeService): Promise<number> => {
    const before = allMemory();
    const started = [];
    for (let i = 0; i < pods; i++)
      started.push(await startPod(runtime, sandbox(`held-${number++}`)));
    const after = allMemory();
    for (const { sandboxId } of started) await runtime.removePodSandbox(sandboxId);
    return (after - before) / pods / 1024;
  };
  verdict("memory per pod, its processes included", await held(ours), await held(theirs), {
    unit: "MB",
    most: 3,
  });
}

/** The proportional memory of all processes but this one, in kilobytes. */
function allMemory(): number {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) =>
      /^(?:conmon|containerd-shim.*|sleep|busybox|runc.*)$/.test(read(`/proc/${pid}/comm`).trim()),
    )
    .reduce(
      (sum, pid) =>
        sum + Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0),
      0,
    );
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

const sandbox = (uid: string): PodSandboxConfig => ({
  metadata: { name: uid, namespace: "bench", uid, attempt: 0 },
  ...{ hostname: uid, hostNetwork: false, labels: {}, annotations: {} },
  security: {
    namespaces: { network: "pod", pid: "container", ipc: "pod" },
    seccomp: { type: "runtimeDefault" },
  },
});

const container: ContainerConfig = {
  ...{ metadata: { name: "main", attempt: 0 }, image: benchImage, kind: "container" },
  ...{ command: ["sleep", "1000"], args: [], workingDir: "", env: [], labels: {} },
  ...{ annotations: {}, resources: {}, stdin: false, stdinOnce: false, tty: false },
  terminationMessagePath: "",
  security: {
    namespaces: { network: "pod", pid: "container", ipc: "pod" },
    seccomp: { type: "runtimeDefault" },
  },
};
