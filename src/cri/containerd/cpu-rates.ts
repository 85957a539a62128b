import type { ResourceUsage } from "../stats-types.ts";

/** Samples that are older do not tell what is used now. */
const longestMs = 600_000;

/** Computes what is used of CPUs, for runtimes that only count how much was used so far. */
export class CpuRates {
  readonly #samples = new Map<string, Pick<ResourceUsage, "at" | "cpuCoreNanoSeconds">>();

  /** The usage with the rate since the sample before, unless the runtime has told it. */
  add<U extends ResourceUsage>(id: string, usage: U): U {
    const { at, cpuCoreNanoSeconds } = usage;
    const before = this.#samples.get(id);
    if (usage.cpuNanoCores > 0 || (before && before.at >= at)) return usage;
    this.#samples.set(id, { at, cpuCoreNanoSeconds });
    this.#forget(at);
    if (!before || cpuCoreNanoSeconds < before.cpuCoreNanoSeconds) return usage;
    const nanoSeconds = Number(cpuCoreNanoSeconds - before.cpuCoreNanoSeconds);
    return { ...usage, cpuNanoCores: Math.round((nanoSeconds * 1000) / (at - before.at)) };
  }

  /** Samples are in the order in which they were first taken. */
  #forget(now: number): void {
    for (const [id, { at }] of this.#samples) if (now - at > longestMs) this.#samples.delete(id);
  }
}
