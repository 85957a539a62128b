import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { eventually } from "../../test/eventually.ts";
import type { ContainerSecurityContext } from "../cri/linux-types.ts";
import type { RuntimeService } from "../cri/runtime-service.ts";
import type { ContainerConfig, PodSandboxConfig } from "../cri/runtime-types.ts";
import { isolationProbes, type Probe } from "./isolation-probes.test-support.ts";
import { syscallProgram } from "./syscall-program.test-support.ts";

/** Prints the number of each probe and its exit code. */
export const runProbes = "for probe in /probes/*; do $probe; echo $(basename $probe) $?; done";

/** A folder with the programs of all probes. */
export interface ProbeFolder {
  readonly path: string;
  readonly probes: readonly Probe[];
  remove(): void;
}

interface ContainerOptions {
  readonly runtime: RuntimeService;
  readonly image: string;
  readonly folder: ProbeFolder;
  readonly pod?: string;
  readonly cgroupParent?: string;
  readonly security?: ContainerSecurityContext;
}

/** Runs a script in a container; resolves with its output. */
type Exec = (script: string) => Promise<string>;

interface ProbedContainer {
  /** What its first process wrote about the probes. */
  readonly firstOutput: string;
  readonly exec: Exec;
  /** Runs another container in the same pod. */
  addContainer(): Promise<Exec>;
}

/** Runs a container in a pod of its own, whose first process runs the probes; removes both after their use. */
export async function inContainer(
  { runtime, image, folder, pod: name = "isolation", cgroupParent, security }: ContainerOptions,
  use: (container: ProbedContainer) => Promise<void>,
): Promise<void> {
  const pod: PodSandboxConfig = {
    metadata: { name, namespace: "default", uid: name, attempt: 0 },
    ...{ hostname: name, hostNetwork: false, labels: {}, annotations: {} },
    cgroupParent,
    security: { privileged: security?.privileged },
  };
  const results = mkdtempSync(join(folder.path, "results-"));
  const sandbox = await runtime.runPodSandbox(pod);
  const start = async (container: string, script: string): Promise<Exec> => {
    const config: ContainerConfig = {
      metadata: { name: container, attempt: 0 },
      ...{ image, kind: "container", workingDir: "", env: [] },
      command: ["sh", "-c", script],
      ...{ args: [], labels: {}, annotations: {}, resources: {} },
      ...{ stdin: false, stdinOnce: false, tty: false, terminationMessagePath: "" },
      mounts: [
        { hostPath: join(folder.path, "probes"), containerPath: "/probes", readonly: true },
        { hostPath: results, containerPath: "/results" },
      ],
      security,
    };
    const id = await runtime.createContainer(sandbox, config, pod);
    await runtime.startContainer(id);
    return async (command) => {
      const { stdout } = await runtime.execSync(id, ["sh", "-c", command], 20);
      return new TextDecoder().decode(stdout);
    };
  };
  try {
    const forever = "sleep 1000";
    const write = `(${runProbes}) > /results/part; mv /results/part /results/all; ${forever}`;
    const exec = await start("main", write);
    const file = join(results, "all");
    await eventually(() => expect(existsSync(file)).toBe(true));
    const firstOutput = readFileSync(file, "utf8");
    await use({ firstOutput, exec, addContainer: () => start("beside", forever) });
  } finally {
    await runtime.removePodSandbox(sandbox);
  }
}

/** Writes a program for each probe, named by its number. */
export function probeFolder(): ProbeFolder {
  const path = mkdtempSync(join(tmpdir(), "wherry-isolation-"));
  const hostFile = join(path, "file-of-the-node");
  writeFileSync(hostFile, "");
  mkdirSync(join(path, "probes"));
  const probes = isolationProbes({
    hostPid: process.pid,
    hostFile,
    cgroupFile: existsSync("/sys/fs/cgroup/memory")
      ? "/sys/fs/cgroup/memory/cgroup.procs"
      : "/sys/fs/cgroup/cgroup.procs",
  });
  for (const [index, { calls }] of probes.entries()) {
    writeFileSync(join(path, "probes", String(index)), syscallProgram(calls), { mode: 0o755 });
  }
  return { path, probes, remove: () => rmSync(path, { recursive: true }) };
}

/** What came of each probe in the output of `runProbes`: the name of an error, or `allowed`. */
export function attempts(
  output: string,
  probes: readonly Probe[],
): Readonly<Record<string, string>> {
  const names = new Map(Object.entries(constants.errno).map(([name, code]) => [code, name]));
  return Object.fromEntries(
    output
      .trim()
      .split("\n")
      .map((line) => {
        const [index = Number.NaN, code = Number.NaN] = line.split(" ").map(Number);
        return [probes[index]?.name ?? line, code === 0 ? "allowed" : (names.get(code) ?? line)];
      }),
  );
}
