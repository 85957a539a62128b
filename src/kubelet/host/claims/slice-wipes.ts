import type { Node } from "../../../api/core/v1/node/node.ts";
import { ResourceSlice } from "../../../api/resource/v1/resource-slice.ts";
import { abortReason } from "../../../base/abort-reason.ts";
import { delays } from "../../../base/backoff.ts";
import { type Clock, sleep } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { Random } from "../../../base/random.ts";
import type { Client } from "../../../client/client.ts";
import { ignoreNotFound } from "../../../client/ignore-not-found.ts";

export interface SliceWipesOptions {
  /** Calls as the node. */
  readonly client: Pick<Client, "deleteCollection">;
  readonly node: () => Node | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/**
 * Deletes the slices of the node whose drivers cannot be used, so that no pods are scheduled for their devices. Drivers
 * publish them again.
 */
export class SliceWipes {
  readonly #options: SliceWipesOptions;
  readonly #closing = new AbortController();
  /** The drivers whose slices are, or will be, deleted. */
  readonly #pending = new Map<string, AbortController>();

  constructor(options: SliceWipesOptions) {
    this.#options = options;
  }

  /** Deletes the slices of all drivers: none has registered yet. */
  start(): void {
    void this.#wipe(undefined, this.#closing.signal).catch(() => {});
  }

  /** A driver has changed. Its slices stay if it can be used again soon. */
  set(driver: string, isUsable: boolean): void {
    if (isUsable) {
      this.#pending.get(driver)?.abort(abortReason);
      this.#pending.delete(driver);
    } else if (!this.#pending.has(driver) && !this.#closing.signal.aborted) {
      const stopping = new AbortController();
      this.#pending.set(driver, stopping);
      void this.#wipeLater(driver, stopping);
    }
  }

  close(): void {
    this.#closing.abort(abortReason);
    for (const stopping of this.#pending.values()) stopping.abort(abortReason);
    this.#pending.clear();
  }

  async #wipeLater(driver: string, stopping: AbortController): Promise<void> {
    const { signal } = stopping;
    try {
      await sleep(this.#options.clock, graceMs, signal);
      await this.#wipe(driver, signal);
    } catch {
      // It is only ended by the signal.
    }
    if (this.#pending.get(driver) === stopping) this.#pending.delete(driver);
  }

  /** Deletes slices, and tries it until it succeeds. Rejects when it is ended. */
  async #wipe(driver: string | undefined, signal: AbortSignal): Promise<void> {
    const { node, client, clock, random, log } = this.#options;
    const next = delays(retrying, random);
    for (; ; await sleep(clock, next(), signal)) {
      const name = node()?.metadata.name;
      if (name === undefined) continue;
      const ofDriver = driver !== undefined && { "spec.driver": driver };
      const fieldSelector = { ...ofDriver, "spec.nodeName": name };
      try {
        await ignoreNotFound(client.deleteCollection(ResourceSlice, { fieldSelector, signal }));
        log.info("deleted the slices of the node", { driver: driver ?? "" });
        return;
      } catch (error) {
        signal.throwIfAborted();
        log.warn("deleting the slices of the node failed", { driver: driver ?? "", error });
      }
    }
  }
}

/** How long a driver may be gone, such as while it is replaced. */
const graceMs = 30_000;

const retrying = { duration: 1000, factor: 2, jitter: 0.2, cap: 300_000, steps: 100 };
