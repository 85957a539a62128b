import { sleep } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { aborted } from "../../base/on-abort.ts";
import { realClock } from "../../platform/real-clock.ts";
import type { BoxProcess } from "../box/box.ts";
import { restartWait } from "./restart-wait.ts";

export interface SuperviseOptions {
  /** The name of the node. */
  readonly name: string;
  /** Starts the agent, in a box that may have to be opened again. */
  readonly start: () => Promise<BoxProcess>;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Starts the agent of a node, and again whenever it ends, until the signal; the agent itself goes on. */
export function superviseAgent({ name, start, log, signal }: SuperviseOptions): {
  /** Rejects if the first start fails. */
  readonly begun: Promise<void>;
  readonly ended: Promise<void>;
} {
  const first = start();
  const run = async (): Promise<void> => {
    const stopped = aborted(signal);
    let starting = first;
    let wait = 0;
    while (!signal.aborted) {
      const begun = realClock.now();
      try {
        const agent = await starting;
        const code = await Promise.race([agent.ended, stopped]);
        if (code === undefined) return;
        log.error("the agent of a node has ended", undefined, { node: name, code });
      } catch (error) {
        log.error("the agent of a node cannot be started", error, { node: name });
      }
      wait = restartWait(wait, realClock.now() - begun);
      await sleep(realClock, wait, signal).catch(() => {});
      if (signal.aborted) return;
      starting = start();
    }
  };
  return { begun: first.then(() => undefined), ended: run() };
}
