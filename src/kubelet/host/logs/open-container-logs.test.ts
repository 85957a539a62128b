import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { noLog } from "../../../base/log.ts";
import { RuntimeError, type RuntimeService } from "../../../cri/runtime-service.ts";
import { realClock } from "../../../platform/real-clock.ts";
import { openContainerLogs } from "./open-container-logs.ts";

/** A runtime without containers, except one that runs. */
const runtime = {
  listContainers: async () => [],
  containerEvents: () => () => {},
  async containerStatus(id: string) {
    if (id !== "running") throw new RuntimeError("NotFound", "no such container");
    return { state: "running" };
  },
} as unknown as RuntimeService;

test("the logs of deleted pods, and links without a target, are removed", async () => {
  const root = await mkdtemp(join(tmpdir(), "logs-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const podLogsDir = join(root, "pods");
  const linksDir = join(root, "links");
  const logs = openContainerLogs({
    ...{ runtime, clock: realClock, log: noLog, podLogsDir, linksDir },
    ...{ maxBytes: -1, maxFiles: 5, maxWorkers: 1, monitorMs: 10_000 },
  });
  onTestFinished(() => logs.close());
  await logs.start();
  for (const pod of ["default_gone_1", "default_here_2"]) {
    const file = join(podLogsDir, pod, "c", "0.log");
    await mkdir(join(podLogsDir, pod, "c"), { recursive: true });
    await writeFile(file, "x");
    await symlink(file, join(linksDir, `${pod}-012345.log`));
  }
  await symlink("/nowhere", join(linksDir, "rotated-running.log"));
  await logs.removePodLogs((uid) => uid === "1");
  expect(await readdir(podLogsDir)).toEqual(["default_here_2"]);
  expect((await readdir(linksDir)).sort()).toEqual([
    "default_here_2-012345.log",
    "rotated-running.log",
  ]);
});
