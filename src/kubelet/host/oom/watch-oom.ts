import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Clock, Timer } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { boundToParent } from "../../../platform/bound-to-parent.ts";
import { spawned } from "../../../platform/spawned.ts";
import type { Kubelet } from "../../kubelet.ts";
import { createOomParser, isSystemOom, systemOomMessage } from "./oom-parser.ts";

export interface OomWatchOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** The cgroup of a node that shares the machine with others; by default the whole machine is the node. */
  readonly nodeCgroup?: string | undefined;
  /** Where the messages of the kernel are read. */
  readonly kernelMessages?: string | undefined;
}

/** Watches for processes that the kernel kills because the node has no memory left. */
export interface OomWatch {
  close(): void;
}

/**
 * Records an event `SystemOOM` for each. Does nothing where the messages of the kernel cannot be read. Containers
 * that exceed limits of their own are not meant: the runtime reports them.
 */
export async function watchOom(
  { nodeName, events }: Pick<Kubelet, "nodeName" | "events">,
  { clock, log, nodeCgroup, kernelMessages = "/dev/kmsg" }: OomWatchOptions,
): Promise<OomWatch> {
  const parser = createOomParser();
  let child: ChildProcess | undefined;
  let timer: Timer | undefined;
  let isClosed = false;

  const read = (record: string): void => {
    const kill = parser.add(record);
    if (!kill || !isSystemOom(kill, nodeCgroup)) return;
    const event = {
      type: "Warning",
      reason: "SystemOOM",
      message: systemOomMessage(kill),
    } as const;
    events.node({ metadata: { name: nodeName } }, event);
  };
  /** A process of its own, because reading waits for the next message in a thread that nothing can interrupt. */
  const start = (): void => {
    const args = boundToParent("cat", [kernelMessages]);
    child = spawned(spawn("sh", args, { stdio: ["ignore", "pipe", "ignore"] }), "cat");
    child.on("error", (error) => log.warn("reading the messages of the kernel failed", { error }));
    if (child.stdout) createInterface({ input: child.stdout }).on("line", read);
    // The kernel ends the stream when messages were lost, because too many came at once.
    child.on("close", () => {
      if (!isClosed) timer = clock.setTimer(againMs, startOrLog);
    });
  };
  const startOrLog = (): void => {
    try {
      start();
    } catch (error) {
      log.warn("reading the messages of the kernel failed", { error });
      timer = clock.setTimer(againMs, startOrLog);
    }
  };

  try {
    await access(kernelMessages, constants.R_OK);
    startOrLog();
  } catch (error) {
    log.info("system OOM events are not recorded", { error: String(error) });
  }
  return {
    close() {
      isClosed = true;
      timer?.cancel();
      child?.kill("SIGKILL");
    },
  };
}

const againMs = 10_000;
