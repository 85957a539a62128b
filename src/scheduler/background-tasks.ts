import { abortReason } from "../base/abort-reason.ts";
import type { Log } from "../base/log.ts";

/** Work that runs beside the scheduling cycles: bindings, status updates, preemption. */
export class BackgroundTasks {
  readonly #log: Log;
  /** One controller per task: a signal is slow with thousands of listeners. */
  readonly #controllers = new Set<AbortController>();
  readonly #running = new Set<Promise<void>>();
  #isAborted = false;

  constructor(log: Log) {
    this.#log = log;
  }

  start(task: (signal: AbortSignal) => Promise<void>): void {
    const controller = new AbortController();
    this.#controllers.add(controller);
    if (this.#isAborted) controller.abort();
    const running = task(controller.signal)
      .catch((error: unknown) => {
        if (!this.#isAborted) this.#log.error("background task failed", error);
      })
      .finally(() => {
        this.#controllers.delete(controller);
        this.#running.delete(running);
      });
    this.#running.add(running);
  }

  /** Aborts all tasks, and those that are started later. */
  abort(): void {
    this.#isAborted = true;
    for (const controller of this.#controllers) controller.abort(abortReason);
  }

  /** Resolves when no task runs. */
  async ended(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}
