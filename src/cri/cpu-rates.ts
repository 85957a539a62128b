/** Computes what is used of CPUs from counters of the time that was used. */
export class CpuRates {
  readonly #samples = new Map<string, Sample>();

  /**
   * The rate of a counter since an earlier sample, in billionths of a core; 0 for the first one. Samples in quick
   * succession keep the rate, which would be coarse.
   */
  of(id: string, at: number, total: bigint): number {
    const before = this.#samples.get(id);
    const elapsed = before ? at - before.at : 0;
    // A counter that went back is that of another process.
    const isSame = before !== undefined && total >= before.total;
    if (isSame && elapsed < shortestMs) return before.nanoCores;
    const nanoCores = isSame ? Math.round((Number(total - before.total) * 1000) / elapsed) : 0;
    this.#samples.delete(id);
    this.#samples.set(id, { at, total, nanoCores });
    this.#forgetOld(at);
    return nanoCores;
  }

  /** Drops the samples of what is gone. */
  forget(id: string): void {
    this.#samples.delete(id);
  }

  /** The oldest samples come first. */
  #forgetOld(now: number): void {
    for (const [id, { at }] of this.#samples) {
      if (now - at <= longestMs) return;
      this.#samples.delete(id);
    }
  }
}

/** A counter at an earlier time, in nanoseconds, and the rate that was computed then. */
interface Sample {
  readonly at: number;
  readonly total: bigint;
  readonly nanoCores: number;
}

const shortestMs = 1000;

/** Samples that are older do not tell what is used now. */
const longestMs = 600_000;
