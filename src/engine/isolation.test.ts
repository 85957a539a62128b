import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../../test/eventually.ts";
import { describeWith, requires } from "../../test/requires.ts";
import type { ContainerSecurityContext } from "../cri/linux-types.ts";
import type { RuntimeService } from "../cri/runtime-service.ts";
import type { ContainerConfig, PodSandboxConfig } from "../cri/runtime-types.ts";
import { defaultMaskedPaths } from "./containers/security/masked-paths.ts";
import { type TestEngine, testEngine, testImage } from "./engine.test-support.ts";
import { isolationProbes, type Probe } from "./isolation-probes.test-support.ts";
import { syscallProgram } from "./syscall-program.test-support.ts";

/** What came of each attempt: the name of an error, or `allowed`. */
type Attempts = Readonly<Record<string, string>>;

const needsX64 = process.arch === "x64" ? undefined : "needs programs for x86-64";

describeWith(needsX64 ?? requires("containers", "cniPlugins"))("isolation", () => {
  let opened: TestEngine;
  let folder: string;
  let probes: readonly Probe[];

  beforeAll(async () => {
    opened = await testEngine();
    folder = mkdtempSync(join(tmpdir(), "wherry-isolation-"));
    probes = writeProbes(folder);
  });
  afterAll(async () => {
    await opened.remove();
    rmSync(folder, { recursive: true });
  });

  test("neither the first process nor a command does what containers must not do", async () => {
    const expected = Object.fromEntries(probes.map(({ name, errno = "allowed" }) => [name, errno]));
    await inContainer({ runtime: opened.runtime, folder }, async ({ firstOutput, exec }) => {
      expect(parse(firstOutput, probes)).toEqual(expected);
      expect(parse(await exec(runProbes), probes)).toEqual(expected);
    });
  });

  test("a privileged container may do much of it: the probes work", async () => {
    const options = { runtime: opened.runtime, folder, security: { privileged: true } };
    await inContainer(options, async ({ firstOutput }) => {
      const attempts = parse(firstOutput, probes);
      const working = probes.filter((probe) => probe.works).map(({ name }) => name);
      expect(working.length).toBeGreaterThan(20);
      expect(working.filter((name) => attempts[name] !== "allowed")).toEqual([]);
    });
  });

  test("a container sees its own processes, and nothing in files that tell of the node", async () => {
    const hidden = defaultMaskedPaths().filter((path) => existsSync(path));
    const read = hidden.map((path) => `(ls -A ${path}/ || head -c 100 ${path}) 2>/dev/null`);
    await inContainer({ runtime: opened.runtime, folder }, async ({ exec }) => {
      expect(hidden).toContain("/proc/interrupts");
      expect(await exec(`(${read.join("; ")}) | wc -c`)).toBe("0\n");
      expect(await exec("cat /proc/[0-9]*/cmdline | tr '\\0' ' '")).not.toMatch(/node|vitest/);
      expect(await exec("ls -d /proc/[0-9]* | wc -l")).toMatch(/^[2-6]\n$/);
    });
  });
});

/** Prints the number of each probe and its exit code. */
const runProbes = "for probe in /probes/*; do $probe; echo $(basename $probe) $?; done";

interface ContainerOptions {
  readonly runtime: RuntimeService;
  /** The folder of the probes. */
  readonly folder: string;
  readonly security?: ContainerSecurityContext;
}

interface ProbedContainer {
  /** What its first process wrote about the probes. */
  readonly firstOutput: string;
  /** Runs a script in it; resolves with its output. */
  exec(script: string): Promise<string>;
}

/** Runs a container whose first process runs the probes, and removes it after its use. */
async function inContainer(
  { runtime, folder, security }: ContainerOptions,
  use: (container: ProbedContainer) => Promise<void>,
): Promise<void> {
  const pod: PodSandboxConfig = {
    metadata: { name: "isolation", namespace: "default", uid: "isolation", attempt: 0 },
    ...{ hostname: "isolation", hostNetwork: false, labels: {}, annotations: {} },
    security: { privileged: security?.privileged },
  };
  const results = mkdtempSync(join(folder, "results-"));
  const config: ContainerConfig = {
    metadata: { name: "main", attempt: 0 },
    ...{ image: testImage, kind: "container", workingDir: "", env: [] },
    command: [
      "sh",
      "-c",
      `(${runProbes}) > /results/part; mv /results/part /results/all; sleep 1000`,
    ],
    ...{ args: [], labels: {}, annotations: {}, resources: {} },
    ...{ stdin: false, stdinOnce: false, tty: false, terminationMessagePath: "" },
    mounts: [
      { hostPath: join(folder, "probes"), containerPath: "/probes", readonly: true },
      { hostPath: results, containerPath: "/results" },
    ],
    security,
  };
  const sandbox = await runtime.runPodSandbox(pod);
  try {
    const id = await runtime.createContainer(sandbox, config, pod);
    await runtime.startContainer(id);
    const file = join(results, "all");
    await eventually(() => expect(existsSync(file)).toBe(true));
    await use({
      firstOutput: readFileSync(file, "utf8"),
      async exec(script) {
        const { stdout } = await runtime.execSync(id, ["sh", "-c", script], 20);
        return new TextDecoder().decode(stdout);
      },
    });
  } finally {
    await runtime.removePodSandbox(sandbox);
  }
}

/** Writes a program for each probe, named by its number. */
function writeProbes(folder: string): readonly Probe[] {
  const hostFile = join(folder, "file-of-the-node");
  writeFileSync(hostFile, "");
  mkdirSync(join(folder, "probes"));
  const probes = isolationProbes({
    hostPid: process.pid,
    hostFile,
    cgroupFile: existsSync("/sys/fs/cgroup/memory")
      ? "/sys/fs/cgroup/memory/cgroup.procs"
      : "/sys/fs/cgroup/cgroup.procs",
  });
  for (const [index, { calls }] of probes.entries()) {
    writeFileSync(join(folder, "probes", String(index)), syscallProgram(calls), { mode: 0o755 });
  }
  return probes;
}

/** Reads lines of a probe's number and its exit code. */
function parse(text: string, probes: readonly Probe[]): Attempts {
  const names = new Map(Object.entries(constants.errno).map(([name, code]) => [code, name]));
  return Object.fromEntries(
    text
      .trim()
      .split("\n")
      .map((line) => {
        const [index = Number.NaN, code = Number.NaN] = line.split(" ").map(Number);
        return [probes[index]?.name ?? line, code === 0 ? "allowed" : (names.get(code) ?? line)];
      }),
  );
}
