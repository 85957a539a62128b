import { chmod, mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { noLog } from "../../../base/log.ts";
import { MetricsRegistry } from "../../../base/metrics-registry.ts";
import { realClock } from "../../../platform/real-clock.ts";
import { mustRun } from "../../../platform/run-child.ts";
import type { KubeletEvent } from "../../kubelet-events.ts";
import type { EndingKubelet } from "../../shutdown/shutdown-manager.ts";
import { openShutdown } from "./open-shutdown.ts";

/** Programs in place of systemd's: there is none in a container. Signals are read from a pipe. */
async function standIns() {
  const folder = await mkdtemp(join(tmpdir(), "shutdown-"));
  // A program that has just been told to end may still write its last line.
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  const program = async (name: string, script: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, `#!/bin/sh\ncd ${folder}\n${script}\n`);
    await chmod(path, 0o755);
    return path;
  };
  await mustRun("mkfifo", [join(folder, "signals")]);
  const logind = {
    busctl: await program(
      "busctl",
      `case $1 in
get-property) if [ -e reloaded ]; then echo "t 30000000"; else echo "t 5000000"; fi;;
call) touch reloaded;;
monitor) echo "Monitoring bus message stream."; exec cat signals;;
esac`,
    ),
    systemdInhibit: await program(
      "systemd-inhibit",
      "echo taken >> locks; cat > /dev/null; echo released >> locks",
    ),
    configFile: join(folder, "logind.conf.d", "99-kubelet.conf"),
  };
  const pipe = await open(join(folder, "signals"), "r+");
  onTestFinished(() => pipe.close());
  const send = (value: boolean) =>
    pipe.write(
      `{"type":"signal","path":"/org/freedesktop/login1","interface":"org.freedesktop.login1.Manager","member":"PrepareForShutdown","payload":{"type":"b","data":[${value}]}}\n`,
    );
  const locks = () => readFile(join(folder, "locks"), "utf8").catch(() => "");
  return { folder, logind, send, locks };
}

const settings = { graceSeconds: 30, criticalPodsSeconds: 10 };

test("systemd waits until all pods have ended, and a cancelled shutdown is watched for again", async () => {
  const { folder, logind, send, locks } = await standIns();
  const told: string[] = [];
  const events = { node: (_: unknown, { message }: KubeletEvent) => void told.push(message) };
  let endPod = (): void => {};
  const evicted: string[] = [];
  const kubelet = {
    nodeName: "n",
    events: events as never,
    activePods: () => [{ metadata: { uid: "u" }, spec: {} } as never],
    async evict(uid: string, { graceSeconds }: { readonly graceSeconds?: number | undefined }) {
      evicted.push(`${uid} within ${graceSeconds}`);
      await new Promise<void>((resolve) => {
        endPod = resolve;
      });
    },
    refreshNode: async () => {},
  } as EndingKubelet;
  const options = { ...settings, rootDir: folder, clock: realClock, log: noLog, logind };
  const shutdown = await openShutdown(options);
  const watch = await shutdown.watch(kubelet);
  onTestFinished(() => watch.close());
  expect(await readFile(logind.configFile, "utf8")).toContain("InhibitDelayMaxSec=30\n");
  await expect.poll(locks).toBe("taken\n");
  await send(true);
  await expect.poll(() => evicted).toEqual(["u within 20"]);
  expect(await locks()).toBe("taken\n");
  expect(shutdown.problems()).toEqual(["node is shutting down"]);
  endPod();
  await expect.poll(locks).toBe("taken\nreleased\n");
  await send(false);
  await expect.poll(locks).toBe("taken\nreleased\ntaken\n");
  expect(shutdown.problems()).toEqual([]);
  expect(told).toEqual([
    "Shutdown manager detected shutdown event",
    "Shutdown manager detected shutdown cancellation",
  ]);

  const metrics = new MetricsRegistry();
  await openShutdown({ ...options, metrics });
  expect(metrics.text()).toMatch(/kubelet_graceful_shutdown_end_time_seconds 1\.\d+e\+09/);
});

test("nothing is watched without time for pods", async () => {
  const { folder, logind, locks } = await standIns();
  const none = { graceSeconds: 0, criticalPodsSeconds: 0 };
  const options = { ...none, rootDir: folder, clock: realClock, log: noLog, logind };
  const watch = await (await openShutdown(options)).watch({} as EndingKubelet);
  watch.close();
  expect(await locks()).toBe("");
});
