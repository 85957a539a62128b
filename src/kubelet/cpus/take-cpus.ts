import type { CpuSet } from "./cpu-set.ts";
import { CpuTaker } from "./cpu-taker.ts";
import type { CpuTopology } from "./cpu-topology.ts";

export interface CpuRequest {
  readonly topology: CpuTopology;
  readonly available: CpuSet;
  readonly count: number;
  /** Whether CPUs of different cores are preferred to whole cores. */
  readonly spreadsCores?: boolean | undefined;
  /** Whether CPUs with one cache are preferred. */
  readonly alignsCaches?: boolean | undefined;
}

/** Chooses CPUs that are close to each other: whole nodes and sockets, then whole cores, then single CPUs. */
export function takeCpus(request: CpuRequest): CpuSet {
  const { topology, available, count, spreadsCores = false, alignsCaches } = request;
  const taker = new CpuTaker(topology, available, count);
  if (taker.isDone) return taker.taken;
  checkAmount(taker, request);
  taker.takeLargest();
  if (alignsCaches && !taker.isDone) taker.takeByCache();
  if (!spreadsCores && !taker.isDone) taker.takeWhole("core");
  if (!taker.isDone) taker.takeSingle(spreadsCores);
  if (!taker.isDone) throw new Error("failed to allocate cpus");
  return taker.taken;
}

/** Throws if fewer CPUs are available than are needed. */
export function checkAmount(
  taker: CpuTaker,
  { available, count }: Pick<CpuRequest, "available" | "count">,
): void {
  if (taker.isImpossible)
    throw new Error(
      `not enough cpus available to satisfy request: requested=${count}, available=${available.size}`,
    );
}
