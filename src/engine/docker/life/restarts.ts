import type { Timer } from "../../../base/clock.ts";
import type { DockerContainer } from "../create/docker-details.ts";
import type { DockerContext } from "../docker-context.ts";
import { isRestarted, nextDelayMs } from "./restart-decision.ts";
import { runContainer } from "./start-container.ts";

interface Restarting {
  readonly delayMs: number;
  readonly timer: Timer;
}

/** Starts containers again as their policies say, after longer and longer pauses. */
export class Restarts {
  readonly #pending = new Map<string, Restarting>();
  /** The pause before the latest start of a container. */
  readonly #delays = new Map<string, number>();
  #isClosed = false;

  /** Plans the next start of a container that has ended; false if there is none. */
  async plan(context: DockerContext, container: DockerContainer): Promise<boolean> {
    const { id, details, state } = container;
    if (this.#isClosed || state.phase !== "exited") return false;
    const again = isRestarted({
      policy: details.hostConfig.RestartPolicy,
      exitCode: state.exitCode,
      restartCount: details.restartCount,
      isStoppedByClient: details.isStoppedByClient || context.registry.isLeaving(id),
    });
    if (!again) return false;
    const delayMs = nextDelayMs(this.#delays.get(id) ?? 0, state.finishedAt - state.startedAt);
    this.#delays.set(id, delayMs);
    const changed = await context.registry.change(id, ({ restartCount }) => ({
      isRestarting: true,
      restartCount: restartCount + 1,
    }));
    if (!changed || this.#isClosed) return false;
    const timer = context.clock.setTimer(delayMs, () => void this.#start(context, id));
    this.#pending.set(id, { delayMs, timer });
    return true;
  }

  /** Cancels the next start of a container, and forgets its pauses. */
  forget(id: string): void {
    this.#pending.get(id)?.timer.cancel();
    this.#pending.delete(id);
    this.#delays.delete(id);
  }

  close(): void {
    this.#isClosed = true;
    for (const { timer } of this.#pending.values()) timer.cancel();
    this.#pending.clear();
  }

  async #start(context: DockerContext, id: string): Promise<void> {
    const { registry } = context;
    try {
      await registry.alone(id, async () => {
        if (this.#isClosed || !this.#pending.delete(id)) return;
        const container = registry.get(id);
        if (!container || container.details.isStoppedByClient || registry.isLeaving(id)) return;
        await runContainer(context, registry.find(id));
        await registry.change(id, () => ({ isRestarting: false }));
      });
    } catch (error) {
      // It may have been removed meanwhile.
      if (registry.get(id)) context.log.error("restarting a container failed", error, { id });
    }
  }
}
