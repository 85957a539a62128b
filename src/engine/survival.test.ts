import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../../test/eventually.ts";
import { describeWith, requires, testWith } from "../../test/requires.ts";
import { noLog } from "../base/log.ts";
import { noNetwork } from "../cri/pod-network.ts";
import type { ContainerConfig, PodSandboxConfig } from "../cri/runtime-types.ts";
import { identifyProcess } from "../platform/process-identity.ts";
import { realClock } from "../platform/real-clock.ts";
import { mustRun } from "../platform/run-child.ts";
import { type TestEngine, testEngine, testImage } from "./engine.test-support.ts";
import { openEngine } from "./engine.ts";
import { mountPoints } from "./snapshots/overlay-mount.ts";

describeWith(requires("containers", "catatonit", "cniPlugins"))("what outlives an engine", () => {
  let opened: TestEngine;
  beforeAll(async () => {
    opened = await testEngine();
  });
  afterAll(() => opened?.remove());

  const containers = () => opened.engine.containers;
  const folderOf = (id: string): string => join(opened.root, "data", "containers", id);
  const sandbox = (name: string, more: Partial<PodSandboxConfig> = {}): Promise<string> =>
    opened.runtime.runPodSandbox({
      metadata: { name, namespace: "default", uid: name, attempt: 0 },
      ...{ hostname: name, hostNetwork: false, labels: {}, annotations: {} },
      ...{ logDirectory: join(opened.root, "logs"), ...more },
    });
  const start = async (
    pod: string,
    script: string,
    more: Partial<ContainerConfig> = {},
  ): Promise<string> => {
    const name = `c${containers().list().length}`;
    const id = await opened.runtime.createContainer(pod, {
      ...{ metadata: { name, attempt: 0 }, image: testImage, kind: "container" },
      ...{ command: ["sh", "-c", script], args: [], workingDir: "", env: [], labels: {} },
      ...{ annotations: {}, resources: {}, stdin: false, stdinOnce: false, tty: false },
      ...{ terminationMessagePath: "", logPath: `${pod.slice(0, 8)}-${name}.log`, ...more },
    });
    await opened.runtime.startContainer(id);
    return id;
  };
  const pidOf = (id: string): number => {
    const state = containers().get(id)?.state;
    return state?.phase === "running" ? state.pid : 0;
  };
  const monitorOf = (id: string): number =>
    Number(readFileSync(join(folderOf(id), "conmon-pid"), "utf8"));
  const isThere = (pid: number): boolean => identifyProcess(pid) !== undefined;
  const mounts = (): readonly string[] =>
    mountPoints(readFileSync("/proc/self/mountinfo", "utf8")).filter((path) =>
      path.startsWith(`${opened.root}/`),
    );
  const log = async (id: string): Promise<string> => {
    const { signal } = new AbortController();
    let text = "";
    for await (const { bytes } of opened.runtime.logs(id, { follow: false, signal }))
      text += Buffer.from(bytes).toString();
    return text;
  };

  /** Everything on the machine that belongs to pods of the engine. */
  function leftovers(): object {
    const { root } = opened;
    const names = (path: string): readonly string[] =>
      existsSync(join(root, path)) ? readdirSync(join(root, path)) : [];
    const processes = readdirSync("/proc")
      .filter((pid) => /^\d+$/.test(pid))
      .map((pid) => commandLine(pid))
      .filter((line) => line.includes(root));
    return {
      mounts: mounts(),
      containers: names("data/containers"),
      sandboxes: names("data/sandboxes"),
      snapshots: names("data/snapshots/snapshots"),
      namespaces: names("run/ns"),
      runtime: names("run/oci"),
      addresses: names("ipam/test").filter((name) => /^\d/.test(name)),
      processes,
      cgroups: ["memory", "pids", "freezer", "unified"]
        .flatMap((name) => [`/sys/fs/cgroup/${name}/wherry`])
        .flatMap((path) => (existsSync(path) ? readdirSync(path) : []))
        .filter((name) => seen.has(name)),
    };
  }
  const seen = new Set<string>();
  const nothing = {
    ...{ mounts: [], containers: [], sandboxes: [], snapshots: [], namespaces: [] },
    ...{ runtime: [], addresses: [], processes: [], cgroups: [] },
  };
  const removeAll = async (): Promise<void> => {
    for (const { id } of containers().list()) seen.add(id);
    for (const { id } of opened.engine.sandboxes.list()) await opened.runtime.removePodSandbox(id);
  };

  /** Does to the machine what a reboot does, while no engine runs. */
  async function reboot(ids: readonly string[]): Promise<void> {
    // conmon first: it records no end.
    const monitors = ids.map(monitorOf);
    const processes = (await Promise.all(ids.map((id) => containers().pids(id)))).flat();
    for (const pid of [...monitors, ...processes]) process.kill(pid, "SIGKILL");
    await eventually(() => expect([...monitors, ...processes].filter(isThere)).toEqual([]));
    await mustRun("umount", ["--lazy", ...mounts()]);
    rmSync(join(opened.root, "run"), { recursive: true });
  }

  test("after a reboot containers have ended and sandboxes are not ready, and all can be removed", async () => {
    const shared = { namespaces: { network: "pod", ipc: "pod", pid: "pod" } } as const;
    const host = { namespaces: { network: "node", ipc: "node", pid: "container" } } as const;
    const pods = [
      await sandbox("plain"),
      await sandbox("shared", { security: shared }),
      await sandbox("host", { hostNetwork: true, security: host }),
    ];
    const [plain = "", together = "", onHost = ""] = pods;
    const ids = [
      await start(plain, "echo before; exec sleep 1000"),
      await start(together, "exec sleep 1000", { security: shared }),
      await start(onHost, "exec sleep 1000", { security: host }),
    ];
    const [first = ""] = ids;
    await eventually(async () => expect(await log(first)).toBe("before\n"));
    await opened.engine.close();
    await reboot([...ids, together]);
    await opened.reopen();
    for (const id of ids) {
      const status = await opened.runtime.containerStatus(id);
      expect(status).toMatchObject({ state: "exited", exitCode: 255, reason: "Unknown" });
    }
    expect(await log(first)).toBe("before\n");
    const listed = await opened.runtime.listPodSandboxes();
    expect(listed.map(({ state }) => state)).toEqual(["notReady", "notReady", "notReady"]);
    const next = await opened.runtime.runPodSandbox({
      metadata: { name: "plain", namespace: "default", uid: "plain", attempt: 1 },
      ...{ hostname: "plain", hostNetwork: false, labels: {}, annotations: {} },
    });
    expect((await opened.runtime.podSandboxStatus(next)).ips).toHaveLength(1);
    await removeAll();
    expect(leftovers()).toEqual(nothing);
  });

  test("a pid that another process has by now is not taken for the container's", async () => {
    const id = await start(await sandbox("reused"), "exec sleep 1000");
    const pid = pidOf(id);
    const monitor = monitorOf(id);
    await opened.engine.close();
    const path = join(folderOf(id), "state.json");
    const other = { pid: process.pid, startedAt: "another boot 1" };
    const state = JSON.parse(readFileSync(path, "utf8"));
    writeFileSync(path, JSON.stringify({ ...state, process: other, monitor: other }));
    await opened.reopen();
    expect(await opened.runtime.containerStatus(id)).toMatchObject({
      ...{ state: "exited", exitCode: 255, reason: "Unknown" },
    });
    expect(isThere(process.pid)).toBe(true);
    // What was not recognized does not run on.
    await eventually(() => expect([pid, monitor].filter(isThere)).toEqual([]));
    await removeAll();
    expect(leftovers()).toEqual(nothing);
  });

  test("without conmon a container runs on, and its end is noticed", async () => {
    const id = await start(await sandbox("unwatched"), "exec sleep 1000");
    const pid = pidOf(id);
    process.kill(monitorOf(id), "SIGKILL");
    await eventually(() => expect(isThere(monitorOf(id))).toBe(false));
    await opened.reopen();
    expect(pidOf(id)).toBe(pid);
    await expect(opened.runtime.reopenContainerLog(id)).rejects.toThrow("has ended");
    const ended = containers().wait(id);
    process.kill(pid, "SIGKILL");
    expect((await ended).state).toMatchObject({ exitCode: 255, reason: "Unknown" });
    await removeAll();
    expect(leftovers()).toEqual(nothing);
  });

  test("containers that ended while no engine ran have their exit codes and their logs", async () => {
    const pod = await sandbox("ended");
    const script = (code: number): string =>
      `echo before; while ! [ -e /go ]; do sleep 0.02; done; echo after; exit ${code}`;
    const ids = [await start(pod, script(0)), await start(pod, script(7))];
    const killed = await start(pod, "exec sleep 1000");
    const all = [...ids, killed];
    const pids = all.map(pidOf);
    const monitors = all.map(monitorOf);
    await opened.engine.close();
    for (const pid of pids.slice(0, 2)) writeFileSync(`/proc/${pid}/root/go`, "");
    process.kill(pids[2] ?? 0, "SIGKILL");
    await eventually(() => expect([...pids, ...monitors].filter(isThere)).toEqual([]));
    await opened.reopen();
    const found = await Promise.all(all.map((id) => opened.runtime.containerStatus(id)));
    expect(found.map(({ exitCode, reason }) => [exitCode, reason])).toEqual([
      [0, "Completed"],
      [7, "Error"],
      [137, "Error"],
    ]);
    for (const id of ids) expect(await log(id)).toBe("before\nafter\n");
    for (const { startedAt, finishedAt } of found)
      expect(finishedAt).toBeGreaterThanOrEqual(startedAt ?? Number.NaN);
    await removeAll();
    expect(leftovers()).toEqual(nothing);
  });

  test("a paused container stays paused", async () => {
    const id = await start(await sandbox("paused"), "exec sleep 1000");
    const isPaused = () => {
      const state = containers().get(id)?.state;
      return state?.phase === "running" && state.isPaused;
    };
    const status = async (): Promise<string> => {
      const { program, flags } = opened.engine.runtime;
      return JSON.parse(await mustRun(program, [...flags, "state", id])).status;
    };
    await containers().pause(id);
    await opened.reopen();
    expect([isPaused(), await status()]).toEqual([true, "paused"]);
    await containers().unpause(id);
    expect([isPaused(), await status()]).toEqual([false, "running"]);
    // As a kill leaves it just before the container is frozen.
    const path = join(folderOf(id), "state.json");
    const state = JSON.parse(readFileSync(path, "utf8"));
    writeFileSync(path, JSON.stringify({ ...state, isPaused: true }));
    await opened.reopen();
    expect(isPaused()).toBe(true);
    await containers().unpause(id);
    expect([isPaused(), await status()]).toEqual([false, "running"]);
    await containers().pause(id);
    await opened.reopen();
    // Stopping a frozen container thaws it.
    await opened.runtime.stopContainer(id, 0);
    expect(await opened.runtime.containerStatus(id)).toMatchObject({ exitCode: 137 });
    await removeAll();
    expect(leftovers()).toEqual(nothing);
  });

  test("streams and the log of a container go on after it was taken over", async () => {
    const script = "while read line; do echo got $line; done; echo over; exit 3";
    const streams = { stdin: true, stdinOnce: false };
    const id = await start(await sandbox("streams"), script, streams);
    await opened.reopen();
    const { runtime } = opened;
    const { stdout, exitCode } = await runtime.execSync(id, ["sh", "-c", "echo hi; exit 5"], 10);
    expect([Buffer.from(stdout).toString(), exitCode]).toEqual(["hi\n", 5]);
    const client = (text: string) => {
      const gone = new AbortController();
      let output = "";
      const stdin = (async function* () {
        yield Buffer.from(text);
        await new Promise((resolve) => gone.signal.addEventListener("abort", resolve));
      })();
      const write = async (bytes: Uint8Array): Promise<void> => {
        output += Buffer.from(bytes).toString();
      };
      const session = { stdin, stdout: write, signal: gone.signal };
      const done = runtime.attach({ containerId: id, tty: false }, session);
      return { output: () => output, leave: () => gone.abort(), done };
    };
    const first = client("one\n");
    await expect.poll(first.output).toBe("got one\n");
    first.leave();
    await first.done;
    const { logPath } = await runtime.containerStatus(id);
    const path = logPath ?? "";
    renameSync(path, `${path}.old`);
    await runtime.reopenContainerLog(id);
    await eventually(() => expect(existsSync(path)).toBe(true));
    await opened.reopen();
    const second = client("two\n");
    await expect.poll(second.output).toBe("got two\n");
    second.leave();
    await second.done;
    expect(readFileSync(`${path}.old`, "utf8")).toMatch(/^\S+ stdout F got one\n$/);
    expect(readFileSync(path, "utf8")).toMatch(/^\S+ stdout F got two\n$/);
    await removeAll();
    expect(leftovers()).toEqual(nothing);
  });
});

testWith(requires("containers"))(
  "sandboxes stay ready where the run directory is a link",
  async () => {
    const root = mkdtempSync(join(tmpdir(), "wherry-engine-"));
    mkdirSync(join(root, "the run folder"));
    symlinkSync("the run folder", join(root, "link"));
    const open = () =>
      openEngine({
        ...{ dataDir: join(root, "data"), runDir: join(root, "link"), network: noNetwork },
        ...{ clock: realClock, log: noLog },
      });
    const first = await open();
    const id = await first.sandboxes.run({
      metadata: { name: "pod", namespace: "default", uid: "u", attempt: 0 },
      ...{ hostname: "pod", hostNetwork: false, labels: {}, annotations: {} },
    });
    await first.close();
    const second = await open();
    const found = second.sandboxes.get(id);
    await second.sandboxes.remove(id);
    await second.close();
    rmSync(root, { recursive: true, force: true });
    expect(found?.state).toBe("ready");
  },
);

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ");
  } catch {
    return "";
  }
}
