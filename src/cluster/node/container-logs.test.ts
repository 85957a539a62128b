import { mkdir, readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, onTestFinished } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { noLog } from "../../base/log.ts";
import { testEngine, testImage } from "../../engine/engine.test-support.ts";
import { openContainerLogs } from "../../kubelet/host/logs/open-container-logs.ts";
import { realClock } from "../../platform/real-clock.ts";

testWith(requires("containers"))(
  "the log of a container is linked, rotated, compressed and removed",
  { timeout: 60_000 },
  async () => {
    const test = await testEngine();
    onTestFinished(() => test.remove());
    const { runtime, root } = test;
    const podLogsDir = join(root, "pods");
    const linksDir = join(root, "links");
    const logDirectory = join(podLogsDir, "default_p_u");
    await mkdir(join(logDirectory, "c"), { recursive: true });
    let offsetMs = 0;
    const clock = { ...realClock, now: () => realClock.now() + offsetMs };
    const logs = openContainerLogs({
      ...{ runtime, clock, log: noLog, podLogsDir, linksDir },
      ...{ maxBytes: 5000, maxFiles: 3, maxWorkers: 1, monitorMs: 50 },
    });
    onTestFinished(() => logs.close());
    await logs.start();
    const labels = { "io.kubernetes.pod.name": "p", "io.kubernetes.pod.namespace": "default" };
    const metadata = { name: "p", namespace: "default", uid: "u", attempt: 0 };
    const sandbox = {
      metadata,
      hostname: "p",
      hostNetwork: true,
      labels,
      annotations: {},
      logDirectory,
    };
    const sandboxId = await runtime.runPodSandbox(sandbox);
    const id = await runtime.createContainer(sandboxId, {
      metadata: { name: "c", attempt: 0 },
      image: testImage,
      kind: "container",
      command: ["sleep", "1000"],
      ...{ args: [], workingDir: "", env: [], annotations: {}, resources: {} },
      ...{ labels, stdin: false, stdinOnce: false, tty: false, terminationMessagePath: "" },
      logPath: "c/0.log",
    });
    await runtime.startContainer(id);
    const link = join(linksDir, `p_default_c-${id}.log`);
    const path = join(logDirectory, "c/0.log");
    await expect.poll(() => readlink(link).catch(() => "")).toBe(path);

    const files = async (): Promise<readonly string[]> =>
      (await readdir(join(logDirectory, "c"))).sort();
    const writeMuch = (letter: string) => {
      const script = `head -c 6000 /dev/zero | tr '\\0' ${letter} > /proc/1/fd/1`;
      return runtime.execSync(id, ["sh", "-c", script], 5);
    };
    const textOf = async (name: string): Promise<Buffer> => readFile(join(logDirectory, "c", name));
    for (const [letter, count] of [
      ["a", 2],
      ["b", 3],
      ["c", 3],
    ] as const) {
      // The name of a rotated file has the time in seconds.
      offsetMs += 1000;
      await writeMuch(letter);
      await expect
        .poll(async () => [(await files()).length, (await textOf("0.log")).length], waiting)
        .toEqual([count, 0]);
    }
    const [, older = "", latest = ""] = await files();
    expect(older).toMatch(/^0\.log\.\d{8}-\d{6}\.gz$/);
    expect(latest).toMatch(/^0\.log\.\d{8}-\d{6}$/);
    expect(gunzipSync(await textOf(older)).toString()).toContain("bbbb");
    expect((await textOf(latest)).toString()).toContain("cccc");

    await runtime.stopContainer(id, 1);
    await logs.removeContainerLogs(await runtime.containerStatus(id));
    expect(await files()).toEqual([]);
    expect(await readdir(linksDir)).toEqual([]);
  },
);

const waiting = { timeout: 10_000 };
