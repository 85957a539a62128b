import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { noLog } from "../../../base/log.ts";
import { realClock } from "../../../platform/real-clock.ts";
import { mustRun } from "../../../platform/run-child.ts";
import type { KubeletEvent } from "../../kubelet-events.ts";
import { watchOom } from "./watch-oom.ts";

test("a kill for lack of memory on the node is an event", async () => {
  const folder = await mkdtemp(join(tmpdir(), "oom-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const kernelMessages = join(folder, "kmsg");
  await mustRun("mkfifo", [kernelMessages]);
  const told: KubeletEvent[] = [];
  const events = { node: (_: unknown, event: KubeletEvent) => void told.push(event) } as never;
  const options = { clock: realClock, log: noLog, kernelMessages };
  const watch = await watchOom({ nodeName: "n", events }, options);
  onTestFinished(() => watch.close());
  const pipe = await open(kernelMessages, "r+");
  onTestFinished(() => pipe.close());
  const lines = ["x invoked oom-killer: gfp", "Out of memory: Killed process 7 (x) total-vm:1kB"];
  await pipe.write(lines.map((line, i) => `4,${i},1,-;${line}\n`).join(""));
  await expect
    .poll(() => told)
    .toEqual([
      {
        type: "Warning",
        reason: "SystemOOM",
        message: "System OOM encountered, victim process: x, pid: 7",
      },
    ]);
});

test("a machine whose messages cannot be read is not watched", async () => {
  const options = { clock: realClock, log: noLog, kernelMessages: "/nonexistent/kmsg" };
  const watch = await watchOom({ nodeName: "n", events: {} as never }, options);
  watch.close();
});
