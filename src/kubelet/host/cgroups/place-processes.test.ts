import { spawn } from "node:child_process";
import { expect, onTestFinished } from "vitest";
import { requires, testWith } from "../../../../test/requires.ts";
import { noLog } from "../../../base/log.ts";
import { VirtualClock } from "../../../base/virtual-clock.ts";
import { openCgroups } from "../../../platform/cgroups/host-cgroups.ts";
import { openProcessMover } from "../../../platform/cgroups/move-process.ts";
import { killCgroup } from "./kill-cgroup.ts";
import { placeProcesses } from "./place-processes.ts";

/** A process that sleeps. */
function sleeping(): number {
  const child = spawn("sleep", ["100"], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child.pid ?? 0;
}

testWith(requires("root"))(
  "placeProcesses: the kubelet and what is in no cgroup get cgroups of their own, again and again",
  async () => {
    const cgroups = await openCgroups();
    const mover = await openProcessMover();
    const clock = new VirtualClock();
    const base = `/wherry-place-${process.pid}`;
    const [root, systemCgroup, kubeletCgroup] = ["root", "system", "kubelet"].map(
      (name) => `${base}/${name}`,
    ) as [string, string, string];
    await cgroups.create(root);
    onTestFinished(async () => {
      await killCgroup(base, cgroups);
      await cgroups.remove(base);
    });
    const [kubelet, other, late] = [sleeping(), sleeping(), sleeping()];
    await mover.move(kubelet, root);
    await mover.move(other, root);
    const places = await placeProcesses({
      ...{ kubeletCgroup, systemCgroup, cgroups, mover, pid: kubelet, root, clock, log: noLog },
    });
    onTestFinished(() => places.close());
    expect(await mover.processesIn(root)).toEqual([]);
    expect(await cgroups.pids(systemCgroup)).toEqual([other]);
    expect(await cgroups.pids(kubeletCgroup)).toEqual([kubelet]);
    await mover.move(late, root);
    await clock.advance(60_000);
    await expect.poll(() => cgroups.pids(systemCgroup)).toEqual([other, late]);
  },
);
