import { abortReason } from "../../../../../base/abort-reason.ts";
import { type Clock, sleep } from "../../../../../base/clock.ts";
import { errorMessage } from "../../../../../base/error-message.ts";
import type { Log } from "../../../../../base/log.ts";
import type { NodeInfo } from "./node-info.ts";

/** Creates the CSINode of a node, without which the node is not ready. */
export interface CsiNodeStart {
  /** Why the node is not ready yet. */
  problems(): readonly string[];
  /** Starts when the node is registered. */
  start(): void;
  close(): void;
}

export function initializeCsiNode({
  nodeInfo,
  clock,
  log,
}: {
  readonly nodeInfo: NodeInfo;
  readonly clock: Clock;
  readonly log: Log;
}): CsiNodeStart {
  const stopping = new AbortController();
  const { signal } = stopping;
  let problem: string | undefined = "CSINode is not yet initialized";
  const run = async (): Promise<void> => {
    for (let wait = firstWaitMs; problem !== undefined; wait = Math.min(wait * 8, longestWaitMs)) {
      try {
        await nodeInfo.initialize();
        problem = undefined;
        return;
      } catch (error) {
        problem = `failed to initialize CSINode: ${errorMessage(error)}`;
        if (!signal.aborted) log.warn("writing the CSINode failed", { error });
      }
      await sleep(clock, wait, signal);
    }
  };
  return {
    problems: () => (problem === undefined ? [] : [problem]),
    start: () => void run().catch(() => {}),
    close: () => stopping.abort(abortReason),
  };
}

const firstWaitMs = 30;
const longestWaitMs = 30_000;
