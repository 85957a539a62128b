import type { Clock, Timer } from "../../base/clock.ts";
import { coalesceCalls } from "../../base/coalesce-calls.ts";
import type { Log } from "../../base/log.ts";
import type { RuntimeService } from "../../cri/runtime-service.ts";
import { type CpuSet, formatCpuSet } from "./cpu-set.ts";

export interface CpuReconcilerOptions {
  readonly runtime: Pick<
    RuntimeService,
    "listContainers" | "updateContainerResources" | "containerEvents"
  >;
  /** The CPUs that a container may use. */
  readonly usableBy: (podUid: string, container: string) => CpuSet;
  readonly isActive: (podUid: string) => boolean;
  /** When to try again after an error. */
  readonly retryMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Moves running containers to the CPUs that they may use, whenever these have changed. A container that starts is
 * compared again, because they may have changed after it was created.
 */
export class CpuReconciler {
  readonly #options: CpuReconcilerOptions;
  /** The CPUs that containers use, by pod and name. */
  readonly #current = new Map<string, string>();
  readonly #unsubscribe: () => void;
  #retry: Timer | undefined;
  #isClosed = false;

  constructor(options: CpuReconcilerOptions) {
    this.#options = options;
    this.#unsubscribe = options.runtime.containerEvents(({ type }) => {
      if (type === "started" && this.#isOutdated()) this.reconcile();
    });
  }

  /** The CPUs for a container that is about to be created. */
  created(podUid: string, container: string): string {
    const cpus = formatCpuSet(this.#options.usableBy(podUid, container));
    this.#current.set(keyOf(podUid, container), cpus);
    return cpus;
  }

  /** Starts to move all containers whose CPUs have changed. */
  reconcile(): void {
    if (!this.#isClosed) void this.#reconcileSoon();
  }

  /** Forgets a pod whose containers have ended. */
  forget(podUid: string): void {
    for (const key of this.#current.keys())
      if (key.startsWith(`${podUid}/`)) this.#current.delete(key);
  }

  close(): void {
    this.#isClosed = true;
    this.#retry?.cancel();
    this.#unsubscribe();
  }

  #isOutdated(): boolean {
    return [...this.#current].some(([key, cpus]) => {
      const [podUid = "", container = ""] = key.split("/");
      return cpus !== formatCpuSet(this.#options.usableBy(podUid, container));
    });
  }

  readonly #reconcileSoon = coalesceCalls(() => this.#reconcileAll());

  async #reconcileAll(): Promise<void> {
    const { runtime, isActive, usableBy, retryMs, clock, log } = this.#options;
    this.#retry?.cancel();
    let hasFailed = false;
    const failed = (message: string, error: unknown, fields: object = {}): void => {
      hasFailed = true;
      log.error(message, error, { ...fields });
    };
    const running = await runtime.listContainers({ state: "running" }).catch((error: unknown) => {
      failed("listing the containers to move to other CPUs failed", error);
      return [];
    });
    for (const { id, podUid, metadata } of running) {
      if (this.#isClosed) return;
      if (!isActive(podUid)) continue;
      const key = keyOf(podUid, metadata.name);
      const cpus = formatCpuSet(usableBy(podUid, metadata.name));
      if (cpus === "" || this.#current.get(key) === cpus) continue;
      try {
        await runtime.updateContainerResources(id, { linux: { cpusetCpus: cpus } });
        this.#current.set(key, cpus);
      } catch (error) {
        failed("moving a container to other CPUs failed", error, { podUid, id, cpus });
      }
    }
    if (hasFailed && !this.#isClosed) this.#retry = clock.setTimer(retryMs, () => this.reconcile());
  }
}

const keyOf = (podUid: string, container: string): string => `${podUid}/${container}`;
