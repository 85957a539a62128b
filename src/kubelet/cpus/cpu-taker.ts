import type { CpuSet } from "./cpu-set.ts";
import {
  type CpuGroup,
  type CpuPlaces,
  type CpuTopology,
  cpusIn,
  groupsOf,
  placesOf,
} from "./cpu-topology.ts";

/**
 * Takes CPUs from those that are free, until there are enough. Of several places, one with fewer free CPUs is used
 * first, so that large ones stay free for large requests.
 */
export class CpuTaker {
  readonly #topology: CpuTopology;
  readonly #taken = new Set<number>();
  #free: CpuPlaces;
  #needed: number;

  constructor(topology: CpuTopology, available: CpuSet, count: number) {
    this.#topology = topology;
    this.#free = placesOf(topology.places, available);
    this.#needed = count;
  }

  get taken(): CpuSet {
    return this.#taken;
  }

  get free(): CpuPlaces {
    return this.#free;
  }

  get isDone(): boolean {
    return this.#needed < 1;
  }

  get isImpossible(): boolean {
    return this.#needed > this.#free.size;
  }

  /** Takes whole nodes and sockets, the larger ones first. */
  takeLargest(): void {
    for (const group of this.#order()) this.takeWhole(group);
  }

  /** Takes places whose CPUs are all free, as long as all of them are needed. */
  takeWhole(group: CpuGroup): void {
    const whole = this.sorted(group).filter((id) => this.#isWhollyFree(group, id));
    for (const id of whole) {
      const cpus = cpusIn(this.#topology.places, group, [id]);
      if (this.#needed >= cpus.size) this.take(cpus);
    }
  }

  /** Takes whole caches, and what is left from one cache, if one has as much. */
  takeByCache(): void {
    for (const cache of this.sorted("uncoreCache")) {
      if (this.#needed >= this.#topology.sizeOf("uncoreCache")) this.takeWhole("uncoreCache");
      if (this.isDone) return;
      this.#takePartOf(cache);
      if (this.isDone) return;
    }
  }

  /** Takes single CPUs, core by core or spread over the cores of a socket. */
  takeSingle(isSpread: boolean): void {
    const order = this.sorted(isSpread ? "socket" : "core").flatMap((id) =>
      ascending(cpusIn(this.#free, isSpread ? "socket" : "core", [id])),
    );
    for (const cpu of order) {
      if (this.isDone) return;
      this.take([cpu]);
    }
  }

  /** Takes those of some CPUs that are free. */
  take(cpus: Iterable<number>): void {
    const free = new Map(this.#free);
    for (const cpu of cpus) {
      if (!free.delete(cpu)) continue;
      this.#needed--;
      this.#taken.add(cpu);
    }
    this.#free = free;
  }

  /** The places that have free CPUs, in the order of use: within the larger places around them, those with fewer first. */
  sorted(group: CpuGroup): readonly number[] {
    const around = this.#around(group);
    if (!around) return this.#bySize(group, groupsOf(this.#free, group));
    return this.sorted(around).flatMap((id) =>
      this.#bySize(group, groupsOf(this.#free, group, { group: around, id })),
    );
  }

  /** Sockets and nodes, the larger ones first. */
  #order(): readonly [CpuGroup, CpuGroup] {
    const { socket, node } = this.#topology.counts;
    return socket >= node ? ["node", "socket"] : ["socket", "node"];
  }

  #around(group: CpuGroup): CpuGroup | undefined {
    const [larger, smaller] = this.#order();
    if (group === larger) return undefined;
    if (group === smaller) return larger;
    return group === "uncoreCache" ? "node" : smaller;
  }

  #bySize(group: CpuGroup, ids: readonly number[]): readonly number[] {
    const sizes = new Map(ids.map((id) => [id, cpusIn(this.#free, group, [id]).size]));
    const sizeOf = (id: number): number => sizes.get(id) ?? 0;
    return [...ids].sort((a, b) => sizeOf(a) - sizeOf(b) || a - b);
  }

  #isWhollyFree(group: CpuGroup, id: number): boolean {
    const free = cpusIn(this.#free, group, [id]).size;
    if (group === "core" || group === "socket") return free === this.#topology.sizeOf(group);
    return free === cpusIn(this.#topology.places, group, [id]).size;
  }

  /** Takes all that is needed from the lowest cores of a cache, unless it has less. */
  #takePartOf(cache: number): void {
    const perCore = this.#topology.sizeOf("core");
    const cores = groupsOf(this.#free, "core", { group: "uncoreCache", id: cache });
    const chosen = cores.slice(0, Math.ceil(this.#needed / perCore));
    let cpus = ascending(cpusIn(this.#free, "core", chosen));
    // An odd number of threads leaves one of the last core.
    if (this.#needed % 2 !== 0 && perCore > 1 && cpus.length > this.#needed)
      cpus = cpus.slice(0, -1);
    if (cpus.length === this.#needed) this.take(cpus);
  }
}

const ascending = (cpus: Iterable<number>): readonly number[] => [...cpus].sort((a, b) => a - b);
